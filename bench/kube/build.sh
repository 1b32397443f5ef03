#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Banyan Authors
#
# Builds etcd, kube-apiserver, kube-controller-manager and kubectl from their Go modules into bin/kube/VERSION, and points
# bin/kube/current there. What is there already is not built again. Progress goes to stderr, the directory to stdout.
#
#   bench/kube/build.sh               build what is missing
#   bench/kube/build.sh --print-dir   print the directory, build nothing
#
# When KUBEBUILDER_ASSETS is set, that directory is used as it is and nothing is built.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
binaries=(etcd kube-apiserver kube-controller-manager kubectl)

say() { printf 'kube: %s\n' "$*" >&2; }

# module_version FOLDER MODULE: the version that the folder's go.mod pins.
module_version() { (cd "$here/$1" && go list -m -f '{{.Version}}' "$2"); }

# use_given: with KUBEBUILDER_ASSETS set, check it and be done.
use_given() {
  local name missing=()
  for name in "${binaries[@]}"; do
    [[ -x "$KUBEBUILDER_ASSETS/$name" ]] || missing+=("$name")
  done
  if ((${#missing[@]})); then
    say "KUBEBUILDER_ASSETS is $KUBEBUILDER_ASSETS, which lacks: ${missing[*]}"
    say "unset KUBEBUILDER_ASSETS to have all of them built here"
    exit 1
  fi
  say "KUBEBUILDER_ASSETS is set, nothing is built"
  printf '%s\n' "$KUBEBUILDER_ASSETS"
}

# watch_progress PID LOG TOTAL: a line every 15 s while PID runs. Go prints a package when it compiles it and is silent about
# one that it has cached, so the first number may end below the second.
watch_progress() {
  local begin=$SECONDS next=$((SECONDS + 15))
  while kill -0 "$1" 2>/dev/null; do
    if ((SECONDS >= next)); then
      say "$((SECONDS - begin)) s, $(wc -l <"$2" | tr -d ' ') packages compiled (at most $3; those in Go's cache are not counted)"
      next=$((SECONDS + 15))
    fi
    sleep 0.2
  done
}

# build FOLDER PACKAGE NAME LDFLAGS: one binary. It gets its name when it is whole, so that an interrupted build leaves nothing
# that looks finished.
build() {
  local folder=$1 package=$2 name=$3 ldflags=$4 begin=$SECONDS total status=0
  local part="$dir/.$name.$$" log="$dir/.$name.$$.log"
  if [[ -x "$dir/$name" ]]; then
    say "$name is there"
    return
  fi

  total=$(cd "$here/$folder" && go list -deps "$package" | wc -l | tr -d ' ')
  say "building $name: $total packages at most"
  (cd "$here/$folder" && exec go build -v -ldflags "$ldflags" -o "$part" "$package") 2>"$log" &
  child=$!
  watch_progress "$child" "$log" "$total"
  wait "$child" || status=$?
  child=
  if ((status)); then
    say "building $name ended with an error:"
    tail -n 20 "$log" >&2
    exit "$status"
  fi

  mv "$part" "$dir/$name"
  say "$name built in $((SECONDS - begin)) s, $(wc -l <"$log" | tr -d ' ') packages compiled"
  rm -f "$log"
}

# end_build: on the way out, however that is, end a build in progress and take its unfinished files away.
child=
end_build() {
  if [[ -n "$child" ]]; then
    kill "$child" 2>/dev/null || true
    wait "$child" 2>/dev/null || true
  fi
  rm -f "$dir"/.*."$$" "$dir"/.*."$$.log"
}

if [[ -n "${KUBEBUILDER_ASSETS:-}" ]]; then
  use_given
  exit
fi

kubernetes=$(module_version kubernetes k8s.io/kubernetes)
etcd=$(module_version etcd go.etcd.io/etcd/server/v3)
key="kubernetes-$kubernetes-etcd-$etcd"
dir="$root/bin/kube/$key"
if [[ "${1:-}" == --print-dir ]]; then
  printf '%s\n' "$dir"
  exit
fi

export CGO_ENABLED=0
mkdir -p "$dir"
trap end_build EXIT
trap 'exit 130' INT TERM

missing=()
for name in "${binaries[@]}"; do
  [[ -x "$dir/$name" ]] || missing+=("$name")
done
if ((${#missing[@]})); then
  say "building ${missing[*]} into $dir"
  say "with an empty Go cache all four take about 20 minutes on two cores, and 5 GB of cache; with a full one a minute"
fi

# Without the stamps a client sees version v0.0.0, and feature gates go by it.
IFS=. read -r major minor _ <<<"${kubernetes#v}"
version=k8s.io/component-base/version
stamps="-s -w -X $version.gitVersion=$kubernetes -X $version.gitMajor=$major -X $version.gitMinor=$minor"

build etcd go.etcd.io/etcd/server/v3 etcd "-s -w"
for name in kube-apiserver kube-controller-manager kubectl; do
  build kubernetes "k8s.io/kubernetes/cmd/$name" "$name" "$stamps"
done

ln -sfn "$key" "$root/bin/kube/current"
printf '%s\n' "$dir"
