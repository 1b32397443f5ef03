// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// Arrival says how far the inherited objects of a subnamespace have come. A
// Forest knows no objects, so the caller also looks at the anchor again when
// this changes.
type Arrival struct {
	// Awaited counts the copies that are still to be made or replaced.
	Awaited int

	// Failed counts those of them whose last write was refused.
	Failed int

	// Example is one of them, such as "Role reader", preferably one that
	// failed, with the reason. To change it costs a write.
	Example string

	// Waited is the time since the caller first saw this namespace wait, by its
	// own clock; 0 if it just did.
	Waited time.Duration
}

// word is what an anchor says: its state and its condition Ready.
type word struct {
	state           api.AnchorState
	status          metav1.ConditionStatus
	reason, message string
}

// readiness tells for each reason what is the matter, and what helps. Each has
// room for the name of the namespace and one detail.
var readiness = map[string]string{
	api.ReasonArrived:           "The namespace %q is in its tree, and all that it inherits has arrived.",
	api.ReasonNamespaceMissing:  "The namespace %q does not exist; it is made as soon as this anchor may have it. If that lasts, see whether another anchor claims the name, and the log of the controller.",
	api.ReasonNamespaceConflict: "The namespace %q %s; delete this anchor, and choose another name.",
	api.ReasonNameForbidden:     "A subnamespace cannot be named %q: %s; delete this anchor, and choose another name.",
	api.ReasonHalted:            "Nothing is copied to the namespace %q, because %q is halted; see the conditions of the HierarchyConfiguration in %[2]q.",
	api.ReasonObjectsAwaited:    "Not all that the namespace %q inherits has arrived. Nothing needs to be done unless this lasts; if it does, see the events in %[1]q.",
	api.ReasonObjectsFailed:     "Some of what the namespace %q inherits cannot be written there: %s; remove the cause, it will be tried again.",
}

func (s standing) says(anchor *api.SubnamespaceAnchor, reason string, detail ...any) word {
	return s.speaks(reason, fmt.Sprintf(readiness[reason], append([]any{anchor.Name}, detail...)...))
}

func (s standing) speaks(reason, message string) word {
	return word{s.state, metav1.ConditionFalse, reason, message}
}

// word says what a living anchor should say. The first thing that stands in the
// way counts.
func (s standing) word(anchor *api.SubnamespaceAnchor, arrival Arrival) word {
	switch {
	case s.state == api.Forbidden:
		return s.says(anchor, api.ReasonNameForbidden, s.why)
	case s.state == api.Missing:
		return s.says(anchor, api.ReasonNamespaceMissing)
	case s.terminating:
		return s.speaks(api.ReasonTerminating, fmt.Sprintf("The namespace %q is being deleted%s; once it is gone, it is made anew. To prevent that, delete this anchor.", anchor.Name, s.butLeft()))
	case s.why != "":
		// Also if the annotation names this anchor, but another system has put
		// the namespace elsewhere.
		return s.says(anchor, api.ReasonNamespaceConflict, s.why)
	case s.halted != "":
		return s.says(anchor, api.ReasonHalted, s.halted)
	case arrival.Failed > 0:
		return s.says(anchor, api.ReasonObjectsFailed, brief(arrival.Example))
	case arrival.Awaited > 0 || !s.placed:
		return s.says(anchor, api.ReasonObjectsAwaited)
	}
	return s.arrived(anchor)
}

func (s standing) arrived(anchor *api.SubnamespaceAnchor) word {
	w := s.says(anchor, api.ReasonArrived)
	w.status = metav1.ConditionTrue
	return w
}

// lastWord says what an anchor should say that is being deleted.
func (s standing) lastWord(anchor *api.SubnamespaceAnchor) word {
	text := "This anchor is being deleted."
	if s.state == api.Ok {
		switch {
		case s.terminating || s.goes && holdsAnchor(anchor):
			text = fmt.Sprintf("This anchor is being deleted together with its namespace %q%s.", anchor.Name, s.butLeft())
		default:
			text = fmt.Sprintf("This anchor is being deleted, and its namespace %q stays; delete that by itself if it is not wanted.", anchor.Name)
		}
	}
	return s.speaks(api.ReasonTerminating, text)
}

func (s standing) butLeft() string {
	if s.left == "" {
		return ""
	}
	return fmt.Sprintf(", but something is left in it that must be removed (%s)", s.left)
}

// write brings state, condition and finalizer up to date in one write.
func (w word) write(anchor *api.SubnamespaceAnchor, finalizer bool, now metav1.Time, why string) Action {
	after := anchor.DeepCopy()
	after.Status.State = w.state
	after.Status.Conditions = w.conditions(anchor.Status.Conditions, now)
	setFinalizer(after, api.FinalizerAnchor, finalizer)
	return patch(anchor, after, why)
}

// conditions puts Ready in its place and leaves other types to those who set
// them. Its time is that of the last change from True to False or back.
func (w word) conditions(stood []metav1.Condition, now metav1.Time) []metav1.Condition {
	ready := metav1.Condition{
		Type: api.ConditionReady, Status: w.status, Reason: w.reason, Message: w.message, LastTransitionTime: now.Rfc3339Copy(),
	}
	conditions := slices.Clone(stood)
	at := slices.IndexFunc(conditions, isReadyType)
	if at < 0 {
		return append(conditions, ready)
	}
	if old := conditions[at]; old.Status == ready.Status && !old.LastTransitionTime.IsZero() {
		ready.LastTransitionTime = old.LastTransitionTime
	}
	conditions[at] = ready
	return conditions
}

// brief cuts what others wrote. The API server refuses messages beyond its
// limits, and with them the whole write.
func brief(text string) string {
	const limit = 600
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "..."
}

func isReadyType(c metav1.Condition) bool { return c.Type == api.ConditionReady }

// IsReady reports what the anchor says of itself.
func IsReady(anchor *api.SubnamespaceAnchor) bool {
	return slices.ContainsFunc(anchor.Status.Conditions, func(c metav1.Condition) bool {
		return isReadyType(c) && c.Status == metav1.ConditionTrue
	})
}
