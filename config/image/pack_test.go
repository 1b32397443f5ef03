// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// program returns an ELF file of no more than headers; interpreter makes it a
// dynamic one.
func program(t *testing.T, machine elf.Machine, interpreter bool) []byte {
	t.Helper()
	header := elf.Header64{
		Ident:     [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:      uint16(elf.ET_EXEC),
		Machine:   uint16(machine),
		Version:   uint32(elf.EV_CURRENT),
		Ehsize:    64,
		Phentsize: 56,
		Shentsize: 64,
	}
	var out bytes.Buffer
	if interpreter {
		header.Phoff, header.Phnum = 64, 1
	}
	require.NoError(t, binary.Write(&out, binary.LittleEndian, header))
	if interpreter {
		require.NoError(t, binary.Write(&out, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_INTERP)}))
	}
	return out.Bytes()
}

type tarEntry struct {
	header *tar.Header
	data   []byte
}

func readTar(t *testing.T, data []byte) (names []string, entries map[string]tarEntry) {
	t.Helper()
	entries = map[string]tarEntry{}
	r := tar.NewReader(bytes.NewReader(data))
	for {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names, entries
		}
		require.NoError(t, err)
		body, err := io.ReadAll(r)
		require.NoError(t, err)
		names = append(names, header.Name)
		entries[header.Name] = tarEntry{header, body}
	}
}

func hexDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// TestRun packs files as the Makefile does and reads the archive as a loader
// does: from manifest.json to the configuration to the layer.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	banyan, notice, out := filepath.Join(dir, "banyan"), filepath.Join(dir, "NOTICE"), filepath.Join(dir, "image.tar")
	require.NoError(t, os.WriteFile(banyan, program(t, elf.EM_AARCH64, false), 0o700))
	require.NoError(t, os.WriteFile(notice, []byte("a notice"), 0o600))

	require.NoError(t, run([]string{"-o", out, "-tag", "localhost/banyan:test", banyan + "=/banyan", notice + "=/usr/share/NOTICE"}, io.Discard))
	archive, err := os.ReadFile(out)
	require.NoError(t, err)
	names, entries := readTar(t, archive)
	require.Equal(t, "manifest.json", names[0])

	var manifests []manifest
	require.NoError(t, json.Unmarshal(entries["manifest.json"].data, &manifests))
	require.Len(t, manifests, 1)
	require.Equal(t, []string{"localhost/banyan:test"}, manifests[0].RepoTags)
	require.Len(t, manifests[0].Layers, 1)
	config, layer := entries[manifests[0].Config].data, entries[manifests[0].Layers[0]].data
	require.Equal(t, hexDigest(config)+".json", manifests[0].Config)

	var got map[string]any
	require.NoError(t, json.Unmarshal(config, &got))
	want := map[string]any{
		"architecture": "arm64",
		"os":           "linux",
		"config":       map[string]any{"User": "1000:1000", "Entrypoint": []any{"/banyan"}, "WorkingDir": "/"},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []any{"sha256:" + hexDigest(layer)}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("image configuration (-want +got):\n%s", diff)
	}

	names, entries = readTar(t, layer)
	modes := map[string]int64{}
	for name, e := range entries {
		modes[name] = e.header.Mode
		require.Zero(t, e.header.ModTime.Unix(), name)
		require.Zero(t, e.header.Uid, name)
		require.Zero(t, e.header.Gid, name)
	}
	require.Equal(t, []string{"banyan", "tmp/", "usr/", "usr/share/", "usr/share/NOTICE"}, names)
	require.Equal(t, map[string]int64{"banyan": 0o755, "tmp/": 0o1777, "usr/": 0o755, "usr/share/": 0o755, "usr/share/NOTICE": 0o644}, modes)
	require.Equal(t, program(t, elf.EM_AARCH64, false), entries["banyan"].data)
	require.Equal(t, "a notice", string(entries["usr/share/NOTICE"].data))
}

func TestPackIsReproducible(t *testing.T) {
	entrypoint := File{Path: "/banyan", Data: program(t, elf.EM_X86_64, false), Executable: true}
	a, b := File{Path: "/etc/a", Data: []byte("a")}, File{Path: "/etc/b", Data: []byte("b")}
	want, err := Pack("banyan:test", []File{entrypoint, a, b})
	require.NoError(t, err)
	got, err := Pack("banyan:test", []File{entrypoint, b, a})
	require.NoError(t, err)
	require.Equal(t, hexDigest(want), hexDigest(got))
}

func TestPackRefuses(t *testing.T) {
	static := program(t, elf.EM_X86_64, false)
	for name, tc := range map[string]struct {
		tag       string
		files     []File
		wantError string
	}{
		"an image without a tag":                        {files: []File{{Path: "/a", Data: static, Executable: true}}, wantError: "tag is empty"},
		"an image without files":                        {tag: "a:b", wantError: "no files"},
		"an entrypoint that is a script":                {tag: "a:b", files: []File{{Path: "/a", Data: []byte("#!/bin/sh\nexec sleep 1\n"), Executable: true}}, wantError: "bad magic number"},
		"an entrypoint that needs a libc":               {tag: "a:b", files: []File{{Path: "/a", Data: program(t, elf.EM_X86_64, true), Executable: true}}, wantError: "not static"},
		"an entrypoint for a machine that is not known": {tag: "a:b", files: []File{{Path: "/a", Data: program(t, elf.EM_SPARC, false), Executable: true}}, wantError: "EM_SPARC"},
		"an entrypoint that is not executable":          {tag: "a:b", files: []File{{Path: "/a", Data: static}}, wantError: "not executable"},
		"a relative path":                               {tag: "a:b", files: []File{{Path: "a", Data: static, Executable: true}}, wantError: "not a clean absolute path"},
		"a path that climbs out":                        {tag: "a:b", files: []File{{Path: "/../a", Data: static, Executable: true}}, wantError: "not a clean absolute path"},
		"the same path twice":                           {tag: "a:b", files: []File{{Path: "/a", Data: static, Executable: true}, {Path: "/a"}}, wantError: "there twice"},
		"a file that is also a folder":                  {tag: "a:b", files: []File{{Path: "/a", Data: static, Executable: true}, {Path: "/a/b"}}, wantError: "both a file and a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Pack(tc.tag, tc.files)
			require.ErrorContains(t, err, tc.wantError)
		})
	}
}

func TestRunNamesABadArgument(t *testing.T) {
	err := run([]string{"-o", filepath.Join(t.TempDir(), "image.tar"), "bin/banyan"}, io.Discard)
	require.ErrorContains(t, err, `"bin/banyan": want SOURCE=/PATH`)
}
