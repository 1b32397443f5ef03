// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package controlplane

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
)

// serviceAccountIssuer is the issuer that a real cluster has by default, and the audience of its tokens.
const serviceAccountIssuer = "https://kubernetes.default.svc"

// auditPolicy says what the audit log holds.
//
//go:embed audit.yaml
var auditPolicy []byte

func (c *ControlPlane) auditPolicyFile() string { return filepath.Join(c.dir, "audit-policy.yaml") }

func (c *ControlPlane) managerKubeconfig() string {
	return filepath.Join(c.dir, "kube-controller-manager.kubeconfig")
}

func (c *ControlPlane) writeAuditPolicy() error {
	if err := os.WriteFile(c.auditPolicyFile(), auditPolicy, 0o600); err != nil {
		return fmt.Errorf("writing the audit policy: %w", err)
	}
	return nil
}

// apiServerArgs leaves admission plugins and feature gates as they come. In particular ServiceAccount admission is on, without
// which a Pod has no ServiceAccount and its token no owner.
func (c *ControlPlane) apiServerArgs() []string {
	args := []string{
		"--etcd-servers=http://" + loopback(c.ports.etcdClient),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", c.ports.apiServer),
		// The server refuses to publish a loopback address as the endpoint of the kubernetes Service.
		"--endpoint-reconciler-type=none",
		"--service-cluster-ip-range=10.0.0.0/24",
		// Without it a server that is told to stop waits a minute for watches to end by themselves.
		"--shutdown-watch-termination-grace-period=1s",

		"--tls-cert-file=" + c.keys.servingCertFile(),
		"--tls-private-key-file=" + c.keys.servingKeyFile(),
		"--client-ca-file=" + c.keys.caFile(),
		"--authorization-mode=RBAC",

		"--service-account-issuer=" + serviceAccountIssuer,
		"--service-account-signing-key-file=" + c.keys.serviceAccountFile(),
		"--service-account-key-file=" + c.keys.serviceAccountFile(),
	}
	if c.noAudit {
		return args
	}
	return append(args,
		"--audit-policy-file="+c.auditPolicyFile(),
		"--audit-log-path="+c.AuditLog(),
		// An event is in the file before its response is sent, so a test may read the file as soon as its own request
		// returns. blocking-strict would promise more, at the stage RequestReceived, which the policy leaves out.
		"--audit-log-mode=blocking",
		// In megabytes. Without a limit of our own the file would be renamed after 100, and its readers would lose the start.
		"--audit-log-maxsize=1048576",
	)
}

// managerArgs runs the default set of controllers, each under a ServiceAccount of its own, so that the audit log names the
// controller and not only the manager.
func (c *ControlPlane) managerArgs() []string {
	return []string{
		"--kubeconfig=" + c.managerKubeconfig(),
		"--authentication-kubeconfig=" + c.managerKubeconfig(),
		"--authorization-kubeconfig=" + c.managerKubeconfig(),
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file=" + c.keys.serviceAccountFile(),
		"--root-ca-file=" + c.keys.caFile(),
		// It serves nothing that is asked for here, and a port less is a port that cannot be taken.
		"--secure-port=0",
		// The default of 20 requests a second is shared by controllers that follow each new namespace; thousands of
		// namespaces would wait for them by the minute.
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	}
}
