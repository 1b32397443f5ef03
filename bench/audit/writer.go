// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/banyan-hns/banyan/shard"
)

const (
	extraPodName = "authentication.kubernetes.io/pod-name"
	extraPodUID  = "authentication.kubernetes.io/pod-uid"
	agentPrefix  = "banyan/"
)

// writer is who made a request. Name and UID of the Pod come from its token,
// the process from the user agent.
type writer struct {
	user, pod, uid, process string
}

func writerOf(logged *auditv1.Event) writer {
	user := logged.User
	if logged.ImpersonatedUser != nil {
		user = *logged.ImpersonatedUser
	}
	w := writer{user: user.Username}
	if names := user.Extra[extraPodName]; len(names) == 1 {
		w.pod = names[0]
	}
	if uids := user.Extra[extraPodUID]; len(uids) == 1 {
		w.uid = uids[0]
	}
	if process, ours := strings.CutPrefix(logged.UserAgent, agentPrefix); ours {
		w.process, _, _ = strings.Cut(process, " ")
	}
	return w
}

// String names the writer as identities do, up to the life.
func (w writer) String() string {
	if w.pod == "" {
		return w.user
	}
	return w.pod + "/" + w.uid + "/" + w.process
}

// lives reports whether an identity is a life of the writer's process.
func (w writer) lives(i shard.Identity) bool {
	return w.pod != "" && w.process != "" && w.String() == processOf(i)
}

// instanceOf reports whether an identity is a life in the writer's instance of a Pod,
// whatever its process.
func (w writer) instanceOf(i shard.Identity) bool {
	return w.uid != "" && w.pod == i.Member() && w.uid == i.Instance()
}

// processOf an identity is all but the number of its life: one process has a life
// more each time that it was fenced, and its requests do not tell which.
func processOf(i shard.Identity) string {
	s := string(i)
	if dot := strings.LastIndexByte(s, '.'); dot > strings.LastIndexByte(s, '/') {
		return s[:dot]
	}
	return s
}
