// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package admission asked every rule of admission twice, through a real API server and each of three replicas, and then went on
// when all three were dead.
package admission
