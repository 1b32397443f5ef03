// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package gate

// point of a write, at which a replica under test can be stopped.
type point string

const (
	beforeBegin point = "before-begin"
	afterBegin  point = "after-begin"
	afterCheck  point = "after-check"
	afterWrite  point = "after-write"
)
