// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package propagate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/banyan-hns/banyan/hierarchy/propagate"
)

// assigned are objects as the cluster completed them, and what of each is copied.
// Where changed is given, it is another object that means the same.
var assigned = map[string]struct{ live, want, changed string }{
	"a Service": {
		live:    `{apiVersion: v1, kind: Service, spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], healthCheckNodePort: 30001, type: NodePort, ports: [{port: 80, nodePort: 30002}, {port: 81}]}}`,
		want:    `{apiVersion: v1, kind: Service, spec: {type: NodePort, ports: [{port: 80}, {port: 81}]}}`,
		changed: `{apiVersion: v1, kind: Service, spec: {clusterIP: 10.0.0.2, clusterIPs: [10.0.0.2, "fd00::1"], type: NodePort, ports: [{port: 80}, {port: 81, nodePort: 30003}]}}`,
	},
	"a headless Service": {
		live: `{apiVersion: v1, kind: Service, spec: {clusterIP: None, clusterIPs: [None], ports: [{port: 80}]}}`,
		want: `{apiVersion: v1, kind: Service, spec: {clusterIP: None, clusterIPs: [None], ports: [{port: 80}]}}`,
	},
	"a Service of another group": {
		live: `{apiVersion: serving.knative.dev/v1, kind: Service, spec: {clusterIP: 10.0.0.1}}`,
		want: `{apiVersion: serving.knative.dev/v1, kind: Service, spec: {clusterIP: 10.0.0.1}}`,
	},
	"a ServiceAccount": {
		live:    `{apiVersion: v1, kind: ServiceAccount, metadata: {annotations: {openshift.io/internal-registry-pull-secret-ref: s-dockercfg-abcde}}, secrets: [{name: s-token-1}, {name: s-dockercfg-abcde}], imagePullSecrets: [{name: mine}, {name: s-dockercfg-abcde}, {name: other-dockercfg-x}]}`,
		want:    `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: [{name: mine}, {name: other-dockercfg-x}]}`,
		changed: `{apiVersion: v1, kind: ServiceAccount, secrets: [{name: other}], imagePullSecrets: [{name: s-dockercfg-fghij}, {name: mine}, {name: other-dockercfg-x}]}`,
	},
	"a ServiceAccount with generated Secrets only": {
		live:    `{apiVersion: v1, kind: ServiceAccount, secrets: [{name: s-token-1}], imagePullSecrets: [{name: s-dockercfg-abcde}]}`,
		want:    `{apiVersion: v1, kind: ServiceAccount}`,
		changed: `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: []}`,
	},
	"a PersistentVolumeClaim": {
		live:    `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {annotations: {pv.kubernetes.io/bind-completed: "yes", volume.kubernetes.io/selected-node: node, volume.kubernetes.io/storage-provisioner: p, keep: x}}, spec: {volumeName: pv1, storageClassName: fast}}`,
		want:    `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {annotations: {keep: x}}, spec: {storageClassName: fast}}`,
		changed: `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {annotations: {volume.beta.kubernetes.io/storage-provisioner: q, keep: x}}, spec: {volumeName: pv2, storageClassName: fast}}`,
	},
	"a Pod": {
		live:    `{apiVersion: v1, kind: Pod, spec: {nodeName: n1, restartPolicy: Always}}`,
		want:    `{apiVersion: v1, kind: Pod, spec: {restartPolicy: Always}}`,
		changed: `{apiVersion: v1, kind: Pod, spec: {nodeName: n2, restartPolicy: Always}}`,
	},
	"a Job": {
		live:    `{apiVersion: batch/v1, kind: Job, spec: {manualSelector: false, selector: {matchLabels: {controller-uid: u}}, template: {metadata: {labels: {controller-uid: u, job-name: s, batch.kubernetes.io/controller-uid: u, batch.kubernetes.io/job-name: s}}, spec: {restartPolicy: Never}}}}`,
		want:    `{apiVersion: batch/v1, kind: Job, spec: {manualSelector: false, template: {spec: {restartPolicy: Never}}}}`,
		changed: `{apiVersion: batch/v1, kind: Job, spec: {manualSelector: false, template: {metadata: {labels: {}}, spec: {restartPolicy: Never}}}}`,
	},
	"a Job with labels of its user": {
		live: `{apiVersion: batch/v1, kind: Job, spec: {template: {metadata: {labels: {job-name: s, mine: x}}}}}`,
		want: `{apiVersion: batch/v1, kind: Job, spec: {template: {metadata: {labels: {mine: x}}}}}`,
	},
	"a Job whose selector is its user's": {
		live: `{apiVersion: batch/v1, kind: Job, spec: {manualSelector: true, selector: {matchLabels: {job-name: x}}, template: {metadata: {labels: {job-name: x}}}}}`,
		want: `{apiVersion: batch/v1, kind: Job, spec: {manualSelector: true, selector: {matchLabels: {job-name: x}}, template: {metadata: {labels: {job-name: x}}}}}`,
	},
	"a Deployment": {
		live:    `{apiVersion: apps/v1, kind: Deployment, metadata: {annotations: {deployment.kubernetes.io/revision: "5", keep: x}}, spec: {replicas: 1}}`,
		want:    `{apiVersion: apps/v1, kind: Deployment, metadata: {annotations: {keep: x}}, spec: {replicas: 1}}`,
		changed: `{apiVersion: apps/v1, kind: Deployment, metadata: {annotations: {deployment.kubernetes.io/revision: "6", keep: x}}, spec: {replicas: 1}}`,
	},
	"a DaemonSet": {
		live: `{apiVersion: apps/v1, kind: DaemonSet, metadata: {annotations: {deprecated.daemonset.template.generation: "5"}}, spec: {}}`,
		want: `{apiVersion: apps/v1, kind: DaemonSet, spec: {}}`,
	},
	"an object that has nothing of what its kind could": {
		live: `{apiVersion: v1, kind: Service}`,
		want: `{apiVersion: v1, kind: Service}`,
	},
	"a ServiceAccount of another shape": {
		live: `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: {a: b}}`,
		want: `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: {a: b}}`,
	},
	"references of another shape": {
		live: `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: [text, {name: 1}, {name: s-dockercfg-x}]}`,
		want: `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: [text, {name: 1}]}`,
	},
	"a list instead of a map": {
		live: `{apiVersion: v1, kind: Pod, spec: [{nodeName: x}]}`,
		want: `{apiVersion: v1, kind: Pod, spec: [{nodeName: x}]}`,
	},
	"an object that has another shape": {
		live: `{apiVersion: v1, kind: Service, spec: {ports: {a: {nodePort: 1}}, clusterIP: [], clusterIPs: []}}`,
		want: `{apiVersion: v1, kind: Service, spec: {ports: {a: {nodePort: 1}}}}`,
	},
}

// TestAssigned: what the cluster assigned is not copied, and is no difference
// between a source, its copy, and the copy after the cluster completed it.
func TestAssigned(t *testing.T) {
	for name, tc := range assigned {
		t.Run(name, func(t *testing.T) {
			live := parse(t, tc.live)
			live.SetName("s")
			live.SetNamespace("a")
			before := live.DeepCopy()

			got := propagate.Copy(live, "b", propagate.Options{})
			want := parse(t, tc.want)
			want.SetName("s")
			want.SetNamespace("b")
			want.SetLabels(map[string]string{"hnc.x-k8s.io/inherited-from": "a", "app.kubernetes.io/managed-by": "hnc.x-k8s.io"})
			if diff := cmp.Diff(want.Object, got.Object); diff != "" {
				t.Errorf("copy (-want +got):\n%s", diff)
			}

			require.Equal(t, propagate.Hash(want), propagate.Hash(verbatim(live)), "HNC copied everything")
			require.Equal(t, propagate.Hash(got), propagate.Hash(want))
			if tc.changed != "" {
				changed := parse(t, tc.changed)
				changed.SetName("s")
				require.Equal(t, propagate.Hash(live), propagate.Hash(changed))
			}
			require.Equal(t, before, live, "nothing is changed")
		})
	}
}

// verbatim is the copy that HNC made of an object.
func verbatim(u *unstructured.Unstructured) *unstructured.Unstructured {
	u = u.DeepCopy()
	u.SetNamespace("b")
	u.SetLabels(map[string]string{"hnc.x-k8s.io/inherited-from": "a", "app.kubernetes.io/managed-by": "hnc.x-k8s.io"})
	return u
}

// TestWhatUsersWriteCounts: beside what is assigned, every difference is one.
func TestWhatUsersWriteCounts(t *testing.T) {
	for _, pair := range [][2]string{
		{`{apiVersion: v1, kind: Service, spec: {ports: [{port: 80, nodePort: 1}]}}`, `{apiVersion: v1, kind: Service, spec: {ports: [{port: 81, nodePort: 1}]}}`},
		{`{apiVersion: v1, kind: Service, spec: {clusterIP: None}}`, `{apiVersion: v1, kind: Service, spec: {clusterIP: 10.0.0.1}}`},
		{`{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: [{name: a}]}`, `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: [{name: b}]}`},
		{`{apiVersion: batch/v1, kind: Job, spec: {manualSelector: true, selector: {matchLabels: {a: x}}}}`, `{apiVersion: batch/v1, kind: Job, spec: {manualSelector: true, selector: {matchLabels: {a: y}}}}`},
		{`{apiVersion: v1, kind: ConfigMap, data: {nodeName: a}}`, `{apiVersion: v1, kind: ConfigMap, data: {nodeName: b}}`},
		{`{apiVersion: apps/v1, kind: DaemonSet, metadata: {annotations: {deployment.kubernetes.io/revision: "1"}}}`, `{apiVersion: apps/v1, kind: DaemonSet, metadata: {annotations: {deployment.kubernetes.io/revision: "2"}}}`},
	} {
		require.NotEqual(t, propagate.Hash(parse(t, pair[0])), propagate.Hash(parse(t, pair[1])), pair[0])
	}
}

// TestKeepAssigned: an update of an object that the cluster completed differs
// from it only in what its source has.
func TestKeepAssigned(t *testing.T) {
	tests := map[string]struct{ live, after, want string }{
		"a ServiceAccount keeps its Secrets": {
			live:  `{apiVersion: v1, kind: ServiceAccount, metadata: {annotations: {openshift.io/internal-registry-pull-secret-ref: s-dockercfg-1}}, secrets: [{name: t}], imagePullSecrets: [{name: old}, {name: s-dockercfg-1}]}`,
			after: `{apiVersion: v1, kind: ServiceAccount, metadata: {annotations: {mine: x}}, imagePullSecrets: [{name: new}]}`,
			want:  `{apiVersion: v1, kind: ServiceAccount, metadata: {annotations: {mine: x, openshift.io/internal-registry-pull-secret-ref: s-dockercfg-1}}, secrets: [{name: t}], imagePullSecrets: [{name: new}, {name: s-dockercfg-1}]}`,
		},
		"also if its source has none": {
			live:  `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: [{name: s-dockercfg-1}]}`,
			after: `{apiVersion: v1, kind: ServiceAccount}`,
			want:  `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: [{name: s-dockercfg-1}]}`,
		},
		"but not those that its source had": {
			live:  `{apiVersion: v1, kind: ServiceAccount, imagePullSecrets: [{name: old}]}`,
			after: `{apiVersion: v1, kind: ServiceAccount}`,
			want:  `{apiVersion: v1, kind: ServiceAccount}`,
		},
		"a claim keeps its volume": {
			live:  `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {annotations: {pv.kubernetes.io/bind-completed: "yes", other: x}}, spec: {volumeName: pv1, storageClassName: slow}}`,
			after: `{apiVersion: v1, kind: PersistentVolumeClaim, spec: {storageClassName: fast}}`,
			want:  `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {annotations: {pv.kubernetes.io/bind-completed: "yes"}}, spec: {volumeName: pv1, storageClassName: fast}}`,
		},
		"a Job keeps its selector": {
			live:  `{apiVersion: batch/v1, kind: Job, spec: {selector: {matchLabels: {controller-uid: u}}, template: {metadata: {labels: {controller-uid: u, gone: x}}}}}`,
			after: `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 2}}`,
			want:  `{apiVersion: batch/v1, kind: Job, spec: {parallelism: 2, selector: {matchLabels: {controller-uid: u}}, template: {metadata: {labels: {controller-uid: u}}}}}`,
		},
		"unless its user wrote one": {
			live:  `{apiVersion: batch/v1, kind: Job, spec: {selector: {matchLabels: {controller-uid: u}}}}`,
			after: `{apiVersion: batch/v1, kind: Job, spec: {manualSelector: true, selector: {matchLabels: {mine: x}}}}`,
			want:  `{apiVersion: batch/v1, kind: Job, spec: {manualSelector: true, selector: {matchLabels: {mine: x}}}}`,
		},
		"a Pod keeps its node": {
			live:  `{apiVersion: v1, kind: Pod, spec: {nodeName: n}}`,
			after: `{apiVersion: v1, kind: Pod}`,
			want:  `{apiVersion: v1, kind: Pod, spec: {nodeName: n}}`,
		},
		"a Service is completed by the API server": {
			live:  `{apiVersion: v1, kind: Service, spec: {clusterIP: 10.0.0.1}}`,
			after: `{apiVersion: v1, kind: Service, spec: {type: ExternalName}}`,
			want:  `{apiVersion: v1, kind: Service, spec: {type: ExternalName}}`,
		},
		"a ConfigMap has nothing to keep": {
			live:  `{apiVersion: v1, kind: ConfigMap, data: {a: x}}`,
			after: `{apiVersion: v1, kind: ConfigMap}`,
			want:  `{apiVersion: v1, kind: ConfigMap}`,
		},
		"an object of another shape": {
			live:  `{apiVersion: v1, kind: Pod, spec: {nodeName: n}}`,
			after: `{apiVersion: v1, kind: Pod, spec: text}`,
			want:  `{apiVersion: v1, kind: Pod, spec: text}`,
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			live, after, want := parse(t, tc.live), parse(t, tc.after), parse(t, tc.want)
			for _, u := range []interface{ SetName(string) }{live, after, want} {
				u.SetName("s")
			}
			liveBefore, afterBefore := live.DeepCopy(), after.DeepCopy()
			got := propagate.KeepAssigned(live, after)
			if diff := cmp.Diff(want.Object, got.Object); diff != "" {
				t.Errorf("update (-want +got):\n%s", diff)
			}
			require.Equal(t, liveBefore, live)
			require.Equal(t, afterBefore, after)
			require.Equal(t, propagate.Hash(after), propagate.Hash(got), "what is kept is no difference")
		})
	}
}

func TestAssigns(t *testing.T) {
	for kind, want := range map[string]bool{
		"ServiceAccount": true, "PersistentVolumeClaim": true, "Pod": true, "Job.batch": true, "Deployment.apps": true, "DaemonSet.apps": true,
		"Service": false, "ConfigMap": false, "Job": false, "Role.rbac.authorization.k8s.io": false,
	} {
		require.Equal(t, want, propagate.Assigns(schema.ParseGroupKind(kind)), kind)
	}
}
