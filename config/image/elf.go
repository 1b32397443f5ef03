// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
)

// architectures are the names that images use, by ELF machine: those that
// Banyan is built for.
var architectures = map[elf.Machine]string{
	elf.EM_X86_64:  "amd64",
	elf.EM_AARCH64: "arm64",
}

// architecture returns for which processor a binary is. It refuses what could
// not run in an image that holds nothing else: a program that needs an
// interpreter would fail there with no more than "no such file".
func architecture(binary []byte) (string, error) {
	file, err := elf.NewFile(bytes.NewReader(binary))
	if err != nil {
		return "", err
	}
	arch, ok := architectures[file.Machine]
	if !ok {
		return "", fmt.Errorf("machine %v is not known", file.Machine)
	}
	for _, prog := range file.Progs {
		if prog.Type == elf.PT_INTERP {
			return "", errors.New("the binary is not static; build it with CGO_ENABLED=0")
		}
	}
	return arch, nil
}
