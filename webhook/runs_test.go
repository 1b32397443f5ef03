// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build !race

package webhook

// runs of the sound model, none of which may fail. One thing happens at a time there, so
// that the race detector has nothing to find, and takes long for it.
const runs = tries
