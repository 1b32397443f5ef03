// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Command protocol searches for a history in which the ownership protocol breaks
// one of its invariants: all histories of three members with a number of faults,
// and then many random ones.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/banyan-hns/banyan/shard"
	"github.com/banyan-hns/banyan/shard/shardtest"
)

func main() {
	faults := flag.Int("faults", 2, "faults in one history of the exhaustive search; 0 leaves it out")
	from := flag.Int("from", 6, "first tick at which something may go wrong")
	to := flag.Int("to", 12, "last tick at which something may go wrong")
	policy := flag.String("restart-policy", string(shard.Reserve), "that of the members of the exhaustive search: reserve or spare; the random runs have both")
	runs := flag.Uint64("runs", 100_000, "random runs")
	first := flag.Uint64("seed", 0, "seed of the first of them")
	flag.Parse()

	broke := false
	if *faults > 0 {
		broke = exhaust(&shardtest.Search{Faults: *faults, From: *from, To: *to, Policy: shard.RestartPolicy(*policy)})
	}
	if random(*first, *runs) || broke {
		os.Exit(1)
	}
}

func exhaust(s *shardtest.Search) (broke bool) {
	begin := time.Now()
	s.Run()
	fmt.Printf("exhaustive: up to %d faults at ticks %d to %d: %d states, %d met again, %d histories, in %v\n",
		s.Faults, s.From, s.To, s.States, s.Merged, s.Histories, time.Since(begin).Round(time.Second))
	for _, line := range s.Broke {
		fmt.Println("  " + line)
	}
	return s.Broke != nil
}

// random runs, as many at a time as there are processors.
func random(first, runs uint64) (broke bool) {
	begin := time.Now()
	var next, moves, broken atomic.Uint64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < runs; i = next.Add(1) - 1 {
				faults, moved := shardtest.RandomRun(first+i, shardtest.Sound)
				moves.Add(uint64(moved))
				if len(faults) > 0 {
					broken.Add(1)
					fmt.Printf("  seed %d: %s\n", first+i, faults[0])
				}
			}
		})
	}
	wait.Wait()
	fmt.Printf("random: %d runs from seed %d, %d changes of holders, %d runs broke an invariant, in %v\n",
		runs, first, moves.Load(), broken.Load(), time.Since(begin).Round(time.Second))
	return broken.Load() > 0
}
