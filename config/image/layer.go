// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

// entry is a file or, with a name that ends in a slash, a folder of a tar file.
type entry struct {
	name string
	mode int64
	data []byte
}

// packLayer puts the files and the folders above them into a tar file, sorted
// by path. There is always a /tmp, since programs expect one.
func packLayer(files []File) ([]byte, error) {
	entries := map[string]entry{"tmp/": {name: "tmp/", mode: 0o1777}}
	for _, file := range files {
		if !path.IsAbs(file.Path) || path.Clean(file.Path) != file.Path || file.Path == "/" {
			return nil, fmt.Errorf("%q is not a clean absolute path", file.Path)
		}
		name := strings.TrimPrefix(file.Path, "/")
		if _, found := entries[name]; found {
			return nil, fmt.Errorf("%s is there twice", file.Path)
		}
		mode := int64(0o644)
		if file.Executable {
			mode = 0o755
		}
		entries[name] = entry{name: name, mode: mode, data: file.Data}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if _, found := entries[dir+"/"]; !found {
				entries[dir+"/"] = entry{name: dir + "/", mode: 0o755}
			}
		}
	}
	sorted := make([]entry, 0, len(entries))
	for _, e := range entries {
		if _, found := entries[e.name+"/"]; found {
			return nil, fmt.Errorf("/%s is both a file and a folder", e.name)
		}
		sorted = append(sorted, e)
	}
	slices.SortFunc(sorted, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return packTar(sorted)
}

// packTar writes nothing that depends on who calls it, where or when: all
// entries belong to root and date from 1970.
func packTar(entries []entry) ([]byte, error) {
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	for _, e := range entries {
		header := &tar.Header{
			Typeflag: tar.TypeReg,
			Name:     e.name,
			Mode:     e.mode,
			Size:     int64(len(e.data)),
			ModTime:  time.Unix(0, 0),
			Format:   tar.FormatUSTAR,
		}
		if strings.HasSuffix(e.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("writing %s: %w", e.name, err)
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, fmt.Errorf("writing %s: %w", e.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buffer.Bytes(), nil
}
