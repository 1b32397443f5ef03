// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package webhook answers admission requests from the forest: decode the
// request, ask validate, encode the verdict.
//
// Every replica serves all paths, whatever it owns. A verdict is advice about a
// forest that may be a moment old; what slips through becomes a condition. One
// thing must not slip through, a cycle: new parents are granted by Moves, which
// trusts no cache, and on which all replicas agree.
package webhook
