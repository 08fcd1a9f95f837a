package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"s2g/schema"
)

// Whatever a command reads by a name that a user has given it refuses at once where it is a pipe or a device, which
// may have no end, and the message names the reason.
func TestPipesAndDevicesAreRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, folder := range []string{"o", "dump"} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, what := range map[string]string{
		"manifest": "stats --out o; verify --out o; search --out o x; doctor --out o; diff o o; build --dump dump --out o; db --out o; languages --out o; " +
			"load qdrant --out o --url x; load graphdb --out o --url http://x; publish --out o; clean --out o 1; report --out o; eval --out o",
		"config":    "languages --config CONFIG",
		"languages": "languages --languages @LANGUAGES",
		"secret":    "languages",
		"site":      "build --dump dump --out new",
		"metrics":   "stats --out o --metrics METRICS.prom",
	} {
		t.Run(name, func(t *testing.T) {
			path := map[string]string{"manifest": "o/manifest.json", "site": "dump/" + schema.DumpSiteFile, "metrics": "metrics.prom"}[name]
			if path == "" {
				path = name
			}
			if name == "secret" {
				t.Setenv("S2G_QDRANT_API_KEY_FILE", path)
			}
			for kind, place := range map[string]func() error{
				"is a pipe":   func() error { return syscall.Mkfifo(path, 0o600) },
				"is a device": func() error { return os.Symlink("/dev/zero", path) },
			} {
				if err := place(); err != nil {
					t.Fatal(err)
				}
				for line := range strings.SplitSeq(what, ";") {
					line = strings.NewReplacer("CONFIG", path, "LANGUAGES", path, "METRICS.prom", path).Replace(line)
					ended := make(chan struct{})
					go feed(t, path, ended)
					_, log := s2gExits(t, 2, strings.Fields(line)...)
					close(ended)
					mustContain(t, log, kind)
				}
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// feed fails the test if a command opens a pipe to read before it has ended, and ends what the command reads.
func feed(t *testing.T, pipe string, ended chan struct{}) {
	for {
		select {
		case <-ended:
			return
		default:
		}
		if w, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			if info, err := w.Stat(); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
				t.Error("a command waits for the pipe")
			}
			_ = w.Close()
		}
		time.Sleep(time.Millisecond) // for the processor's sake
	}
}

// Only schema opens files by name, so that each open refuses pipes: the others hold what s2g or the system has made.
func TestFilesAreOpenedByOneFunction(t *testing.T) {
	own := []string{"schema/regularfile.go", "schema/memory/memory.go", "schema/manifest/dir.go", "schema/projection/writer.go"} // the last two open a folder
	err := filepath.WalkDir("../..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			opens := strings.Contains(line, "os.Open(") || strings.Contains(line, "os.ReadFile(")
			isTest := strings.HasSuffix(filepath.Dir(name), "test")
			if opens && !isTest && !(name == own[0] || name == own[1] || (name == own[2] || name == own[3]) && strings.Contains(line, "(folder)")) {
				t.Errorf("%s:%d: use schema.OpenRegular or schema.ReadRegular", name, i+1)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
