# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Banyan Authors

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules

BIN := $(CURDIR)/bin
TOOLS := $(BIN)/tools

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
IMAGE ?= localhost/banyan:dev
NAMESPACE ?= hnc-system
VARIANT ?= default

# The packages that need no binaries, no network and no clock. Their tests are the first rung of the ladder.
PURE := $(addprefix ./,$(wildcard hierarchy hierarchy/foresttest hierarchy/propagate hierarchy/quota hierarchy/validate \
	shard shard/shardtest))

# What `make generate` writes.
GENERATED := config/crd hierarchy/v1alpha2/zz_generated.deepcopy.go

##@ General

.PHONY: help
help: ## Print this list.
	@awk 'BEGIN { FS = ":.*## "; printf "make TARGET\n" } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: clean
clean: ## Remove what was built, but keep the Kubernetes binaries: they take long.
	find $(BIN) -mindepth 1 -maxdepth 1 ! -name kube -exec rm -rf {} + 2>/dev/null || true
	rm -rf .run

##@ Build

.PHONY: generate
generate: $(TOOLS)/controller-gen ## Write CRDs and deep copies from the API types.
	$(TOOLS)/controller-gen object:headerFile=.tools/generate/header.txt crd output:crd:dir=config/crd paths=./hierarchy/v1alpha2

.PHONY: build
build: ## Build bin/banyan and bin/kubectl-hns.
	CGO_ENABLED=0 go build -o $(BIN)/banyan ./cmd/banyan
	CGO_ENABLED=0 go build -ldflags '-X main.version=$(VERSION)' -o $(BIN)/kubectl-hns ./cmd/kubectl-hns

.PHONY: image
image: build ## Pack bin/banyan into bin/banyan-image.tar, for ctr, docker or podman to load (IMAGE=name:tag).
	go run ./config/image -o $(BIN)/banyan-image.tar -tag $(IMAGE) $(BIN)/banyan=/banyan

.PHONY: manifests
manifests: $(TOOLS)/kustomize ## Write bin/banyan.yaml to apply (NAMESPACE=, IMAGE=, VARIANT=default, certmanager or nowebhooks).
	$(TOOLS)/kustomize build config/$(VARIANT) | sed -e 's|hnc-system|$(NAMESPACE)|g' -e 's|localhost/banyan:dev|$(IMAGE)|g' > $(BIN)/banyan.yaml

.PHONY: kube
kube: ## Build etcd and Kubernetes, once per version (20 min with an empty Go cache).
	bench/kube/build.sh

##@ Test

.PHONY: test-pure
test-pure: ## Test the pure packages: no binaries, seconds.
	go test -race $(PURE)

.PHONY: search
search: ## Search for a history that breaks the ownership protocol (RUNS=100000 random ones): minutes.
	go run ./bench/protocol -runs $(or $(RUNS),100000)

.PHONY: test
test: kube build browser $(TOOLS)/kustomize $(TOOLS)/promtool ## Test everything, on a real control plane where that matters.
	@echo 'compiling all tests with the race detector (some minutes, the first time)'
	go test -race -run '^$$' ./... > /dev/null
	@# One package at a time: each control plane is to have the machine to itself.
	KUBEBUILDER_ASSETS=$$(bench/kube/build.sh --print-dir) go test -race -p 1 -timeout 30m ./...

.PHONY: browser
browser: ## Install Chromium where it is missing: tests look at the page of /shards in it.
	@command -v chromium > /dev/null && exit 0; \
	if [[ $$(id -u) == 0 ]] && command -v apt-get > /dev/null; then \
		apt-get update -qq && apt-get install -y --no-install-recommends chromium; \
	else \
		echo 'make: there is no chromium in PATH; install it (on Debian: apt-get install chromium)' >&2; exit 1; \
	fi

.PHONY: deflake
deflake: kube ## Test PKG=./some/package in random order until it fails.
	@[[ -n "$(PKG)" ]] || { echo 'usage: make deflake PKG=./some/package'; exit 2; }
	export KUBEBUILDER_ASSETS=$$(bench/kube/build.sh --print-dir); \
	while go test -race -shuffle=on -count=1 $(PKG); do :; done; exit 1

.PHONY: demo
demo: kube build ## Show Banyan at work on a control plane of its own (KEEP=1 leaves it running).
	KUBEBUILDER_ASSETS=$$(bench/kube/build.sh --print-dir) KEEP=$(KEEP) go run ./cmd/demo

.PHONY: chaos
chaos: kube ## Break a cluster on purpose and judge it, in a quarter of an hour (DURATION=1h, SEED=, ARGS=; also RESULT=file.md).
	KUBEBUILDER_ASSETS=$$(bench/kube/build.sh --print-dir) go run ./bench/chaos \
		$(if $(DURATION),-duration $(DURATION)) $(if $(SEED),-seed $(SEED)) $(if $(RESULT),-o $(RESULT)) $(ARGS)

.PHONY: bench
bench: kube ## Measure fan-out, scale, admission and sweeps, into bench/results (an hour; wants a quiet machine).
	export KUBEBUILDER_ASSETS=$$(bench/kube/build.sh --print-dir); \
	go run ./bench/fanout -o bench/results/fanout.md; \
	go run ./bench/scale -o bench/results/scale.md; \
	go run ./bench/latency -o bench/results/latency.md; \
	go run ./bench/availability -o bench/results/availability.md; \
	go run ./bench/sweep -o bench/results/sweep.md

##@ Check

.PHONY: lint
lint: $(TOOLS)/golangci-lint ## Lint (the linter takes some minutes to build, once).
	$(TOOLS)/golangci-lint run

.PHONY: vet
vet: ## Ask go vet.
	go vet ./...

.PHONY: verify
verify: ## All that a change must pass: nothing generated is stale, vet, lint, test.
	$(MAKE) generate
	git diff --exit-code -- $(GENERATED)
	@untracked=$$(git ls-files --others --exclude-standard -- $(GENERATED)); \
	[[ -z "$$untracked" ]] || { echo "generated, but not in git:"; echo "$$untracked"; exit 1; }
	$(MAKE) vet
	$(MAKE) lint
	$(MAKE) test

# Tools are pinned by modules of their own, so that their dependencies do not become the product's.
$(TOOLS)/controller-gen: .tools/generate/go.mod .tools/generate/go.sum
	go build -C .tools/generate -o $@ sigs.k8s.io/controller-tools/cmd/controller-gen

$(TOOLS)/kustomize: .tools/generate/go.mod .tools/generate/go.sum
	go build -C .tools/generate -o $@ sigs.k8s.io/kustomize/kustomize/v5

$(TOOLS)/golangci-lint: .tools/lint/go.mod .tools/lint/go.sum
	go build -C .tools/lint -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# The one tool that is not a Go module of ours: Prometheus is too large to build for its linter. It is taken from PATH, or
# out of the Debian package, which is not installed.
$(TOOLS)/promtool:
	@mkdir -p $(TOOLS); \
	if found=$$(command -v promtool); then ln -sf "$$found" $@; \
	elif command -v apt-get dpkg > /dev/null; then \
		dir=$$(mktemp -d); chmod 755 "$$dir"; (cd "$$dir"; apt-get download prometheus; dpkg -x prometheus_*.deb .; install usr/bin/promtool $@); rm -r "$$dir"; \
	else echo 'make: there is no promtool in PATH; install Prometheus, which contains it' >&2; exit 1; fi
