// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build brokenrelease

package lease

import (
	"context"
	"os"
	"sync"
	"syscall"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/banyan-hns/banyan/shard"
)

// stopOnce has a process stop itself (SIGSTOP) when it has decided on its first
// release, if it was started to do so: no signal from outside hits that moment.
var stopOnce = sync.OnceFunc(func() {
	if os.Getenv("BANYAN_STOP_AT_RELEASE") == os.Getenv("POD_NAME") {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
})

// refresh has a release erase whatever is there, whoever holds it by now, as common
// electors do. Binaries that are built with this tag show that the checks of the
// audit log find that.
func (s *store) refresh(ctx context.Context, lease *coordinationv1.Lease) {
	if lease.Labels[LabelKind] != KindShard || *lease.Spec.HolderIdentity != "" {
		return
	}
	stopOnce()
	present, err := s.leases.Get(ctx, lease.Name, metav1.GetOptions{})
	if err != nil {
		return
	}
	if record, _, err := DecodeShard(present); err == nil && record.Holder != shard.Identity("") {
		s.seen(present)
		lease.ResourceVersion = present.ResourceVersion
	}
}
