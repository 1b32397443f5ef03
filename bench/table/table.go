// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package table prints numbers in columns, for a terminal and as Markdown.
package table

import (
	"strings"
	"unicode/utf8"
)

// Table has a head and rows of as many cells. The first column holds names and is
// aligned left; all others hold numbers and are aligned right.
type Table struct {
	Head []string
	Rows [][]string
}

// Add a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Text is the table for a terminal.
func (t *Table) Text() string {
	var b strings.Builder
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		b.WriteString(strings.TrimRight(strings.Join(t.pad(row), "  "), " ") + "\n")
	}
	return b.String()
}

// Markdown is the table for a page. It is aligned in its source, too.
func (t *Table) Markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(t.pad(t.Head))
	rule := make([]string, len(t.Head))
	for i, width := range t.widths() {
		rule[i] = strings.Repeat("-", max(width-1, 2))
		if i == 0 {
			rule[i] += "-"
		} else {
			rule[i] += ":"
		}
	}
	line(rule)
	for _, row := range t.Rows {
		line(t.pad(row))
	}
	return b.String()
}

func (t *Table) pad(row []string) []string {
	padded := make([]string, len(t.Head))
	for i, width := range t.widths() {
		cell := ""
		if i < len(row) {
			cell = row[i]
		}
		space := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
		if i == 0 {
			padded[i] = cell + space
		} else {
			padded[i] = space + cell
		}
	}
	return padded
}

// widths are at least 3, since the rule of a Markdown table needs as much.
func (t *Table) widths() []int {
	widths := make([]int, len(t.Head))
	for i := range widths {
		widths[i] = max(3, utf8.RuneCountInString(t.Head[i]))
		for _, row := range t.Rows {
			if i < len(row) {
				widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
			}
		}
	}
	return widths
}
