// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package process runs the children of a rig: they log to a file, end when they are told to, and never outlive their parent.
package process
