// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package webhook

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/banyan-hns/banyan/hierarchy"
	"github.com/banyan-hns/banyan/hierarchy/foresttest"
	"github.com/banyan-hns/banyan/hierarchy/propagate"
	api "github.com/banyan-hns/banyan/hierarchy/v1alpha2"
	"github.com/banyan-hns/banyan/hierarchy/validate"
)

// model is an API server and the replicas that it asks, of which one at a time
// makes one step.
type model struct {
	*rand.Rand
	broken   fault
	now      time.Time
	revision int
	names    []string

	record  *corev1.ConfigMap
	live    map[string]*api.HierarchyConfiguration
	history []written

	replicas []*standIn
	requests []*underway
	granted  int
	refused  int
	stamped  int
	keys     bool // users give namespaces keys of their own
	deletes  bool // users delete HierarchyConfigurations, which nobody can stamp
}

// written is one version of a HierarchyConfiguration, or its end.
type written struct {
	namespace string
	object    *api.HierarchyConfiguration
}

// fault is what is broken on purpose.
type fault int

const (
	sound       fault = iota
	noRecord          // what is granted is not remembered
	cachedReads       // the edges are those of the cache
	noPatience        // what was granted is forgotten at once
	readsFirst        // the edges are read before the record
)

// requestBound is how long the API server works on one request.
const requestBound = time.Minute

func newModel(seed uint64, broken fault) *model {
	m := &model{
		Rand: rand.New(rand.NewPCG(seed, seed)), broken: broken, now: foresttest.Time.Time,
		live: map[string]*api.HierarchyConfiguration{}, deletes: seed%2 == 0, keys: seed%3 == 0,
	}
	for i := range 2 + m.IntN(3) {
		m.names = append(m.names, string(rune('a'+i)))
	}
	for range 2 + m.IntN(2) {
		m.replicas = append(m.replicas, m.newReplica())
	}
	return m
}

func (m *model) version() string {
	m.revision++
	return strconv.Itoa(m.revision)
}

// write puts a version of an object into the store, unless that closes a cycle.
func (m *model) write(namespace string, object *api.HierarchyConfiguration) error {
	if object != nil {
		object.ResourceVersion = m.version()
		m.live[namespace] = object
	} else {
		delete(m.live, namespace)
	}
	m.history = append(m.history, written{namespace, object})
	chain := namespace
	for at := namespace; m.live[at] != nil && m.live[at].Spec.Parent != ""; {
		at = m.live[at].Spec.Parent
		chain += " -> " + at
		if at == namespace {
			return fmt.Errorf("a cycle: %s", chain)
		}
	}
	return nil
}

// standIn is a replica whose cache is late.
type standIn struct {
	model  *model
	forest *hierarchy.Forest
	seen   int // of the history
	moves  *Moves
}

func (m *model) newReplica() *standIn {
	s := &standIn{model: m}
	s.restart()
	return s
}

// restart forgets everything, and lists what was at some time.
func (s *standIn) restart() {
	s.forest, s.seen = hierarchy.NewForest(hierarchy.Scope{}), 0
	for _, name := range s.model.names {
		s.forest.SetNamespace(foresttest.MakeNamespace(name).Obj())
	}
	for range s.model.IntN(len(s.model.history) + 1) {
		s.see()
	}
	s.moves = NewMoves(nil, s, nil)
	s.moves.now = func() time.Time { return s.model.now }
	if s.model.broken == noPatience {
		s.moves.forgetAfter = 0
	}
}

// see the next event.
func (s *standIn) see() {
	if s.seen == len(s.model.history) {
		return
	}
	w := s.model.history[s.seen]
	s.seen++
	if w.object == nil {
		s.forest.RemoveConfiguration(w.namespace)
		return
	}
	s.forest.SetConfiguration(w.object)
}

func (s *standIn) Read(look func(*hierarchy.Forest)) { look(s.forest) }

func (s *standIn) Look(func(*hierarchy.Forest, []propagate.Tracked)) { panic("nobody asks") }

// underway is a request that the API server works on.
type underway struct {
	model   *model
	replica *standIn
	began   time.Time
	step    func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	err     error
}

// begin a request. It makes a step when it is told to.
func (m *model) begin(do func(*underway) error) *underway {
	r := &underway{model: m, replica: m.replicas[m.IntN(len(m.replicas))], began: m.now}
	r.step, r.stop = iter.Pull(func(yield func(struct{}) bool) {
		r.yield = yield
		r.err = do(r)
	})
	return r
}

var errStopped = errors.New("stopped")

// wait lets others do something.
func (r *underway) wait() error {
	if !r.yield(struct{}{}) || r.model.now.Sub(r.began) > requestBound {
		return errStopped
	}
	return nil
}

// move is a request for another parent.
func (m *model) move(namespace, parent string) *underway {
	return m.begin(func(r *underway) error {
		old := m.live[namespace]
		if old != nil && m.IntN(10) == 0 {
			old = nil // a user who believes that there is none
		}
		object := foresttest.MakeConfiguration(namespace).Parent(parent).Obj()
		if old != nil {
			setOwnKey(object, old.Annotations[api.AnnotationOwnKey])
		}
		if m.keys && m.IntN(3) == 0 { // a key is given or taken, and often the parent stays
			if old != nil && m.IntN(2) == 0 {
				object.Spec.Parent = old.Spec.Parent
			}
			setOwnKey(object, m.orNothing(api.OwnKey))
		}
		move := validate.MoveTo(object)
		move.ID = types.UID(fmt.Sprint("request-", m.version()))
		if old != nil {
			object.UID, move.Over = old.UID, old.ResourceVersion
		} else {
			object.UID = types.UID("object-" + m.version())
			move.Creates = object.UID
		}
		if !validate.IsMove(orNew(old), object) {
			setStamp(object, stampOn(old))
		} else {
			// The webhook that mutates may be another replica's, and late.
			move.Stamp, _ = validate.Stamp(m.replicas[m.IntN(len(m.replicas))].forest, move)
			setStamp(object, move.Stamp)
			if !r.grants(move) {
				m.refused++
				return nil
			}
		}
		m.granted++
		aborted := m.IntN(5) == 0
		for range m.IntN(4) {
			if err := r.wait(); err != nil {
				return nil
			}
		}
		current := m.live[namespace]
		if aborted || (current == nil) != (old == nil) || current != nil && current.ResourceVersion != move.Over {
			return nil
		}
		if err := m.checkStamp(object, move.Stamp); err != nil && !m.deletes {
			return err
		}
		return m.write(namespace, object)
	})
}

func (m *model) orNothing(value string) string {
	if m.IntN(2) == 0 {
		return ""
	}
	return value
}

// orNew is what admission is shown of an object that does not exist.
func orNew(c *api.HierarchyConfiguration) *api.HierarchyConfiguration {
	if c == nil {
		return &api.HierarchyConfiguration{}
	}
	return c
}

func stampOn(c *api.HierarchyConfiguration) string {
	if c == nil {
		return ""
	}
	return c.Annotations[api.AnnotationPreviousKey]
}

// truth is a forest that is never late.
func (m *model) truth() *hierarchy.Forest {
	f := hierarchy.NewForest(hierarchy.Scope{})
	for _, name := range m.names {
		f.SetNamespace(foresttest.MakeNamespace(name).Obj())
		if c := m.live[name]; c != nil {
			f.SetConfiguration(c)
		}
	}
	return f
}

var errStamp = errors.New("a wrong stamp")

// checkStamp tells whether a move that is being written hands the namespace over from
// the key that it has now.
func (m *model) checkStamp(object *api.HierarchyConfiguration, stamp string) error {
	f, namespace, parent := m.truth(), object.Namespace, object.Spec.Parent
	if !validate.IsMove(orNew(m.live[namespace]), object) {
		return nil
	}
	before, moving := f.Key(namespace), f.Moving(namespace)
	moved := object.DeepCopy()
	moved.ResourceVersion = "999999"
	setStamp(moved, "")
	f.SetConfiguration(moved)
	after, uncertain := f.KeyAtRest(namespace), f.Moving(namespace) != ""
	switch {
	case moving != "":
		return fmt.Errorf("%w: %s moves below %q while %s is moving", errStamp, namespace, parent, moving)
	case stamp != "" && stamp != before:
		return fmt.Errorf("%w: %s moves below %q with the stamp %q, but was in the tree of %s", errStamp, namespace, parent, stamp, before)
	case stamp == "" && (before != after || uncertain):
		return fmt.Errorf("%w: %s moves below %q from the tree of %s without a stamp", errStamp, namespace, parent, before)
	}
	if stamp != "" {
		m.stamped++
	}
	return nil
}

// acknowledge ends a move, as the owner of the old tree does.
func (m *model) acknowledge(name string) error {
	if stampOn(m.live[name]) == "" {
		return nil
	}
	c := m.live[name].DeepCopy()
	setStamp(c, "")
	return m.write(name, c)
}

func (m *model) acknowledgeAll() {
	for _, name := range m.names {
		if err := m.acknowledge(name); err != nil {
			panic(err) // nothing gets another parent by this
		}
	}
}

func (r *underway) grants(move validate.Move) bool {
	moves := *r.replica.moves
	moves.record, moves.read, moves.pause = record{paced{r}}, r.read, func(context.Context) { _ = r.wait() }
	if r.model.broken == readsFirst {
		early := map[string]place{}
		for _, name := range r.model.names {
			early[name] = place{foresttest.MakeNamespace(name).Obj(), r.model.live[name]}
		}
		moves.read = func(_ context.Context, names []string) (found []place, _ error) {
			for _, name := range names {
				found = append(found, early[name])
			}
			return found, nil
		}
	}
	verdict, _, err := moves.decide(context.Background(), move, false)
	r.replica.moves.since = moves.since
	return err == nil && verdict.Allowed
}

func (r *underway) read(_ context.Context, names []string) (found []place, _ error) {
	for _, name := range names {
		if err := r.wait(); err != nil {
			return nil, err
		}
		configuration := r.model.live[name]
		if r.model.broken == cachedReads {
			configuration = r.replica.forest.Observe(name).Configuration
		}
		found = append(found, place{foresttest.MakeNamespace(name).Obj(), configuration})
	}
	return found, nil
}

// paced are the ConfigMaps, where each request waits for its turn, and some get no
// answer though they were carried out.
type paced struct{ *underway }

func (p paced) Get(context.Context, string, metav1.GetOptions) (*corev1.ConfigMap, error) {
	if err := p.wait(); err != nil {
		return nil, err
	}
	if p.model.record == nil || p.model.broken == noRecord {
		return nil, apierrors.NewNotFound(configMaps, MovesConfigMap)
	}
	return p.model.record.DeepCopy(), nil
}

func (p paced) Create(_ context.Context, c *corev1.ConfigMap, _ metav1.CreateOptions) (*corev1.ConfigMap, error) {
	return p.put(c, p.model.record == nil || p.model.broken == noRecord)
}

func (p paced) Update(_ context.Context, c *corev1.ConfigMap, _ metav1.UpdateOptions) (*corev1.ConfigMap, error) {
	return p.put(c, p.model.record != nil && p.model.record.ResourceVersion == c.ResourceVersion)
}

func (p paced) put(c *corev1.ConfigMap, fits bool) (*corev1.ConfigMap, error) {
	if !fits {
		return nil, apierrors.NewConflict(configMaps, MovesConfigMap, errOutrun)
	}
	c = c.DeepCopy()
	c.ResourceVersion = p.model.version()
	p.model.record = c
	if p.model.IntN(20) == 0 {
		return nil, apierrors.NewTimeoutError("no answer", 1)
	}
	return c, p.wait()
}

// run lets users move namespaces at random for a while.
func (m *model) run() error {
	defer func() {
		for _, r := range m.requests {
			r.stop()
		}
	}()
	for range 60 {
		if err := m.happen(); err != nil {
			return err
		}
	}
	for len(m.requests) > 0 {
		if err := m.advance(0); err != nil {
			return err
		}
	}
	return nil
}

// happen does anything.
func (m *model) happen() error {
	replica := m.replicas[m.IntN(len(m.replicas))]
	switch n := m.IntN(40); {
	case n < 6 && len(m.requests) < 5:
		m.requests = append(m.requests, m.move(m.any(), m.any()))
	case n == 6 && len(m.requests) < 5:
		m.requests = append(m.requests, m.move(m.any(), ""))
	case n == 7 && m.deletes:
		if name := m.any(); m.live[name] != nil {
			return m.write(name, nil)
		}
	case n == 8:
		if name := m.any(); m.live[name] != nil { // the status, or a label
			return m.write(name, m.live[name].DeepCopy())
		}
	case n == 9:
		replica.restart()
	case n == 10:
		m.now = m.now.Add(time.Duration(m.IntN(30)) * time.Second)
	case n < 14:
		return m.acknowledge(m.any())
	case n < 20:
		replica.see()
	case len(m.requests) > 0:
		return m.advance(m.IntN(len(m.requests)))
	}
	return nil
}

func (m *model) any() string { return m.names[m.IntN(len(m.names))] }

// advance one request by a step.
func (m *model) advance(i int) error {
	r := m.requests[i]
	if _, goesOn := r.step(); goesOn {
		return nil
	}
	m.requests = append(m.requests[:i:i], m.requests[i+1:]...)
	return r.err
}

func setOwnKey(configuration *api.HierarchyConfiguration, value string) {
	annotations := maps.Clone(configuration.Annotations)
	delete(annotations, api.AnnotationOwnKey)
	if value != "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[api.AnnotationOwnKey] = value
	}
	configuration.Annotations = annotations
}
