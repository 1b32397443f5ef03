// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package hierarchy

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// stuckAfter is how long Kubernetes must have reported that something is left in
// a dying subnamespace before its anchor, and so the namespace of that, waits no
// longer. It reports the same, for a while, of every namespace with pods that
// take their time to end. So the report alone is no reason, and the time is
// twice what a pod gets by default.
//
// Clocks that disagree make it a little shorter or longer. That is harmless:
// nothing is deleted by letting an anchor go.
const stuckAfter = time.Minute

// remaining lists the conditions by which Kubernetes tells what keeps a
// namespace from ending, the most telling first.
var remaining = []corev1.NamespaceConditionType{
	corev1.NamespaceFinalizersRemaining,
	corev1.NamespaceContentRemaining,
	corev1.NamespaceDeletionContentFailure,
	corev1.NamespaceDeletionDiscoveryFailure,
}

// instances counts what is left. The count goes down, and each step would be a
// write.
var instances = regexp.MustCompile(`\.?( has| in) \d+ resource instances`)

// remains returns what is left in a dying namespace, in words, and since when
// anything is. It is empty if Kubernetes reports nothing.
func remains(namespace *corev1.Namespace) (left string, since int64) {
	var all []string
	for _, kind := range remaining {
		for _, c := range namespace.Status.Conditions {
			if c.Type != kind || c.Status != corev1.ConditionTrue {
				continue
			}
			all = append(all, strings.TrimSpace(instances.ReplaceAllString(c.Message, "")))
			if at := c.LastTransitionTime.Unix(); since == 0 || at < since {
				since = at
			}
		}
	}
	return brief(strings.Join(all, "; ")), since
}

// release returns how long the anchor still has to wait for a namespace in which
// something is left. It is never longer than the whole time, so that a clock
// that is far off is looked at again.
func (s standing) release(now metav1.Time) time.Duration {
	return min(stuckAfter-now.Sub(time.Unix(s.leftSince, 0)), stuckAfter)
}

// stuck tells that an anchor goes before its namespace.
func (s standing) stuck(anchor *api.SubnamespaceAnchor) Note {
	return Note{
		Reason: api.ReasonSubnamespaceStuck,
		Message: fmt.Sprintf("The anchor of the subnamespace %q is released, so that %q can be deleted, although %[1]q is not gone: %[3]s; remove what is left by hand.",
			anchor.Name, anchor.Namespace, s.left),
	}
}
