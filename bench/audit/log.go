// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// Log is what was read, reduced to what rules ask for: some 400 bytes for each write.
// The bodies of what says who owns what are kept whole; of all else, nothing is.
type Log struct {
	events     []*event
	reads      []read    // of Leases
	recorded   []version // what Recorders saw
	lost       int       // how often they missed something
	read       int
	unreadable int
	strings    interned
}

// read is a request for what is there.
type read struct {
	writer writer
	at     time.Time
}

// Read reads an audit log, one JSON event a line. A line that is no event is
// counted and passed over: an API server that is killed leaves half a line.
func Read(r io.Reader) (*Log, error) {
	log := &Log{strings: interned{}}
	lines := bufio.NewReaderSize(r, 1<<20)
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			log.add(line)
		}
		if errors.Is(err, io.EOF) {
			return log, nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading line %d of the audit log: %w", number, err)
		}
	}
}

func (l *Log) add(line []byte) {
	var logged auditv1.Event
	if err := json.Unmarshal(line, &logged); err != nil || logged.Stage == "" || logged.Verb == "" {
		l.unreadable++
		return
	}
	l.read++
	if logged.ObjectRef != nil && logged.ObjectRef.Resource == "leases" && (logged.Verb == "get" || logged.Verb == "list") {
		l.reads = append(l.reads, read{writerOf(&logged), logged.StageTimestamp.Time})
		return
	}
	if e := reduce(&logged); e != nil {
		l.strings.event(e)
		l.events = append(l.events, e)
	}
}
