// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package config holds everything that is applied to a cluster, and embeds it.
//
// The files are valid as they are: kustomize only collects them, so that what
// a test applies from here is what a user applies with kubectl.
package config

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Dirs are the embedded folders, each with the manifests of one subject.
var Dirs = []string{"crd", "rbac", "manager", "webhook", "policy", "flowcontrol"}

//go:embed crd rbac manager webhook policy flowcontrol
var manifests embed.FS

// kustomization is the one file of each folder that is not a manifest.
const kustomization = "kustomization.yaml"

// CRDs returns the four CustomResourceDefinitions, sorted by name.
func CRDs() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	err := eachDocument("crd", func(doc []byte) error {
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(doc, crd); err != nil {
			return err
		}
		crds = append(crds, crd)
		return nil
	})
	return crds, err
}

// Objects returns the objects of the given folders, or of all Dirs when none is
// given, in an order in which they can be applied one after the other. Each
// call returns objects of its own.
func Objects(dir ...string) ([]*unstructured.Unstructured, error) {
	if len(dir) == 0 {
		dir = Dirs
	}
	var objects []*unstructured.Unstructured
	for _, d := range dir {
		err := eachDocument(d, func(doc []byte) error {
			object, err := decode(doc)
			if err != nil {
				return err
			}
			objects = append(objects, object)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	sortForApply(objects)
	return objects, nil
}

// decode refuses duplicate keys, which YAML parsers otherwise resolve in silence.
func decode(doc []byte) (*unstructured.Unstructured, error) {
	json, err := yaml.YAMLToJSONStrict(doc)
	if err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(json); err != nil {
		return nil, err
	}
	return object, nil
}

// eachDocument calls do with every YAML document of a folder, in the order of
// file names, and stops at the first error.
func eachDocument(dir string, do func(doc []byte) error) error {
	entries, err := fs.ReadDir(manifests, dir)
	if err != nil {
		return fmt.Errorf("reading manifests: %w", err)
	}
	for _, entry := range entries {
		if entry.IsDir() || path.Ext(entry.Name()) != ".yaml" || entry.Name() == kustomization {
			continue
		}
		file := path.Join(dir, entry.Name())
		data, err := manifests.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading manifests: %w", err)
		}
		if err := eachDocumentOf(data, do); err != nil {
			return fmt.Errorf("decoding %s: %w", file, err)
		}
	}
	return nil
}

func eachDocumentOf(data []byte, do func(doc []byte) error) error {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if isBlank(doc) {
			continue
		}
		if err := do(doc); err != nil {
			return err
		}
	}
}

// isBlank says whether a document holds nothing but comments and separators,
// as the text before a leading "---" does.
func isBlank(doc []byte) bool {
	for line := range bytes.Lines(doc) {
		line = bytes.TrimSpace(line)
		if len(line) > 0 && line[0] != '#' && !bytes.Equal(line, []byte("---")) {
			return false
		}
	}
	return true
}
