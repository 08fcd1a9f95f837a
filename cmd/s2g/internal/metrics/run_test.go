package metrics

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/cmd/s2g/internal/verify"
	"s2g/schema"
	"s2g/schema/manifest"
)

var day = time.Date(2024, 4, 2, 3, 4, 5, 0, time.UTC)

func aRun(command string, code int) Run {
	return Run{
		Command: command, Tool: "v1.2.3", Started: day, Finished: day.Add(90 * time.Second), ExitCode: code,
		Manifest: &manifest.Manifest{
			Dump: manifest.Dump{Newest: "2024-03-31T23:59:59.500Z", Tables: map[string]manifest.DumpTable{"Posts": {Bytes: 1000}, "Tags": {Bytes: 234}}},
			Stages: map[string]*manifest.Stage{
				manifest.Ingest: {Finished: day.Add(time.Minute), Summary: manifest.Summary{
					Rows: 12, BytesIn: 1234, BytesOut: 900, Seconds: 3.5, PeakRSS: 50 << 20, Errors: map[string]int64{"bad id": 2, `with "quotes"`: 1},
				}},
				manifest.Graph: {Finished: day.Add(2 * time.Minute), Summary: manifest.Summary{Rows: 70_000, BytesOut: 5000, Seconds: 2}},
			},
		},
		UpToDate:       map[string]bool{manifest.Ingest: true, manifest.Graph: false},
		DatabaseMemory: map[string]int64{manifest.Graph: 300 << 20},
		Checks:         []verify.Check{{Name: "files", Count: 44, OK: true}, {Name: "graph", Count: 7, OK: false}},
	}
}

// lines writes a run to the file and returns its samples.
func lines(t *testing.T, path string, r Run) map[string]string {
	t.Helper()
	if err := Write(path, r); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			i := strings.LastIndexByte(line, ' ')
			samples[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	return samples
}

var update = flag.Bool("update", false, "write the golden file anew")

// The golden file was accepted by promlint and by the parser of prometheus/common v0.66.1, and is byte for byte what
// that module wrote.
func TestFileIsInPrometheusTextFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s2g so.prom")
	lines(t, path, aRun("build", 5))
	lines(t, path, aRun("build", 0)) // over what is there
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte(runtime.Version()), []byte("GOVERSION"))
	golden := filepath.Join("testdata", "build.prom")
	if *update {
		if err := os.WriteFile(golden, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Error(diff)
	}
	for name, about := range help {
		if about == "" || strings.ContainsAny(about, "\\\n") || !strings.Contains(string(text), "# HELP "+name+" "+about+"\n# TYPE "+name+" gauge\n"+name+"{") {
			t.Errorf("%s has no series, or a help text that must be escaped: %q", name, about)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// What a label holds is read back as it was written, and never taken for another label.
func TestLabelsAreEscaped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "so.prom")
	for _, value := range []string{`"`, `\`, "\n", `\n`, `a\"b`, `x",class="y`, "ä ☃", "", `}`, ","} {
		p := page{}
		p.set("s2g_stage_rejected_rows", 1.5, "run", "so", "class", value)
		text := p.text()
		if strings.Count(string(text), "\n") != 3 {
			t.Errorf("%q: not three lines:\n%s", value, text)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := read(path)
		if err != nil {
			t.Errorf("%q: %v", value, err)
		}
		if diff := cmp.Diff(p, back); diff != "" {
			t.Errorf("%q: %s", value, diff)
		}
		p.drop("s2g_stage_", "class", "y")
		if len(p["s2g_stage_rejected_rows"]) != 1 {
			t.Errorf("%q is taken for the class y", value)
		}
		if p.drop("s2g_stage_", "class", value, "run", "so"); len(p["s2g_stage_rejected_rows"]) != 0 {
			t.Errorf("%q is not found", value)
		}
	}
}

func TestSamples(t *testing.T) {
	got := lines(t, filepath.Join(t.TempDir(), "so.prom"), aRun("build", 0))
	for sample, want := range map[string]string{
		`s2g_last_run_exit_code{command="build",run="so"}`:                         "0",
		`s2g_last_run_duration_seconds{command="build",run="so"}`:                  "90",
		`s2g_last_success_timestamp_seconds{command="build",run="so"}`:             "1.712027135e+09",
		`s2g_dump_bytes{run="so"}`:                                                 "1234",
		`s2g_dump_newest_post_timestamp_seconds{run="so"}`:                         "1.7119295995e+09",
		`s2g_stage_rows{run="so",stage="graph"}`:                                   "70000",
		`s2g_stage_duration_seconds{run="so",stage="ingest"}`:                      "3.5",
		`s2g_stage_peak_memory_bytes{run="so",stage="ingest"}`:                     "5.24288e+07",
		`s2g_stage_rejected_rows{class="bad id",run="so",stage="ingest"}`:          "2",
		`s2g_stage_rejected_rows{class="with \"quotes\"",run="so",stage="ingest"}`: "1",
		`s2g_stage_up_to_date{run="so",stage="ingest"}`:                            "1",
		`s2g_stage_up_to_date{run="so",stage="graph"}`:                             "0",
		`s2g_stage_database_peak_memory_bytes{run="so",stage="graph"}`:             "3.145728e+08",
		`s2g_verify_compared{check="files",run="so"}`:                              "44",
		`s2g_verify_different{check="graph",run="so"}`:                             "1",
	} {
		if got[sample] != want {
			t.Errorf("%s is %q, want %s", sample, got[sample], want)
		}
	}
}

// A run that fails keeps the time of the last success, a command keeps the series of others, and series of what is no more
// are removed.
func TestRunsThatFollowEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "so.prom")
	first := lines(t, path, aRun("build", 0))
	failed := aRun("build", 4)
	failed.Finished = day.Add(time.Hour)
	failed.Manifest = nil // not even that could be read
	failed.UpToDate, failed.DatabaseMemory, failed.Checks = nil, nil, nil
	second := lines(t, path, failed)
	const success, failure = `s2g_last_success_timestamp_seconds{command="build",run="so"}`, `s2g_last_failure_timestamp_seconds{command="build",run="so"}`
	if second[success] != first[success] || second[failure] == "" || second[`s2g_last_run_exit_code{command="build",run="so"}`] != "4" {
		t.Errorf("after a failure: %v", second)
	}
	if diff := cmp.Diff(first[`s2g_stage_rows{run="so",stage="graph"}`], second[`s2g_stage_rows{run="so",stage="graph"}`]); diff != "" {
		t.Error(diff)
	}
	third := lines(t, path, Run{Command: "load qdrant", Started: day, Finished: day, Tool: "v2"})
	for sample, value := range second {
		if !strings.HasPrefix(sample, "s2g_build_info") && third[sample] != value {
			t.Errorf("%s was %s, is %q", sample, value, third[sample])
		}
	}
	rebuilt := aRun("build", 0)
	delete(rebuilt.Manifest.Stages, manifest.Graph)
	rebuilt.Manifest.Stages[manifest.Ingest].Errors = map[string]int64{"bad id": 7}
	fourth := lines(t, path, rebuilt)
	if _, there := fourth[`s2g_stage_rows{run="so",stage="graph"}`]; there || len(fourth) == 0 {
		t.Error("a stage that is no more has rows")
	}
	if _, there := fourth[`s2g_stage_rejected_rows{class="with \"quotes\"",run="so",stage="ingest"}`]; there {
		t.Error("a class without rows is still there")
	}
	if fourth[`s2g_last_run_exit_code{command="load qdrant",run="so"}`] != "0" {
		t.Errorf("what load said is gone: %v", fourth)
	}
}

func TestDamagedFilesAreReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "so.prom")
	for _, text := range []string{"s2g_last_run_exit_code{command=", "\x00\x01", "other_metric{run=\"so\"} 1\n", "s2g_stage_rows{run=\"old name\",stage=\"graph\"} 1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := lines(t, path, aRun("build", 0))
		if len(got) == 0 || got[`other_metric{run="so"}`] != "" || got[`s2g_stage_rows{run="old name",stage="graph"}`] != "" {
			t.Errorf("over %q: %v", text, got)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := Check(filepath.Join(dir, "so.prom")); err != nil {
		t.Error(err)
	}
	if err := Check(filepath.Join(dir, "none", "so.prom")); err == nil {
		t.Error("a folder that is not there will do")
	} else if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || remedy == "" {
		t.Errorf("%v", err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}
