// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package lease

import (
	"bytes"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/banyan-hns/banyan/shard"
)

// picture is a status of three members and 128 shards, some of which nobody holds, and
// some of which are held by another member than they belong to.
func picture(unowned, misplaced int) Report {
	names := []string{"banyan-0", "banyan-1", "banyan-2"}
	s := shard.Status{Self: "banyan-1/uid/life", State: shard.MemberActive, Remain: 6900 * time.Millisecond, RingKey: "9c41d0a7", Agreed: true}
	owned, expected := map[string]int{}, map[string]int{}
	for id := range shard.ID(128) {
		at := int(shard.Of(strconv.Itoa(int(id)+1000), 96)) / 32
		status := shard.ShardStatus{ID: id, Holder: names[at], Expected: names[at], Epoch: 7, Reason: shard.ReasonHandover}
		if at == 1 {
			status.State = shard.Owned
		}
		switch {
		case id%11 == 5 && unowned > 0:
			unowned--
			status.Holder, status.Vacant = "", 4200*time.Millisecond
		case id%13 == 3 && misplaced > 0:
			misplaced--
			status.Expected = names[(at+1)%3]
		}
		owned[status.Holder]++
		expected[status.Expected]++
		s.Shards = append(s.Shards, status)
	}
	for i, name := range names {
		s.Members = append(s.Members, shard.MemberStatus{
			Name: name, State: shard.MemberActive, RingKey: s.RingKey, Silent: time.Duration(400+700*i) * time.Millisecond,
			Owned: owned[name], Expected: expected[name],
		})
	}
	report := NewReport(s)
	report.Self.LeaseSeconds = 10
	census := Census{Shards: map[shard.ID]ShardContent{}}
	for id := range shard.ID(128) {
		census.Shards[id] = ShardContent{Roots: 2 + int(id)%3, Namespaces: 20 + int(id*7)%31}
	}
	report.fill(census)
	return report
}

// chromium runs a headless browser once, with a profile of its own.
func chromium(t *testing.T, args ...string) []byte {
	t.Helper()
	binary, err := exec.LookPath("chromium")
	require.NoError(t, err, "these tests look at the page in a real browser; make browser installs it")
	command := exec.CommandContext(t.Context(), binary, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + t.TempDir(),
	}, args...)...)
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	command.WaitDelay = 5 * time.Second
	require.NoError(t, command.Run(), log.String())
	return out.Bytes()
}

// serve the first report as a page, and the second as JSON.
func serve(t *testing.T, first, then Report) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if formatOf(r) == "html" {
			_ = writePage(w, first, nil)
			return
		}
		_ = writeJSON(w, then)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/shards"
}

// TestPageInABrowser paints the ring, and looks at the pixels: the area of each owner's
// colour is its share of the shards.
func TestPageInABrowser(t *testing.T) {
	report := picture(4, 3)
	file := filepath.Join(t.TempDir(), "page.png")
	if keep := os.Getenv("SCREENSHOT"); keep != "" {
		file = keep
	}
	chromium(t, "--window-size=1180,820", "--screenshot="+file, serve(t, report, report))
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	img, err := png.Decode(bytes.NewReader(data))
	require.NoError(t, err)

	pixels := map[color.NRGBA]int{}
	for y := 60; y < 540; y++ { // the ring
		for x := 30; x < 480; x++ {
			c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
			pixels[c]++
		}
	}
	inks := []color.NRGBA{{0x00, 0x72, 0xb2, 0xff}, {0xe6, 0x9f, 0x00, 0xff}, {0x00, 0x9e, 0x73, 0xff}}
	painted, owned := 0, 0
	for i, m := range report.Ring.Members {
		painted += pixels[inks[i]]
		owned += m.Owned
	}
	require.Equal(t, 124, owned)
	require.Greater(t, painted, 25_000, "the ring is there")
	for i, m := range report.Ring.Members {
		require.InDelta(t, float64(m.Owned)/float64(owned), float64(pixels[inks[i]])/float64(painted), 0.02, "the share of %s", m.Name)
	}
	require.Greater(t, pixels[color.NRGBA{0xc2, 0x41, 0x0c, 0xff}], 200, "what nobody owns is hatched")
}

// TestPageRefreshesItself: the page was made when all was well; what is read two seconds
// later is not, and the page shows that.
func TestPageRefreshesItself(t *testing.T) {
	before, after := picture(0, 0), picture(4, 3)
	after.Ring.Members[2].State = "<b>gone</b>"
	url := serve(t, before, after)
	dom := string(chromium(t, "--virtual-time-budget=5000", "--dump-dom", url))

	require.Contains(t, dom, `<b id="unowned">4</b>`)
	require.Contains(t, dom, `<b id="misplaced">3</b>`)
	require.Contains(t, dom, "4 of 128 shards have no owner")
	require.Contains(t, dom, `class="hold nobody"`)
	require.Contains(t, dom, `class="arc misplaced`)
	require.Contains(t, dom, `<span id="live" class="on">live</span>`)
	require.Contains(t, dom, "&lt;b&gt;gone&lt;/b&gt;", "the script escapes names as well")

	var first bytes.Buffer
	require.NoError(t, pageTemplate.Execute(&first, newPage(before, nil)))
	require.Contains(t, first.String(), `<b id="unowned">0</b>`, "it was not so from the beginning")
	require.NotContains(t, first.String(), `class="hold nobody"`)
}
