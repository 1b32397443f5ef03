// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package validate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

// HNCConfiguration judges a change of the HNCConfiguration. The old one is nil if
// it is being created. The lookup is asked only if ChangesTypes.
func HNCConfiguration(f *hierarchy.Forest, tracked []propagate.Tracked, old, new *api.HNCConfiguration, lookup propagate.Lookup) Verdict {
	if !ChangesTypes(old, new) {
		return Allow()
	}
	resolution := propagate.Resolve(new.Spec, lookup)
	if causes := specCauses(new.Spec, resolution); len(causes) > 0 {
		return DenyInvalid(causes)
	}
	return first(
		func() Verdict { return modeConflicts(f, tracked, resolution) },
		func() Verdict { return unseen(tracked, resolution) },
	)
}

// ChangesTypes reports whether the change is about types at all. A status and
// finalizers can always be written. Of other names than the one that is legal,
// the API server has the definition to judge by.
func ChangesTypes(old, new *api.HNCConfiguration) bool {
	return new.Name == api.HNCConfigurationName &&
		(old == nil || !equality.Semantic.DeepEqual(old.Spec, new.Spec))
}

// specCauses puts each fault beside the entry that it is about. Each entry is
// either active or faulty, and both come in the order of the spec. Of entries
// that read the same, the first is active, if any.
func specCauses(spec api.HNCConfigurationSpec, r propagate.Resolution) []metav1.StatusCause {
	active, faults := named(r), r.Faults
	var causes []metav1.StatusCause
	for i, entry := range spec.Resources {
		if len(active) > 0 && active[0].Group == entry.Group && active[0].Resource == entry.Resource {
			active = active[1:]
			continue
		}
		if len(faults) == 0 {
			break
		}
		causes = append(causes, metav1.StatusCause{
			Type: causeType(faults[0].Reason), Field: fmt.Sprintf("spec.resources[%d]", i), Message: strings.TrimSuffix(faults[0].Message, "."),
		})
		faults = faults[1:]
	}
	return causes
}

func causeType(reason string) metav1.CauseType {
	switch reason {
	case propagate.ReasonMultipleConfigurationsForType:
		return metav1.CauseTypeFieldValueDuplicate
	case propagate.ReasonResourceNotFound:
		return metav1.CauseTypeFieldValueNotFound
	}
	return metav1.CauseTypeFieldValueInvalid
}

// named are the types that are active because the spec names them.
func named(r propagate.Resolution) []propagate.Active {
	enforced := propagate.Resolve(api.HNCConfigurationSpec{}, nil).Active
	return r.Active[len(enforced):]
}

// modeConflicts: no change of a mode replaces the object of a user.
func modeConflicts(f *hierarchy.Forest, tracked []propagate.Tracked, r propagate.Resolution) Verdict {
	var clashes []clash
	for _, active := range named(r) {
		t, ok := trackedType(tracked, active)
		if ok && propagate.Copies(active.Mode) && propagate.Mode(active.Mode) != propagate.Mode(t.Mode) {
			was, is := world{f, t.Objects, t.Mode}, world{f, t.Objects, active.Mode}
			clashes = append(clashes, newClashes(was, is, namesakes(t.Objects))...)
		}
	}
	return judgeClashes("spec.resources", clashes, "rename or delete one of each two, or have the upper one exclude the namespace by an annotation of "+
		api.AnnotationPropagatePrefix+", or choose the mode AllowPropagate, which replaces nothing")
}

// unseen warns of what could not be looked for.
func unseen(tracked []propagate.Tracked, r propagate.Resolution) Verdict {
	v := Allow()
	for i, active := range named(r) {
		t, ok := trackedType(tracked, active)
		if propagate.Mode(active.Mode) == api.Propagate && !(ok && t.Awake) {
			v.Warnings = append(v.Warnings, fmt.Sprintf("spec.resources[%d]: objects of kind %s have not been read yet, so nobody knows whether any will be replaced by those of ancestors; the mode AllowPropagate replaces none", i, active.GVK.Kind))
		}
	}
	return v
}

func trackedType(tracked []propagate.Tracked, active propagate.Active) (propagate.Tracked, bool) {
	i := slices.IndexFunc(tracked, func(t propagate.Tracked) bool { return t.GVK.GroupKind() == active.GVK.GroupKind() })
	if i < 0 {
		return propagate.Tracked{}, false
	}
	return tracked[i], true
}

// namesakes are all objects of users whose name another one has, too. No others
// can clash, and there are few of them.
func namesakes(objects *propagate.Objects) []propagate.Key {
	number := map[string]int{}
	for o := range objects.All {
		if !o.IsCopy() {
			number[o.Name]++
		}
	}
	var keys []propagate.Key
	for o := range objects.All {
		if !o.IsCopy() && number[o.Name] > 1 {
			keys = append(keys, o.Key())
		}
	}
	slices.SortFunc(keys, func(a, b propagate.Key) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Namespace, b.Namespace))
	})
	return keys
}
