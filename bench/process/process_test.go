// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

//go:build linux

package process

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// parentLog tells this test binary to be a parent that starts a child, says its number, and then does nothing.
const parentLog = "BANYAN_TEST_PARENT_LOG"

func TestMain(m *testing.M) {
	if log := os.Getenv(parentLog); log != "" {
		child, err := Launch("child", "/bin/sleep", log, []string{"600"}, func(string, error) {})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(child.child.Pid)
		select {}
	}
	os.Exit(m.Run())
}

func TestChildDiesWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentLog+"="+filepath.Join(t.TempDir(), "log"))
	out, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())

	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	child, err := strconv.Atoi(strings.TrimSpace(line))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(child, 0), "the child runs")

	require.NoError(t, parent.Process.Kill())
	require.Error(t, parent.Wait(), "killed")
	require.Eventually(t, func() bool { return ended(child) }, 10*time.Second, 10*time.Millisecond)
}

// ended counts a child that nobody has reaped yet as ended.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return os.IsNotExist(err)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}

func TestUnaskedEndIsTold(t *testing.T) {
	told := make(chan string, 1)
	p, err := Launch("brief", "/bin/false", filepath.Join(t.TempDir(), "log"), nil, func(name string, err error) {
		told <- fmt.Sprintf("%s: %v", name, err)
	})
	require.NoError(t, err)

	require.Equal(t, "brief: exit status 1", <-told)
	require.True(t, p.Exited())
	require.NoError(t, p.Kill(), "killing what is gone")
}

func TestTerminateKillsTheUnwilling(t *testing.T) {
	ready := filepath.Join(t.TempDir(), "ready")
	p, err := Launch("stubborn", "/bin/sh", filepath.Join(t.TempDir(), "log"),
		[]string{"-c", `trap "" TERM; touch "$0"; while :; do sleep 1; done`, ready}, func(string, error) { t.Error("it was asked to end") })
	require.NoError(t, err)
	require.Eventually(t, func() bool { _, err := os.Stat(ready); return err == nil }, 10*time.Second, 10*time.Millisecond)

	require.NoError(t, p.Terminate(50*time.Millisecond))
	require.True(t, p.Exited())
}
