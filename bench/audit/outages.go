// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import "time"

// silence is how long no write of anybody succeeds before that counts as an outage
// of the API server. Each replica writes every two seconds.
const silence = 5 * time.Second

// outages are those that the rig told, or else those that the log shows.
func outages(events []*event, told []Span) []Span {
	if len(told) > 0 {
		return told
	}
	var found []Span
	var last time.Time
	for _, e := range byTime(events) {
		if e.outcome != done || e.hidden {
			continue
		}
		if !last.IsZero() && e.answered.Sub(last) > silence {
			found = append(found, Span{From: last, To: e.answered})
		}
		last = e.answered
	}
	return found
}
