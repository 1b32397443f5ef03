// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate

import api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"

// Mode returns the mode that counts. A type whose mode was left out is
// propagated; one whose mode we do not know is left alone.
func Mode(mode api.SynchronizationMode) api.SynchronizationMode {
	switch mode {
	case "":
		return api.Propagate
	case api.Propagate, api.AllowPropagate, api.Remove:
		return mode
	}
	return api.Ignore
}

// Copies reports whether copies are made in a mode.
func Copies(mode api.SynchronizationMode) bool {
	mode = Mode(mode)
	return mode == api.Propagate || mode == api.AllowPropagate
}
