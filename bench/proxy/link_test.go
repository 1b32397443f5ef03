// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package proxy

import (
	"bufio"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// end is one end of a connection, line by line.
type end struct {
	net.Conn
	lines chan string
}

func newEnd(conn net.Conn) *end {
	e := &end{conn, make(chan string, 10)}
	go func() {
		defer close(e.lines)
		for scanner := bufio.NewScanner(conn); scanner.Scan(); {
			e.lines <- scanner.Text()
		}
	}()
	return e
}

func (e *end) say(t *testing.T, line string) {
	t.Helper()
	_, err := e.Write([]byte(line + "\n"))
	require.NoError(t, err)
}

func (e *end) hears(t *testing.T, want string) {
	t.Helper()
	select {
	case line := <-e.lines:
		require.Equal(t, want, line)
	case <-time.After(10 * time.Second):
		t.Fatalf("nothing came, want %q", want)
	}
}

func TestLink(t *testing.T) {
	cases := map[string]func(t *testing.T, l *Link, client, server *end){
		"an open link passes both ways": func(t *testing.T, _ *Link, client, server *end) {
			client.say(t, "up")
			server.hears(t, "up")
			server.say(t, "down")
			client.hears(t, "down")
		},
		"half a link passes the other way, and what was held comes late": func(t *testing.T, l *Link, client, server *end) {
			l.Hold(Up)
			client.say(t, "late")
			require.Eventually(t, func() bool { return l.Held() == 5 }, 10*time.Second, time.Millisecond)
			server.say(t, "down")
			client.hears(t, "down")
			require.Empty(t, server.lines)
			l.Flush()
			server.hears(t, "late")
		},
		"one direction may go on alone": func(t *testing.T, l *Link, client, server *end) {
			l.Hold(Both)
			client.say(t, "up")
			server.say(t, "down")
			require.Eventually(t, func() bool { return l.Held() == 8 }, 10*time.Second, time.Millisecond)
			l.Release(Up)
			server.hears(t, "up")
			require.Empty(t, client.lines)
			l.Flush()
			client.hears(t, "down")
		},
		"what was held comes even from a client that has gone": func(t *testing.T, l *Link, client, server *end) {
			l.Hold(Both)
			client.say(t, "last words")
			require.Eventually(t, func() bool { return l.Held() == 11 }, 10*time.Second, time.Millisecond)
			require.NoError(t, client.Close())
			l.Flush()
			server.hears(t, "last words")
			server.hears(t, "")
		},
		"a link that is healed has lost what was held": func(t *testing.T, l *Link, client, server *end) {
			l.Hold(Both)
			client.say(t, "lost")
			require.Eventually(t, func() bool { return l.Held() == 5 }, 10*time.Second, time.Millisecond)
			l.Heal()
			server.hears(t, "")
			client.hears(t, "")
		},
		"a slow link takes its time": func(t *testing.T, l *Link, client, server *end) {
			const delay = 50 * time.Millisecond
			l.Delay(delay)
			began := time.Now()
			client.say(t, "slow")
			server.hears(t, "slow")
			require.GreaterOrEqual(t, time.Since(began), delay)
		},
	}
	for name, check := range cases {
		t.Run(name, func(t *testing.T) {
			l, client, server := linked(t)
			check(t, l, client, server)
		})
	}
}

// linked returns a link and the ends of a connection through it.
func linked(t *testing.T) (l *Link, client, server *end) {
	t.Helper()
	upstream, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = upstream.Close() })
	file := clientcmdapi.NewConfig()
	file.Clusters["c"] = &clientcmdapi.Cluster{Server: "https://" + upstream.Addr().String()}
	own := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*file, own))
	l, err = NewLink(own, t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	conn, err := net.Dial("tcp", l.listener.Addr().String())
	require.NoError(t, err)
	accepted, err := upstream.Accept()
	require.NoError(t, err)
	return l, newEnd(conn), newEnd(accepted)
}
