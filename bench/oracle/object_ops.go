// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package oracle

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
)

func (t turn) blank() *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(groups[t.Kind].WithKind(t.Kind))
	u.SetNamespace(t.Namespace)
	u.SetName(t.Name)
	return u
}

// read returns nil if there is no such object.
func (t turn) read() (*unstructured.Unstructured, error) {
	u := t.blank()
	err := t.Get(t.ctx, client.ObjectKeyFromObject(u), u)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return u, err
}

func isCopy(u *unstructured.Unstructured) bool { return u.GetLabels()[api.LabelInheritedFrom] != "" }

// reads one's own object, or says why there is none.
func (t turn) readOwn() (*unstructured.Unstructured, outcome, error) {
	switch u, err := t.read(); {
	case err != nil:
		return nil, "", err
	case u == nil:
		return nil, absent, nil
	case isCopy(u):
		return nil, ousted, nil
	case u.GetDeletionTimestamp() != nil:
		return nil, dying, nil
	default:
		return u, "", nil
	}
}

func (t turn) wroteObject(u *unstructured.Unstructured) {
	o := objectOf(*u)
	t.wrote(o.subject().What, o.text())
}

// putObject creates one's own object or gives it a new content. If the API server
// does not let it be changed, it is made anew.
func putObject(t turn) (outcome, error) {
	if t.in == "" {
		return absent, nil
	}
	u, why, err := t.readOwn()
	if err != nil || why != "" && why != absent {
		return why, err
	}
	if u != nil {
		content(u, t.Value)
		err := t.Update(t.ctx, u)
		if err == nil {
			t.wroteObject(u)
			return done, nil
		}
		if !apierrors.IsInvalid(err) {
			return "", err
		}
		if result, err := removeObject(t); err != nil || result != done {
			return result, err
		}
	}
	u = t.blank()
	content(u, t.Value)
	if err := t.Create(t.ctx, u); err != nil {
		return "", err
	}
	t.wroteObject(u)
	return done, nil
}

func removeObject(t turn) (outcome, error) {
	u, why, err := t.readOwn()
	if err != nil || why != "" {
		return why, err
	}
	if err := t.Delete(t.ctx, u, version(u)); err != nil {
		return "", err
	}
	if len(u.GetFinalizers()) > 0 {
		// It becomes a matter of whoever keeps the finalizer.
		t.wrote(t.Kind+" "+t.Name, "")
		return dying, nil
	}
	t.wrote(t.Kind+" "+t.Name, "")
	return done, nil
}

func version(u *unstructured.Unstructured) client.Preconditions {
	uid, version := u.GetUID(), u.GetResourceVersion()
	return client.Preconditions{UID: &uid, ResourceVersion: &version}
}

// holdObject puts a finalizer on one's own object, or takes it off.
func holdObject(t turn) (outcome, error) {
	u, why, err := t.readOwn()
	if err != nil || why != "" {
		return why, err
	}
	u.SetFinalizers(nil)
	if t.Value != "" {
		u.SetFinalizers([]string{finalizer})
	}
	if err := t.Update(t.ctx, u); err != nil {
		return "", err
	}
	t.wroteObject(u)
	return done, nil
}

const finalizer = "oracle.example/hold"

// meddle does something to a copy, behind Banyan's back.
func meddle(t turn) (outcome, error) {
	u, err := t.read()
	if err != nil || u == nil {
		return absent, err
	}
	if !isCopy(u) {
		return nothing, nil
	}
	labels := u.GetLabels()
	switch t.Value {
	case "delete":
		return done, t.Delete(t.ctx, u, version(u))
	case "relabel":
		labels["meddled"] = "yes"
		u.SetLabels(labels)
	case "misattribute":
		labels[api.LabelInheritedFrom] = "nowhere"
		u.SetLabels(labels)
	case "strip":
		// It is the user's then, and as any of those may be replaced; only of
		// shared names is that expected.
		if !strings.HasPrefix(t.Name, shared) {
			return nothing, nil
		}
		delete(labels, api.LabelInheritedFrom)
		u.SetLabels(labels)
		if err := t.Update(t.ctx, u); err != nil {
			return "", err
		}
		t.wroteObject(u)
		return done, nil
	default:
		content(u, t.Value)
		labels["number"] = t.Value
		u.SetLabels(labels)
	}
	return done, t.Update(t.ctx, u)
}

// forge makes an object that claims to be a copy, and is none.
func forge(t turn) (outcome, error) {
	if t.in == "" {
		return absent, nil
	}
	if u, err := t.read(); err != nil || u != nil {
		return nothing, err
	}
	u := t.blank()
	content(u, t.Value)
	u.SetLabels(map[string]string{api.LabelInheritedFrom: Roots[0]})
	return done, t.Create(t.ctx, u)
}

// content is given to an object by the words of a choice: a number, and perhaps
// what is to be special about it.
func content(u *unstructured.Unstructured, choice string) {
	words := strings.Split(choice, "|")
	number := words[0]
	switch u.GetKind() {
	case "Role":
		u.Object["rules"] = []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": []any{"get", "verb" + number}}}
	case "RoleBinding":
		u.Object["roleRef"] = map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "role-" + map[string]string{"0": "even", "1": "odd", "2": "even", "3": "odd"}[number]}
		u.Object["subjects"] = []any{map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "user-" + number}}
	case "ConfigMap":
		u.Object["data"] = map[string]any{"number": number}
		if number == "2" {
			u.Object["immutable"] = true
		}
	case "Secret":
		u.Object["data"] = map[string]any{"number": "bnVtYmVy"}
		u.Object["type"] = "oracle.example/" + number
	}
	u.SetLabels(map[string]string{"number": number})
	annotations := map[string]string{"written-by": "a user"}
	for _, pair := range words[1:] {
		if key, value, ok := strings.Cut(pair, "="); ok {
			if !strings.Contains(key, "/") {
				key = fmt.Sprintf("%s/%s", api.AnnotationPropagatePrefix, key)
			}
			annotations[key] = value
		}
	}
	u.SetAnnotations(annotations)
}
