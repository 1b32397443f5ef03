// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/pflag"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// callTimeout bounds each call of the API, unless --request-timeout says otherwise.
const callTimeout = 5 * time.Second

// cluster is the way to the API server. A verb takes it only when it runs, so
// that a wrong argument is reported even where no cluster can be reached.
type cluster interface {
	// Client returns a client that reads and writes without a cache.
	Client() (client.Client, error)
	// Namespace returns the namespace that -n or else the kubeconfig names.
	Namespace() (string, error)
}

// kubeconfig is the cluster that the usual flags and files of kubectl name.
type kubeconfig struct {
	flags    *pflag.FlagSet
	config   *genericclioptions.ConfigFlags
	warnings io.Writer
}

// newKubeconfig adds the usual flags to the given ones.
func newKubeconfig(flags *pflag.FlagSet, warnings io.Writer) *kubeconfig {
	config := genericclioptions.NewConfigFlags(true)
	config.AddFlags(flags)
	return &kubeconfig{flags: flags, config: config, warnings: warnings}
}

func (k *kubeconfig) Client() (client.Client, error) {
	config, err := k.restConfig()
	if err != nil {
		return nil, err
	}
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", config.Host, err)
	}
	return c, nil
}

func (k *kubeconfig) restConfig() (*rest.Config, error) {
	config, err := k.config.ToRESTConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	if !k.flags.Changed("request-timeout") {
		config.Timeout = callTimeout
	}
	// The API server limits its clients itself.
	config.QPS = -1
	config.WarningHandler = rest.NewWarningWriter(k.warnings, rest.WarningWriterOptions{Deduplicate: true})
	return config, nil
}

func (k *kubeconfig) Namespace() (string, error) {
	if k.flags.Changed("namespace") && *k.config.Namespace == "" {
		return "", errors.New("--namespace is empty; name a namespace, or leave the flag out")
	}
	namespace, _, err := k.config.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", fmt.Errorf("reading the kubeconfig: %w", err)
	}
	return namespace, nil
}

// newScheme knows what the verbs read and write.
func newScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	builder := runtime.NewSchemeBuilder(corev1.AddToScheme, coordinationv1.AddToScheme, api.AddToScheme)
	if err := builder.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("registering the API types: %w", err)
	}
	return scheme, nil
}
