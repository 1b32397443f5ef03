// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"errors"
	"fmt"
)

// writesPerSubnamespace is what one may cost: all that Banyan writes for it but its
// copies, and what it writes to the root because of it.
const writesPerSubnamespace = 4

// copied are the resources of the copies.
var copied = []string{"roles", "rolebindings"}

// notForSubnamespaces is written whether a subnamespace comes or not, or is
// counted by itself.
var notForSubnamespaces = append([]string{"leases"}, copied...)

// judge returns every promise that was broken.
func (r result) judge(goal float64) error {
	var broken []error
	for _, p := range r.phases {
		if !p.bare {
			broken = append(broken, p.judge())
		}
	}
	if len(r.violations) > 0 {
		v := r.violations[0]
		broken = append(broken, fmt.Errorf("%d writes were not allowed, the first: %s: %s: %s", len(r.violations), v.Rule, v.Object, v.Explanation))
	}
	if ratio := median(r.ratios(fanOut)); goal > 0 && ratio > goal {
		broken = append(broken, fmt.Errorf("the fan-out took %.2f times as long as bare creates; the goal is %.2f", ratio, goal))
	}
	return errors.Join(broken...)
}

// judge the writes of one phase. Refused requests count as well: they cost the same.
func (p phase) judge() error {
	if p.name == grow {
		return p.judgeGrowth()
	}
	var broken []error
	if wrote := p.others().Of(copied...); wrote != p.objects {
		broken = append(broken, fmt.Errorf("%s in round %d: %d write requests for %d copies; it should be one for each", p.title(), p.round, wrote, p.objects))
	}
	if wrote := p.banyan.Of(copied...); wrote != p.objects {
		broken = append(broken, fmt.Errorf("%s in round %d: by the audit log, Banyan wrote %d times for %d copies; it should be once for each", p.title(), p.round, wrote, p.objects))
	}
	return errors.Join(broken...)
}

func (p phase) judgeGrowth() error {
	wrote := p.banyan.Except(notForSubnamespaces...)
	if most := writesPerSubnamespace * p.objects; wrote > most {
		return fmt.Errorf("%s in round %d: %d writes for %d subnamespaces, which is %.2f for each; there should be at most %d",
			p.title(), p.round, wrote, p.objects, float64(wrote)/float64(p.objects), writesPerSubnamespace)
	}
	return nil
}
