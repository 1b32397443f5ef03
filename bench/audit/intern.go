// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

// interned keeps one of each string. A log of a million events has few writers,
// kinds, namespaces and names, and they would fill the memory otherwise.
type interned map[string]string

func (i interned) one(s string) string {
	if known, found := i[s]; found {
		return known
	}
	i[s] = s
	return s
}

func (i interned) event(e *event) {
	for _, s := range []*string{
		&e.verb, &e.writer.user, &e.writer.pod, &e.writer.uid, &e.writer.process,
		&e.ref.group, &e.ref.resource, &e.ref.namespace, &e.ref.name,
	} {
		*s = i.one(*s)
	}
}
