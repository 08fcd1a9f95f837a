package qdrant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"s2g/schema"
	"s2g/schema/schematest"
)

// The environment variables of a test process that loads a build and is killed: the
// address of a server, and a file with the build.
const (
	childServer = "QDRANT_TEST_SERVER"
	childBuild  = "QDRANT_TEST_BUILD"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(childServer); address != "" {
		if err := child(address, os.Getenv(childBuild)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child loads a build and puts it in service.
func child(address, file string) error {
	ctx := context.Background()
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var b Build
	if err := json.Unmarshal(text, &b); err != nil {
		return err
	}
	a, err := ParseAddress(address)
	if err != nil {
		return err
	}
	s, err := Open(ctx, Access{Address: a, RetryFor: DefaultRetryFor})
	if err != nil {
		return err
	}
	o := small()
	o.InFlight = 1
	o.Progress = func(string, int64, int64) { time.Sleep(20 * time.Millisecond) } // so that the kill comes amid the work
	if _, err := s.Load(ctx, b, o); err != nil {
		return err
	}
	_, err = s.PutInService(ctx, b, 0, false)
	return errors.Join(err, s.Close())
}

// Loading processes are killed at any moment. The aliases never lead to an incomplete
// collection, and the next load completes the build.
func TestClientKilled(t *testing.T) {
	s := open(t, schematest.Qdrant(t))
	p := prefix(t, s)
	first := build(t, p, "2024-03-31_00000001", map[string]int{"c": 20, "python": 20})
	mustLoad(t, s, first, small())
	mustServe(t, s, first, 0)
	b := build(t, p, "2024-06-30_00000002", map[string]int{"c": 100, "python": 300})
	file := filepath.Join(t.TempDir(), "build.json")
	text, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	killed := 0
	for points := int64(1); points < b.Points(); points += 100 + r.Int64N(100) {
		run := exec.CommandContext(t.Context(), program)
		run.Env = append(os.Environ(), childServer+"="+s.Address.String(), childBuild+"="+file)
		run.Stderr = os.Stderr
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		if !reaches(t, s, b, points) {
			t.Fatal("the load does not go on")
		}
		time.Sleep(time.Duration(r.IntN(20)) * time.Millisecond)
		if err := run.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if run.Wait() == nil {
			break // it has finished
		}
		killed++
		aliases, err := s.Aliases(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if aliases[b.Alias("c")] == b.Collection("c") || aliases[b.Alias("python")] == b.Collection("python") {
			if err := s.checkComplete(t.Context(), b); err != nil { // killed after the last step
				t.Errorf("half a build is in service: %v", err)
			}
		}
	}
	if killed < 2 {
		t.Errorf("%d processes were killed", killed)
	}
	mustLoad(t, s, b, small())
	mustServe(t, s, b, 0)
	for _, l := range b.Languages {
		holds(t, s, b.Alias(l.Slug), l)
	}
	d, err := s.directory(t.Context())
	if err != nil || d.collections[first.Collection("c")] {
		t.Errorf("the build before is still there: %v", err)
	}
}

// reaches waits until the server has so many points of a build.
func reaches(t *testing.T, s *Server, b Build, points int64) bool {
	t.Helper()
	for until := time.Now().Add(5 * time.Minute); time.Now().Before(until); time.Sleep(2 * time.Millisecond) {
		d, err := s.directory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var n int64
		for _, l := range b.Languages {
			if name := b.Collection(l.Slug); d.collections[name] {
				have, err := s.Count(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				n += have
			}
		}
		if n >= points {
			return true
		}
	}
	return false
}

// A server is killed during a load. The load fails with a service fault, or waits
// within RetryFor. After a restart another load completes the build, although the server
// may have lost points that it had acknowledged.
func TestServerKilled(t *testing.T) {
	engine := schematest.StartQdrant(t)
	s := open(t, engine.Address)
	first := build(t, "so", "2024-03-31_00000001", map[string]int{"c": 20})
	mustLoad(t, s, first, small())
	mustServe(t, s, first, 0)
	b := build(t, "so", "2024-06-30_00000002", map[string]int{"c": 400})
	killAt := func(share float64) (progress func(string, int64, int64), killed chan struct{}) {
		var once sync.Once
		killed = make(chan struct{})
		return func(_ string, done, total int64) {
			if float64(done) >= share*float64(total) {
				once.Do(func() {
					engine.Kill()
					close(killed)
				})
			}
		}, killed
	}
	for _, share := range []float64{0.1, 0.6} {
		hurried := open(t, engine.Address, func(a *Access) { a.RetryFor = 300 * time.Millisecond })
		o := small()
		var killed chan struct{}
		o.Progress, killed = killAt(share)
		_, err := hurried.Load(t.Context(), b, o)
		if faultOf(err) != schema.FaultService {
			t.Fatalf("killed at %.0f %%: %v", 100*share, err)
		}
		<-killed
		engine.Start()
		holds(t, open(t, engine.Address), b.Alias("c"), first.Languages[0])
	}
	patient := open(t, engine.Address, func(a *Access) { a.RetryFor = 10 * time.Minute })
	o := small()
	var killed chan struct{}
	o.Progress, killed = killAt(0.9)
	loaded := make(chan error, 1)
	go func() {
		_, err := patient.Load(t.Context(), b, o)
		loaded <- err
	}()
	<-killed
	engine.Start()
	if err := <-loaded; err != nil {
		t.Fatal(err)
	}
	mustServe(t, patient, b, 0)
	holds(t, patient, b.Alias("c"), b.Languages[0])
}
