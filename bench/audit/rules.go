// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"fmt"
	"slices"
)

// rules are all that there are, in the order of the table, and what each of them
// judges.
var rules = []struct{ name, judges string }{
	{RuleOwner, "writes into namespaces and of what has none"},
	{RuleStamp, "writes in namespaces that were moving with a stamp"},
	{RuleTransfer, "writes of Leases"},
	{RuleFence, "writes into namespaces and of what has none, and lives that others ended"},
	{RuleGap, "gaps of causes with a limit"},
	{RuleMoves, "shards in scenarios"},
	{RuleCost, "writes of Leases in steady times"},
	{RuleConditional, "updates, patches and deletions"},
	{RuleFresh, "changes of probes"},
	{RuleEpoch, "writes into namespaces"},
	{RuleEvidence, "rules that had to judge something"},
}

// Rules returns the names of all rules, in the order in which reports list them.
func Rules() []string {
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	return names
}

// Judged says how much the verdict of one rule rests on.
type Judged struct {
	Rule string
	// Of says what is counted.
	Of string
	// Judged is how many of them there were, Excused how many of these were
	// allowed only with a reason, and Violations what the rule found.
	Judged, Excused, Violations int
}

// judgeEvidence: there is something to judge, and each rule that must judge
// something did. A checker that judged nothing shows nothing.
func (c *check) judgeEvidence() {
	c.judged[RuleEvidence]++
	if c.report.Counts.Writes == 0 {
		c.report.Violations = append(c.report.Violations, Violation{
			Rule: RuleEvidence, Explanation: "nothing to check: no write by " + c.world.cfg.ServiceAccount,
		})
		return
	}
	for _, rule := range c.world.cfg.required() {
		c.judged[RuleEvidence]++
		if c.judged[rule] == 0 {
			c.report.Violations = append(c.report.Violations, Violation{
				Rule: RuleEvidence, Explanation: fmt.Sprintf("%s judged nothing", rule),
			})
		}
	}
}

// required are the rules that must judge something: those that were named, and
// those that were given something to judge.
func (cfg Config) required() []string {
	required := slices.Clone(cfg.Require)
	for rule, given := range map[string]int{
		RuleMoves: len(cfg.Marks.Scenarios), RuleCost: len(cfg.Marks.Steady), RuleFresh: len(cfg.Marks.Probes),
	} {
		if given > 0 {
			required = append(required, rule)
		}
	}
	slices.Sort(required)
	return slices.Compact(required)
}

// count makes the table of rules, once all of them have judged.
func (c *check) count() {
	violations := map[string]int{}
	for _, v := range c.report.Violations {
		violations[v.Rule]++
	}
	for _, r := range rules {
		c.report.Rules = append(c.report.Rules, Judged{
			Rule: r.name, Of: r.judges, Judged: c.judged[r.name], Excused: c.excused[r.name], Violations: violations[r.name],
		})
	}
}
