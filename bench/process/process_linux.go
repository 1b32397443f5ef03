// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package process

import "syscall"

// tiedToParent makes the kernel kill the child when its parent dies, however it dies. A group of its own keeps the terminal's
// interrupt away from the child, so that the parent decides the order in which things stop.
func tiedToParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
