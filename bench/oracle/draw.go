// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"fmt"
	"math/rand/v2"
)

// drawName gives an object a name of its own, or one that others have, too.
func drawName(r *rand.Rand, o *Operation) {
	o.Namespace, o.Kind = anyNamespace(r), pick(r, Kinds...)
	o.Name = fmt.Sprintf("own-%s-%d", o.Namespace, r.IntN(2))
	if r.IntN(2) == 0 {
		o.Name = fmt.Sprintf("%s%d", shared, r.IntN(2))
	}
}

func drawObject(r *rand.Rand, o *Operation) {
	drawName(r, o)
	o.Value = fmt.Sprint(r.IntN(4))
	if r.IntN(2) == 0 {
		o.Value += "|" + drawException(r)
	}
	if r.IntN(10) == 0 {
		o.Value += "|" + drawException(r)
	}
}

// drawException returns an annotation that says where an object is to go.
func drawException(r *rand.Rand) string {
	one, other := anyNamespace(r), anyNamespace(r)
	return pick(r,
		"select=color=red", "select=color!=red", "select=color in (red,blue)", "select=!color", "select="+one+treeSuffix, "select=$bad", "select=",
		"treeSelect="+one, "treeSelect=!"+one, "treeSelect=!"+one+", !"+other, "treeSelect="+one+", !"+other, "treeSelect="+one+","+other,
		"treeSelect="+one+",", "treeSelect=!nosuch", "treeSelect=!"+one,
		"none=true", "none=false", "none=maybe", "none=", "all=true", "all=true", "all=false", "all=always",
		"openshift.io/description=it stays here",
	)
}

func drawHold(r *rand.Rand, o *Operation) {
	drawName(r, o)
	o.Value = pick(r, "", "yes")
}

// drawMeddling is about names that may be those of copies.
func drawMeddling(r *rand.Rand, o *Operation) {
	drawName(r, o)
	if r.IntN(2) == 0 {
		o.Name = fmt.Sprintf("own-%s-%d", anyNamespace(r), r.IntN(2))
	}
	o.Value = pick(r, "delete", "delete", "relabel", "misattribute", "strip", "0", "1", "2", "3")
}

func drawForgery(r *rand.Rand, o *Operation) {
	drawName(r, o)
	o.Value = fmt.Sprint(r.IntN(4))
	if r.IntN(2) == 0 {
		o.Name = "forged"
	}
}
