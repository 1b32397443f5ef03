// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build !brokenclock

package lease

import (
	"context"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// misjudge nobody by a clock of another host, in everything that is shipped.
func (m *Member) misjudge(context.Context, *coordinationv1.Lease) {}
