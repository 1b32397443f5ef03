// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/utils/ptr"

	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/lease"
)

const (
	testUser   = "system:serviceaccount:hnc-system:banyan"
	testSystem = "hnc-system"
	testShards = 8
)

var (
	testConfig = Config{ServiceAccount: testUser, Namespace: testSystem, Shards: testShards}
	testStart  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
)

// entry is one line of a log in the making.
type entry struct{ auditv1.Event }

// made begins an entry of a write that took a millisecond and succeeded.
func made(verb, group, resource, namespace, name string) *entry {
	return &entry{auditv1.Event{
		Level: auditv1.LevelRequestResponse, Stage: auditv1.StageResponseComplete, Verb: verb,
		ObjectRef:      &auditv1.ObjectReference{APIGroup: group, Resource: resource, Namespace: namespace, Name: name},
		ResponseStatus: &metav1.Status{Code: 200},
		User:           authenticationv1.UserInfo{Username: "admin"},
	}}
}

// by makes it a request of a replica, given as pod/uid/process.
func (e *entry) by(process string) *entry {
	parts := strings.Split(process, "/")
	e.User = authenticationv1.UserInfo{Username: testUser, Extra: map[string]authenticationv1.ExtraValue{
		extraPodName: {parts[0]}, extraPodUID: {parts[1]},
	}}
	e.UserAgent = agentPrefix + parts[2]
	return e
}

// at sets the milliseconds since the start at which it was received and answered.
func (e *entry) at(received, answered int) *entry {
	e.RequestReceivedTimestamp = metav1.NewMicroTime(testStart.Add(time.Duration(received) * time.Millisecond))
	e.StageTimestamp = metav1.NewMicroTime(testStart.Add(time.Duration(answered) * time.Millisecond))
	return e
}

func (e *entry) code(code int32) *entry { e.ResponseStatus.Code = code; return e }

func (e *entry) asked(body any) *entry {
	e.RequestObject = &runtime.Unknown{Raw: marshal(body), ContentType: runtime.ContentTypeJSON}
	return e
}

func (e *entry) returned(body any) *entry {
	e.ResponseObject = &runtime.Unknown{Raw: marshal(body), ContentType: runtime.ContentTypeJSON}
	return e
}

func marshal(body any) []byte {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // the bodies are constants of these tests
	}
	return raw
}

// script writes a log. Each object that it returns gets the next revision, and each
// entry without a time of its own happens 10 ms after the one before.
type script struct {
	entries  []*entry
	revision int
	clock    int
	versions map[string]string
	epochs   map[string]int
}

func newScript() *script {
	return &script{revision: 100, versions: map[string]string{}, epochs: map[string]int{}}
}

func (s *script) add(e *entry) *entry {
	s.clock += 10
	e.at(s.clock-1, s.clock)
	s.entries = append(s.entries, e)
	return e
}

func (s *script) wait(milliseconds int) *script { s.clock += milliseconds; return s }

// put adds a write of an object that returns it with the next revision. It is a
// create if the object has not been put before. An empty process is the admin.
func (s *script) put(process, group, resource string, object metav1.Object) *entry {
	id := resource + "/" + object.GetNamespace() + "/" + object.GetName()
	e := made("create", group, resource, object.GetNamespace(), object.GetName())
	object.SetResourceVersion("")
	if version := s.versions[id]; version != "" {
		e.Verb = "update"
		object.SetResourceVersion(version)
	}
	e.asked(object)
	s.revision++
	object.SetResourceVersion(strconv.Itoa(s.revision))
	s.versions[id] = object.GetResourceVersion()
	e.returned(object)
	if process != "" {
		e.by(process)
	}
	return s.add(e)
}

// gone adds a delete that is answered with a Status. What this log has not put is
// taken to be older than it.
func (s *script) gone(process, group, resource, namespace, name string) *entry {
	id := resource + "/" + namespace + "/" + name
	e := made("delete", group, resource, namespace, name).
		returned(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status"}, Status: "Success"}).
		asked(metav1.DeleteOptions{Preconditions: &metav1.Preconditions{
			UID: ptr.To(types.UID("uid")), ResourceVersion: ptr.To(cmp.Or(s.versions[id], "1")),
		}})
	s.revision++ // a delete has one, though the log does not tell
	delete(s.versions, id)
	if process != "" {
		e.by(process)
	}
	return s.add(e)
}

func (s *script) beat(process, name string, holder shard.Identity) *entry {
	return s.put(process, coordinationv1.GroupName, "leases", &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: testSystem, Name: lease.MemberName(name)},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To(string(holder))},
	})
}

func (s *script) shard(process string, id shard.ID, holder shard.Identity, epoch int32) *entry {
	return s.put(process, coordinationv1.GroupName, "leases", &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: testSystem, Name: lease.ShardName(id, testShards)},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To(string(holder)), LeaseTransitions: &epoch},
	})
}

func (s *script) namespace(process, name string) *entry {
	return s.put(process, "", "namespaces", foresttest.MakeNamespace(name).Obj())
}

func (s *script) parent(name, parent string) *entry {
	return s.put("", "hnc.x-k8s.io", "hierarchyconfigurations", foresttest.MakeConfiguration(name).Parent(parent).Obj())
}

// copy adds the write of a copy into a namespace.
func (s *script) copy(process, namespace string) *entry {
	return s.put(process, "rbac.authorization.k8s.io", "roles", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "r"}})
}

// pass lets time pass in which b's heart beats.
func (s *script) pass(milliseconds int) *script {
	for ; milliseconds > 2000; milliseconds -= 2000 {
		s.wait(1990).beat(b, "banyan-1", b0)
	}
	return s.wait(milliseconds)
}

func (s *script) check(t *testing.T) Report { t.Helper(); return s.checkWith(t, testConfig) }

func (s *script) checkWith(t *testing.T, cfg Config) Report {
	t.Helper()
	return readEntries(t, s.entries).Check(cfg)
}

func checkEntries(t *testing.T, entries []*entry) Report {
	t.Helper()
	return readEntries(t, entries).Check(testConfig)
}

func readEntries(t *testing.T, entries []*entry) *Log {
	t.Helper()
	var lines strings.Builder
	for _, e := range entries {
		lines.Write(marshal(e.Event))
		lines.WriteByte('\n')
	}
	log, err := Read(strings.NewReader(lines.String()))
	require.NoError(t, err)
	require.Zero(t, log.unreadable)
	return log
}

// said returns the rules that were violated, each with its object.
func said(r Report) []string {
	var s []string
	for _, v := range r.Violations {
		s = append(s, v.Rule+": "+v.Object)
	}
	return s
}
