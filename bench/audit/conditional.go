// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

// conditional is C8: it returns what a write of a replica lacks that would make it
// fail if the object is not what the replica believed. Creates fail by themselves
// if the object exists. Leases are never deleted; their updates are judged as
// others are. Events are nobody's state.
func conditional(e *event) (missing string) {
	isLease := e.ref.group == "coordination.k8s.io"
	if e.request.opaque || e.ref.resource == "events" {
		return ""
	}
	switch e.verb {
	case "update", "patch":
		if e.request.version == "" {
			return "the body carries no resourceVersion"
		}
	case "delete":
		switch {
		case isLease:
		case !e.request.uid && e.request.version == "":
			return "it has no preconditions"
		case !e.request.uid:
			return "it has no precondition on the UID"
		case e.request.version == "":
			return "it has no precondition on the resourceVersion"
		}
	case "deletecollection":
		return "a collection cannot be deleted with preconditions"
	}
	return ""
}
