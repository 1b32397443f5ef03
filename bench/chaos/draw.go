// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/banyan-hns/banyan/shard"
)

// Measures of the drawing, in pixels.
const (
	left, right, top = 96, 24, 64
	laneHeight       = 72
	laneGap          = 34 // for the marks of faults
	narrowest        = 1000
	pixelsASecond    = 4 // or more, if the drawing would be too narrow
)

// colours of the lanes, and of what is drawn over them.
var colours = []string{"#2a6f97", "#468faf", "#2c7a5b", "#7a9e3b", "#b5762a", "#8d5a97", "#5c677d", "#a44a3f", "#3d5a80"}

// draw writes the timeline beside the result.
func (r *result) draw(o options) error {
	if o.output == "" {
		return nil
	}
	path := filepath.Join(filepath.Dir(o.output), "chaos.svg")
	if err := os.WriteFile(path, []byte(r.svg()), 0o644); err != nil {
		return fmt.Errorf("writing the drawing: %w", err)
	}
	return nil
}

// drawing is an SVG that grows.
type drawing struct {
	strings.Builder
	began  time.Time
	second float64 // in pixels
	width  int
}

func (r *result) svg() string {
	lasted := r.ended.Sub(r.began).Seconds()
	d := &drawing{began: r.began, second: max(pixelsASecond, (narrowest-left-right)/max(1, lasted))}
	d.width = left + right + int(lasted*d.second)
	lanesEnd := top + (len(r.names)+1)*(laneHeight+laneGap)
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`,
		d.width, lanesEnd+30, d.width, lanesEnd+30)
	d.add(`<rect width="100%%" height="100%%" fill="#fcfcfa"/>`)
	d.add(`<text x="%d" y="26" font-size="16" fill="#222">Shards that each replica had open, and what was done to it</text>`, left)
	d.add(`<text x="%d" y="44" fill="#666">seed %d; grey: no answer; red: faults; the upper edge of a lane is %d shards</text>`, left, r.options.seed, laneTop(len(r.names)))
	d.grid(r, lanesEnd)
	d.faults(r, -1, top)
	for i, name := range r.names {
		y := top + (i+1)*(laneHeight+laneGap)
		d.lane(name, r.lanes.samples[name], colours[i%len(colours)], y, laneTop(len(r.names)))
		d.faults(r, i, y)
	}
	d.add(`</svg>`)
	return d.String()
}

// laneTop is the number of shards at the upper edge of a lane.
func laneTop(replicas int) int {
	return min(shard.DefaultShards, 2*shard.DefaultShards/max(1, replicas-1))
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(&d.Builder, format+"\n", args...) }

func (d *drawing) x(at time.Time) float64 { return left + at.Sub(d.began).Seconds()*d.second }

func (d *drawing) grid(r *result, bottom int) {
	for s := 0; s <= int(r.ended.Sub(r.began).Seconds()); s += 30 {
		x := left + int(float64(s)*d.second)
		d.add(`<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="#e4e4de"/>`, x, x, top, bottom)
		d.add(`<text x="%d" y="%d" fill="#888" text-anchor="middle">%d s</text>`, x, bottom+16, s)
	}
	d.add(`<text x="12" y="%d" fill="#222" font-weight="bold">the whole</text>`, top+laneHeight/2)
}

// lane is an area as high as the number of shards, and grey where nobody answered.
func (d *drawing) lane(name string, samples []sample, colour string, y, most int) {
	bottom := y + laneHeight
	d.add(`<rect x="%d" y="%d" width="%d" height="%d" fill="#f1f1ec"/>`, left, y, d.width-left-right, laneHeight)
	d.add(`<text x="12" y="%d" fill="%s" font-weight="bold">%s</text>`, y+laneHeight/2, colour, html.EscapeString(name))
	for i, s := range samples {
		if i+1 == len(samples) || s.At.Before(d.began) {
			continue
		}
		from, to := d.x(s.At), d.x(samples[i+1].At)
		if s.Owned == silent {
			d.add(`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#cfcfc8"/>`, from, y, to-from+0.3, laneHeight)
			continue
		}
		height := laneHeight * float64(min(s.Owned, most)) / float64(most)
		d.add(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" fill="%s" fill-opacity="0.85"/>`, from, float64(bottom)-height, to-from+0.3, height, colour)
	}
}

// faults of one replica, or of the whole: a bar above the lane, and its name. Names
// that would overlap take the next line.
func (d *drawing) faults(r *result, replica, y int) {
	ends := map[int]float64{} // of each line
	for _, deed := range r.deeds {
		if deed.Replica != replica {
			continue
		}
		from, to := d.x(deed.From), max(d.x(deed.To), d.x(deed.From)+2)
		text := deed.Label()
		line := 0
		for ends[line] > from && line < 5 {
			line++
		}
		ends[line] = from + max(to-from, 6.2*float64(len(text))) + 6
		height := laneHeight
		textY, barY := y-8-11*line, y-4
		if replica < 0 {
			height = 3 + laneHeight/2
			textY, barY = y+12+12*line, y+66
		}
		d.add(`<rect x="%.1f" y="%d" width="%.1f" height="3" fill="#c1121f"/>`, from, barY, to-from)
		if replica >= 0 {
			d.add(`<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="#c1121f" fill-opacity="0.10"/>`, from, y, to-from, height)
		}
		d.add(`<text x="%.1f" y="%d" fill="#7d1128" font-size="10">%s</text>`, from, textY, html.EscapeString(text))
	}
}
