// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// tokenLifetime outlasts any run, since nothing here renews tokens as a kubelet would.
const tokenLifetime = 48 * time.Hour

// Identity is what a process needs to act as the container of a Pod.
type Identity struct {
	PodName string
	PodUID  string
	// Kubeconfig is the path of a file with the Pod's token. It is a new path for each Pod.
	Kubeconfig string
}

// Pod makes a Pod object that no node will ever run, and a token bound to it. The audit log then carries the Pod's name and UID
// with each request, as it does for a real Pod. A Pod of that name is replaced, as a StatefulSet replaces its own: the token of
// the former one stops working. Namespace and ServiceAccount are the caller's to make.
func (c *ControlPlane) Pod(ctx context.Context, namespace, serviceAccount, name string) (Identity, error) {
	pod, err := c.replacePod(ctx, namespace, serviceAccount, name)
	if err != nil {
		return Identity{}, fmt.Errorf("making Pod %s/%s: %w", namespace, name, err)
	}

	token, err := c.client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, serviceAccount, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: ptr.To(int64(tokenLifetime.Seconds())),
			BoundObjectRef: &authenticationv1.BoundObjectReference{
				APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID,
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return Identity{}, fmt.Errorf("requesting a token for Pod %s/%s: %w", namespace, name, err)
	}

	config := c.clientConfig()
	config.BearerToken = token.Status.Token
	path := filepath.Join(c.dir, "pods", fmt.Sprintf("%s.%s.%s.kubeconfig", namespace, name, pod.UID))
	if err := writeKubeconfig(path, config); err != nil {
		return Identity{}, err
	}
	return Identity{PodName: pod.Name, PodUID: string(pod.UID), Kubeconfig: path}, nil
}

func (c *ControlPlane) replacePod(ctx context.Context, namespace, serviceAccount, name string) (*corev1.Pod, error) {
	pods := c.client.CoreV1().Pods(namespace)
	// A Pod that was never on a node goes at once when its grace period is 0, so the name is free when the call returns.
	err := pods.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("removing the former one: %w", err)
	}
	return pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			ServiceAccountName: serviceAccount,
			// A name that no scheduler answers to.
			SchedulerName: "none",
			// It never runs, but a namespace may admit restricted pods only.
			SecurityContext: &corev1.PodSecurityContext{
				RunAsNonRoot:   ptr.To(true),
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			},
			Containers: []corev1.Container{{
				Name: "banyan", Image: "none",
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: ptr.To(false),
					Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
		},
	}, metav1.CreateOptions{})
}
