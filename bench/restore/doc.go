// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package restore brings small trees back from a backup, object by object, in every
// order in which that is possible at all, and requires that all end up the same.
package restore
