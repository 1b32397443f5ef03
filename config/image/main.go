// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command image packs static binaries into a container image archive, without a
// container engine and without a registry.
//
//	go run ./config/image -o bin/banyan-image.tar -tag localhost/banyan:dev bin/banyan=/banyan
//
// The archive has the format of "docker save": one layer, one tag. It is read by
// ctr, docker and podman. The first file is the entrypoint, and its ELF header
// names the architecture. The same files give the same bytes, whoever packs
// them, where and when.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			os.Exit(2)
		}
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func run(args []string, usage io.Writer) error {
	flags := flag.NewFlagSet("image", flag.ContinueOnError)
	flags.SetOutput(usage)
	out := flags.String("o", "image.tar", "archive to write")
	tag := flags.String("tag", "localhost/banyan:dev", "name and tag of the image")
	if err := flags.Parse(args); err != nil {
		return err
	}
	files, err := parseFiles(flags.Args())
	if err != nil {
		return err
	}
	archive, err := Pack(*tag, files)
	if err != nil {
		return fmt.Errorf("packing %s: %w", *tag, err)
	}
	return writeFile(*out, archive)
}

// parseFiles reads arguments of the form SOURCE=/PATH/IN/IMAGE.
func parseFiles(args []string) ([]File, error) {
	var files []File
	for _, arg := range args {
		source, target, ok := strings.Cut(arg, "=")
		if !ok {
			return nil, fmt.Errorf("reading argument %q: want SOURCE=/PATH", arg)
		}
		info, err := os.Stat(source)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Path: target, Data: data, Executable: info.Mode()&0o111 != 0})
	}
	return files, nil
}

// writeFile writes beside the target and renames, so that an interrupted run
// leaves no half archive under the name that others load.
func writeFile(name string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Chmod(0o644), temp.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return os.Rename(temp.Name(), name)
}
