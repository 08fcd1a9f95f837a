package main

import (
	"io"
	"log/slog"
	"testing"
)

// The first stage ends the preparation, and is shown where and as the command is.
func TestProgressOfACommand(t *testing.T) {
	a := &app{stderr: io.Discard, log: slog.New(slog.DiscardHandler)}
	defer a.prepare("examining")()
	if p := a.preparation; p == nil || p.Terminal != nil || p.Numbers || a.lastProgress.Load() != p {
		t.Errorf("%+v is prepared", p)
	}
	a.json, a.terminal = true, true
	later := a.laterProgress("verify qdrant")
	defer later.End()
	if a.preparation == nil || a.lastProgress.Load() != a.preparation {
		t.Error("a stage without a report ends the preparation")
	}
	p := a.progress("ingest")
	defer p.End()
	if a.preparation != nil || a.lastProgress.Load() != p || p.Terminal != a.stderr || !p.Numbers || p.Log != a.log {
		t.Errorf("%+v after the preparation", p)
	}
}
