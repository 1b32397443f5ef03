// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package v1alpha2 is the language in which users and Banyan speak: the four
// kinds of API group hnc.x-k8s.io, and every label, annotation and finalizer
// that Banyan reads or writes.
//
// The JSON of each kind is that of HNC, field by field, so that objects stored
// by HNC are read and written without conversion. Two properties are inherited
// from it on purpose: no kind has a status subresource, and nothing is
// defaulted by the API server.
//
// +kubebuilder:object:generate=true
// +groupName=hnc.x-k8s.io
package v1alpha2
