package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// begun is a progress that began ten seconds ago and has logged nothing since.
func begun(a *app, stage string) *progress {
	p := a.progress(stage)
	p.started, p.logged = time.Now().Add(-10*time.Second), time.Now().Add(-logEvery)
	return p
}

func TestProgressForPrograms(t *testing.T) {
	var log bytes.Buffer
	a := &app{stderr: io.Discard, json: true, log: slog.New(slog.NewJSONHandler(&log, nil))}
	begun(a, "ingest").report("Posts", 1000, 4000)
	var line struct {
		Msg, What, Unit string
		Done, Total     int64
		PerSecond       float64 `json:"per_second"`
		ETA             float64 `json:"eta_seconds"`
	}
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	if line.Msg != "ingest" || line.What != "Posts" || line.Unit != "bytes" || line.Done != 1000 || line.Total != 4000 || line.PerSecond < 90 || line.ETA < 25 {
		t.Errorf("%s", log.String())
	}
}

func TestProgressForPeople(t *testing.T) {
	var log bytes.Buffer
	a := &app{stderr: io.Discard, log: slog.New(slog.NewTextHandler(&log, nil))}
	p := begun(a, "graph")
	p.report("posts", 1000, 4000)
	p.report("posts", 1001, 4000) // too soon after the last line
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "msg=graph what=posts done=1,000 rate=") || !strings.Contains(got, "of=4,000 percent=25 eta=") {
		t.Errorf("%s", got)
	}
	log.Reset()
	begun(a, "graph").report("posts", 0, 0) // nothing is known yet
	if got := log.String(); !strings.Contains(got, "done=0\n") {
		t.Errorf("%s", got)
	}
}
