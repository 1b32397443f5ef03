// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
)

// user is numeric, so that a kubelet can see that it is not root. It equals
// runAsUser of the StatefulSet.
const user = "1000:1000"

// File is one file of the image.
type File struct {
	// Path in the image, absolute and clean.
	Path string
	Data []byte
	// Executable files get mode 0755, all others 0644.
	Executable bool
}

// imageConfig is the part of an image's configuration that we set. It has no
// date of creation, since that would differ from run to run.
type imageConfig struct {
	Architecture string        `json:"architecture"`
	OS           string        `json:"os"`
	Config       runtimeConfig `json:"config"`
	RootFS       rootFS        `json:"rootfs"`
}

type runtimeConfig struct {
	User       string   `json:"User"`
	Entrypoint []string `json:"Entrypoint"`
	WorkingDir string   `json:"WorkingDir"`
}

type rootFS struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

// manifest is an entry of manifest.json, where a loader starts to read.
type manifest struct {
	Config   string   `json:"Config"`
	RepoTags []string `json:"RepoTags"`
	Layers   []string `json:"Layers"`
}

// Pack returns the archive of an image that holds the files and starts the
// first one.
func Pack(tag string, files []File) ([]byte, error) {
	if tag == "" {
		return nil, errors.New("the tag is empty")
	}
	if len(files) == 0 {
		return nil, errors.New("there are no files")
	}
	arch, err := architecture(files[0].Data)
	if err != nil {
		return nil, fmt.Errorf("reading entrypoint %s: %w", files[0].Path, err)
	}
	if !files[0].Executable {
		return nil, fmt.Errorf("entrypoint %s is not executable", files[0].Path)
	}
	layer, err := packLayer(files)
	if err != nil {
		return nil, fmt.Errorf("packing the layer: %w", err)
	}
	config, err := json.Marshal(imageConfig{
		Architecture: arch,
		OS:           "linux",
		Config:       runtimeConfig{User: user, Entrypoint: []string{files[0].Path}, WorkingDir: "/"},
		RootFS:       rootFS{Type: "layers", DiffIDs: []string{"sha256:" + digest(layer)}},
	})
	if err != nil {
		return nil, err
	}
	configName, layerName := digest(config)+".json", digest(layer)+".tar"
	index, err := json.Marshal([]manifest{{Config: configName, RepoTags: []string{tag}, Layers: []string{layerName}}})
	if err != nil {
		return nil, err
	}
	return packTar([]entry{
		{name: "manifest.json", mode: 0o644, data: index},
		{name: configName, mode: 0o644, data: config},
		{name: layerName, mode: 0o644, data: layer},
	})
}

func digest(data []byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(data))
}
