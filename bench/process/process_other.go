// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build !linux

package process

import "syscall"

// tiedToParent has nothing to tie with outside Linux: there, children of a parent that was killed stay until somebody ends them.
func tiedToParent() *syscall.SysProcAttr { return nil }
