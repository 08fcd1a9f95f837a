// Package metrics writes a file for the textfile collector of Prometheus' node_exporter: the times of a command's last
// success and failure, and the rows, bytes, seconds and memory of each stage.
//
// All commands of a job can share one file: a run replaces the series of earlier runs of its command and keeps those of
// other commands. Each series has the label run, the file's name without .prom, because the collector refuses a folder
// whose files have different values of one series.
package metrics

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"s2g/cmd/s2g/internal/verify"
	"s2g/schema"
	"s2g/schema/manifest"
)

// Run describes a run of a command.
type Run struct {
	Command           string // as "build" or "load qdrant"
	Tool              string // version of s2g
	Started, Finished time.Time
	ExitCode          int
	Manifest          *manifest.Manifest // of the build at the end of the run; nil where there is none
	UpToDate          map[string]bool    // by stage of the run: it was up to date
	DatabaseMemory    map[string]int64   // by stage that was not: peak of the private MariaDB, bytes
	Checks            []verify.Check     // nil where nothing was verified
}

// Check returns a usage fault if the file cannot be written.
func Check(path string) error {
	f, err := create(path)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return schema.Faultf(schema.FaultUsage, "give a file in an existing folder, as the textfile folder of node_exporter", "option metrics: %w", err)
	}
	return nil
}

// create creates a temporary file beside path. Its name does not end in .prom, so the collector does not read it. It does
// not let a file replace a pipe or a device, as /dev/null.
func create(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := schema.CheckRegular(path, info); err != nil {
			return nil, err
		}
	}
	return os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
}

// Write writes the file atomically. It replaces an unreadable file.
func Write(path string, r Run) error {
	p, err := read(path)
	if err != nil {
		p = page{}
	}
	r.fill(p, strings.TrimSuffix(filepath.Base(path), ".prom"))
	f, err := create(path)
	if err != nil {
		return fmt.Errorf("writing option metrics: %w", err)
	}
	_, err = f.Write(p.text())
	// the collector reads it as a user of its own
	if err = errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing option metrics: %w", err), os.Remove(f.Name()))
	}
	return nil
}

// fill replaces the series of earlier runs by those of this one.
func (r Run) fill(p page, run string) {
	p.keepRun(run)
	p.drop("s2g_build_info")
	p.set("s2g_build_info", 1, "run", run, "version", r.Tool, "goversion", runtime.Version())
	p.drop("s2g_last_run_", "command", r.Command)
	labels := []string{"run", run, "command", r.Command}
	p.set("s2g_last_run_timestamp_seconds", seconds(r.Finished), labels...)
	p.set("s2g_last_run_duration_seconds", r.Finished.Sub(r.Started).Seconds(), labels...)
	p.set("s2g_last_run_exit_code", float64(r.ExitCode), labels...)
	outcome := "s2g_last_success_timestamp_seconds"
	if r.ExitCode != 0 {
		outcome = "s2g_last_failure_timestamp_seconds"
	}
	p.drop(outcome, "command", r.Command)
	p.set(outcome, seconds(r.Finished), labels...)
	if r.Manifest != nil {
		r.fillBuild(p, run)
	}
	for stage, upToDate := range r.UpToDate {
		p.drop("s2g_stage_up_to_date", "stage", stage)
		p.set("s2g_stage_up_to_date", number(upToDate), "run", run, "stage", stage)
	}
	for stage, n := range r.DatabaseMemory {
		p.drop("s2g_stage_database_", "stage", stage)
		if n > 0 {
			p.set("s2g_stage_database_peak_memory_bytes", float64(n), "run", run, "stage", stage)
		}
	}
	if r.Checks != nil {
		p.drop("s2g_verify_")
	}
	for _, c := range r.Checks {
		p.set("s2g_verify_compared", float64(c.Count), "run", run, "check", c.Name)
		p.set("s2g_verify_different", number(!c.OK), "run", run, "check", c.Name)
	}
}

// fillBuild sets the series of dump and stages from the manifest, also those of stages that other runs finished.
func (r Run) fillBuild(p page, run string) {
	p.drop("s2g_dump_")
	p.set("s2g_dump_bytes", float64(r.Manifest.Dump.Bytes()), "run", run)
	if newest, err := time.Parse(time.RFC3339, r.Manifest.Dump.Newest); err == nil {
		p.set("s2g_dump_newest_post_timestamp_seconds", seconds(newest), "run", run)
	}
	for _, stage := range []string{manifest.Ingest, manifest.Graph, manifest.Vectors} {
		for _, what := range []string{"finished_", "duration_", "rows", "read_", "written_", "peak_", "rejected_"} {
			p.drop("s2g_stage_"+what, "stage", stage)
		}
		s := r.Manifest.Stages[stage]
		if s == nil {
			continue
		}
		labels := []string{"run", run, "stage", stage}
		p.set("s2g_stage_finished_timestamp_seconds", seconds(s.Finished), labels...)
		p.set("s2g_stage_duration_seconds", s.Seconds, labels...)
		p.set("s2g_stage_rows", float64(s.Rows), labels...)
		p.set("s2g_stage_read_bytes", float64(s.BytesIn), labels...)
		p.set("s2g_stage_written_bytes", float64(s.BytesOut), labels...)
		p.set("s2g_stage_peak_memory_bytes", float64(s.PeakRSS), labels...)
		for class, n := range s.Errors {
			p.set("s2g_stage_rejected_rows", float64(n), append(labels, "class", class)...)
		}
	}
}

// seconds returns a time as Prometheus has it, in seconds since 1970.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
