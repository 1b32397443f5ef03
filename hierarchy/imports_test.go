// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy_test

import (
	"testing"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
)

func TestImports(t *testing.T) { foresttest.CheckImports(t) }
