// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package table

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

func TestTable(t *testing.T) {
	tests := map[string]struct {
		table                  Table
		wantText, wantMarkdown string
	}{
		"names to the left, numbers to the right": {
			table: Table{Head: []string{"phase", "s"}, Rows: [][]string{{"fan out", "4.25"}, {"grow", "12.00"}}},
			wantText: `phase        s
fan out   4.25
grow     12.00
`,
			wantMarkdown: `| phase   |     s |
| ------- | ----: |
| fan out |  4.25 |
| grow    | 12.00 |
`,
		},
		"a short row ends with empty cells": {
			table: Table{Head: []string{"a", "b", "c"}, Rows: [][]string{{"only"}}},
			wantText: `a       b    c
only
`,
			wantMarkdown: `| a    |   b |   c |
| ---- | --: | --: |
| only |     |     |
`,
		},
		"letters are counted, not bytes": {
			table:    Table{Head: []string{"é", "n"}, Rows: [][]string{{"aé", "1"}}},
			wantText: "é      n\naé     1\n",
			wantMarkdown: `| é   |   n |
| --- | --: |
| aé  |   1 |
`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, cmp.Diff(tc.wantText, tc.table.Text()))
			require.Empty(t, cmp.Diff(tc.wantMarkdown, tc.table.Markdown()))
		})
	}
}
