// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package replicas runs real replicas of Banyan, as processes of this machine,
// against a real control plane: each with an identity of its own, all behind one
// balancer, as pods behind a Service.
package replicas
