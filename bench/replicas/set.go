// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package replicas

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-logr/logr"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/banyan-hns/banyan/bench/balancer"
	"github.com/banyan-hns/banyan/bench/controlplane"
	"github.com/banyan-hns/banyan/bench/process"
)

// Options of a Set.
type Options struct {
	// Dir for logs and certificates; it is created.
	Dir string
	// Binary of Banyan.
	Binary string
	// Names of the replicas.
	Names []string
	// Flags that each replica is given besides its own.
	Flags []string
	// Route, if set, returns the kubeconfig to be used instead of a replica's own:
	// its requests may take another way to the API server.
	Route func(name, kubeconfig string) (string, error)
	// OwnCertificates: the replicas issue the certificate of the webhooks, and have the API server trust it, as they do in a
	// cluster. Otherwise they serve one of the rig's.
	OwnCertificates bool
	// Out is told what the rig did not ask for.
	Out io.Writer
}

// Set is a number of replicas behind one balancer.
type Set struct {
	options  Options
	plane    *controlplane.ControlPlane
	balancer *balancer.Balancer
	stop     context.CancelFunc
	replicas map[string]*Replica
}

// Replica is one process, or the place for it.
type Replica struct {
	Name    string
	health  int
	metrics int
	webhook int

	identity controlplane.Identity
	process  *process.Process
}

// balanceEvery is how often the balancer asks for readiness.
const balanceEvery = 500 * time.Millisecond

// Start installs Banyan and starts all replicas. It does not wait for them.
func Start(ctx context.Context, plane *controlplane.ControlPlane, o Options) (*Set, error) {
	// The clients of the rig have nothing to log; the replicas log for themselves.
	ctrllog.SetLogger(logr.Discard())
	s := &Set{options: o, plane: plane, replicas: map[string]*Replica{}}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("starting the replicas: %w", err), s.Close())
	}
	return s, nil
}

func (s *Set) start(ctx context.Context) error {
	for _, dir := range []string{"log", "certs"} {
		if err := os.MkdirAll(filepath.Join(s.options.Dir, dir), 0o700); err != nil {
			return err
		}
	}
	err := s.writeCerts()
	if err != nil {
		return err
	}
	if s.balancer, err = balancer.New("127.0.0.1:0", nil, balanceEvery); err != nil {
		return err
	}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = cancel
	go func() { _ = s.balancer.Run(background) }() // ends with the context, and then without error

	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		return err
	}
	c, err := client.New(s.plane.Config(), client.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	trusted := s.CABundle()
	if s.options.OwnCertificates {
		trusted = nil
	}
	if err := install(ctx, c, "https://"+s.balancer.Addr(), trusted); err != nil {
		return err
	}
	for _, name := range s.options.Names {
		if err := s.StartReplica(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// writeCerts writes whom to trust, and a first certificate for the address of the
// balancer.
func (s *Set) writeCerts() error {
	if err := s.writeCert("ca.crt", s.CABundle()); err != nil {
		return err
	}
	_, err := s.Rotate()
	return err
}

// StartReplica starts a process under a name. The first one gets a pod of its
// own; a later one is a restarted container in the same pod.
func (s *Set) StartReplica(ctx context.Context, name string) error {
	return s.StartReplicaAs(ctx, name, ServiceAccount)
}

// StartReplicaAs does so with the rights of another ServiceAccount.
func (s *Set) StartReplicaAs(ctx context.Context, name, account string) error {
	r, exists := s.replicas[name]
	if !exists {
		r = &Replica{Name: name}
		for _, port := range []*int{&r.health, &r.metrics, &r.webhook} {
			free, err := process.FreePort()
			if err != nil {
				return err
			}
			*port = free
		}
		identity, err := s.plane.Pod(ctx, Namespace, account, name)
		if err != nil {
			return err
		}
		r.identity = identity
		s.replicas[name] = r
	}
	return s.run(r)
}

// ReplaceReplica starts a process in a new pod of the same name, as a StatefulSet
// does.
func (s *Set) ReplaceReplica(ctx context.Context, name string) error {
	identity, err := s.plane.Pod(ctx, Namespace, ServiceAccount, name)
	if err != nil {
		return err
	}
	s.replicas[name].identity = identity
	return s.run(s.replicas[name])
}

// SetFlags for replicas that are started from now on, besides their own.
func (s *Set) SetFlags(flags []string) { s.options.Flags = flags }

// SetBinary for replicas that are started from now on.
func (s *Set) SetBinary(path string) { s.options.Binary = path }

func (s *Set) run(r *Replica) error {
	kubeconfig := r.identity.Kubeconfig
	if s.options.Route != nil {
		var err error
		if kubeconfig, err = s.options.Route(r.Name, kubeconfig); err != nil {
			return fmt.Errorf("routing %s: %w", r.Name, err)
		}
	}
	flags := append([]string{
		"--kubeconfig=" + kubeconfig,
		"--health-probe-bind-address=" + loopback(r.health),
		"--metrics-addr=" + loopback(r.metrics),
		"--webhook-server-host=127.0.0.1",
		fmt.Sprintf("--webhook-server-port=%d", r.webhook),
		"--webhook-url=https://" + s.balancer.Addr(),
		s.certificates(),
		"--excluded-namespace=kube-system", "--excluded-namespace=kube-public",
		"--excluded-namespace=kube-node-lease", "--excluded-namespace=" + Namespace,
	}, s.options.Flags...)
	child, err := process.Launch(r.Name, s.options.Binary, s.LogFile(r.Name), flags, s.unasked,
		"POD_NAME="+r.Name, "POD_UID="+r.identity.PodUID, "POD_NAMESPACE="+Namespace)
	if err != nil {
		return err
	}
	r.process = child
	s.balancer.Set(s.backends())
	return nil
}

func (s *Set) certificates() (flag string) {
	if s.options.OwnCertificates {
		return "--webhook-cert-host=127.0.0.1"
	}
	return "--webhook-cert-dir=" + s.certDir()
}

func (s *Set) unasked(name string, err error) {
	if s.options.Out != nil {
		_, _ = fmt.Fprintf(s.options.Out, "%s ended unasked: %v; see %s\n", name, err, s.LogFile(name))
	}
}

func (s *Set) backends() []balancer.Backend {
	var backends []balancer.Backend
	for _, name := range s.Names() {
		r := s.replicas[name]
		backends = append(backends, balancer.Backend{
			Name: name, Addr: loopback(r.webhook), ReadyURL: "http://" + loopback(r.health) + "/readyz",
		})
	}
	return backends
}

// Names of all replicas, running or not, sorted.
func (s *Set) Names() []string {
	var names []string
	for name := range s.replicas {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// LogFile of a replica.
func (s *Set) LogFile(name string) string {
	return filepath.Join(s.options.Dir, "log", name+".log")
}

// Kill ends a replica without a word (SIGKILL).
func (s *Set) Kill(name string) error { return s.replicas[name].process.Kill() }

// Terminate asks a replica to end (SIGTERM), and waits for it.
func (s *Set) Terminate(name string) error {
	return s.replicas[name].process.Terminate(30 * time.Second)
}

// Signal sends a signal that does not end a replica, such as SIGSTOP.
func (s *Set) Signal(name string, signal os.Signal) error {
	return s.replicas[name].process.Signal(signal)
}

// Pid of the process that was started last under a name.
func (s *Set) Pid(name string) int { return s.replicas[name].process.Pid() }

// Close ends everything.
func (s *Set) Close() error {
	var errs []error
	for _, r := range s.replicas {
		errs = append(errs, r.process.Kill())
	}
	if s.stop != nil {
		s.stop()
	}
	return errors.Join(errs...)
}

// Ready lists the replicas that the balancer sends requests to.
func (s *Set) Ready() []string { return s.balancer.Ready() }

// AnswerOnly lets the API server reach the webhooks of the named replicas and no others; without a name, of all again.
func (s *Set) AnswerOnly(names ...string) { s.balancer.Only(names...) }

// WebhookURL of one replica, past the balancer.
func (s *Set) WebhookURL(name string) string {
	return "https://" + loopback(s.replicas[name].webhook)
}

// Connections is how many the balancer keeps open to a replica, ready or not.
func (s *Set) Connections(name string) int { return s.balancer.Connections(name) }

// HealthURL is the address of the listener for /healthz and /readyz.
func (s *Set) HealthURL(name string) string {
	return "http://" + loopback(s.replicas[name].health)
}

// MetricsURL is the address of the listener for /metrics and /shards.
func (s *Set) MetricsURL(name string) string {
	return "http://" + loopback(s.replicas[name].metrics)
}

// WaitReady waits until the balancer sends requests to all the named replicas.
func (s *Set) WaitReady(ctx context.Context, names ...string) error {
	err := wait.PollUntilContextCancel(ctx, balanceEvery, true, func(context.Context) (bool, error) {
		for _, name := range names {
			if s.replicas[name].process.Exited() {
				return false, fmt.Errorf("%s ended: %s", name, s.replicas[name].process.LastWords())
			}
			if !slices.Contains(s.Ready(), name) {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for %v to be ready, while %v are: %w", names, s.Ready(), err)
	}
	return nil
}

func loopback(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// statusClient does not keep connections to replicas that may be gone.
var statusClient = &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
