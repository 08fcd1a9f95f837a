package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/spf13/pflag"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"s2g/schema"
	"s2g/schema/schematest"
)

// The examples of scripts/ are held to what the commands really take: each
// argument is parsed, each S2G_ variable is a flag's or one of these.
var variables = []string{
	"S2G_TEST_GRAPHDB", "S2G_TEST_QDRANT", // of the tests
	"S2G_KEEP_BUILDS", "S2G_DUMPS", "S2G_BUILDS", "S2G_DB_PASSWORD", // of scripts/monthly and compose.yaml
}

func script(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "scripts", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// mustParse fails unless the arguments are a command with flags of its own.
func mustParse(t *testing.T, where string, args []string) {
	t.Helper()
	command, rest, err := newRoot(io.Discard, io.Discard).Find(args)
	if err == nil && !command.HasParent() {
		t.Errorf("%s: no command in %q", where, args)
		return
	}
	if err == nil {
		command.InheritedFlags()
		err = command.ParseFlags(rest)
	}
	if err == nil && command.Args != nil {
		err = command.ValidateArgs(command.Flags().Args())
	}
	if err != nil {
		t.Errorf("%s: s2g %s: %v", where, strings.Join(args, " "), err)
	}
}

// flagVariables are the environment variables of all flags of all commands.
func flagVariables() []string {
	var names []string
	visit := func(f *pflag.Flag) { names = append(names, environmentName(f.Name)) }
	root := newRoot(io.Discard, io.Discard)
	root.PersistentFlags().VisitAll(visit)
	commands := root.Commands()
	for len(commands) > 0 {
		commands[0].Flags().VisitAll(visit)
		commands = append(commands[1:], commands[0].Commands()...)
	}
	return names
}

func TestVariablesOfScripts(t *testing.T) {
	known := append(flagVariables(), variables...)
	for _, name := range []string{"monthly", "compose.yaml", "systemd/environment", "systemd/s2g.service", "kubernetes/cronjob.yaml", "kubernetes/vectors.yaml"} {
		for _, v := range regexp.MustCompile(`S2G_[A-Z_]*[A-Z]`).FindAllString(string(script(t, name)), -1) {
			if !slices.Contains(known, v) {
				t.Errorf("scripts/%s names %s, which is no flag's variable", name, v)
			}
		}
	}
}

// final are the exit codes that a scheduler should not try again after; 4 and 130 are worth a retry.
func final() []int32 {
	var codes []int32
	for _, f := range []schema.Fault{schema.FaultOurs, schema.FaultUsage, schema.FaultInput, schema.FaultVerification} {
		codes = append(codes, int32(f.ExitCode()))
	}
	return codes
}

func checkJob(t *testing.T, name string, job batch.JobSpec) {
	t.Helper()
	if job.PodFailurePolicy == nil {
		t.Fatalf("%s: no podFailurePolicy", name)
	}
	var fails []int32
	for _, rule := range job.PodFailurePolicy.Rules {
		if rule.OnExitCodes != nil && rule.Action == batch.PodFailurePolicyActionFailJob {
			fails = append(fails, rule.OnExitCodes.Values...)
		}
	}
	if !slices.Equal(fails, final()) {
		t.Errorf("%s: the job fails at exit codes %v, it should at %v alone", name, fails, final())
	}
	pod := job.Template.Spec
	if pod.RestartPolicy != core.RestartPolicyNever {
		t.Errorf("%s: a podFailurePolicy needs restartPolicy Never", name)
	}
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
	}
	for _, c := range pod.Containers {
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				t.Errorf("%s: no volume %s", name, m.Name)
			}
		}
		args := c.Args
		if len(c.Command) > 0 { // monthly: DUMPS BUILDS FLAG...
			args = append([]string{"build"}, c.Args[2:]...)
		}
		mustParse(t, name, args)
	}
}

func TestKubernetesManifests(t *testing.T) {
	var cron batch.CronJob
	if err := yaml.UnmarshalStrict(script(t, "kubernetes/cronjob.yaml"), &cron); err != nil {
		t.Fatal(err)
	}
	if cron.Spec.ConcurrencyPolicy != batch.ForbidConcurrent {
		t.Error("two builds could run side by side")
	}
	checkJob(t, "cronjob.yaml", cron.Spec.JobTemplate.Spec)

	documents := bytes.Split(script(t, "kubernetes/vectors.yaml"), []byte("\n---\n"))
	if len(documents) != 2 {
		t.Fatalf("vectors.yaml has %d documents", len(documents))
	}
	var options []string
	for _, d := range documents {
		var job batch.Job
		if err := yaml.UnmarshalStrict(d, &job); err != nil {
			t.Fatal(err)
		}
		checkJob(t, job.Name, job.Spec)
		if mode := job.Spec.CompletionMode; mode != nil && *mode == batch.IndexedCompletion {
			world := job.Spec.Template.Spec.Containers[0].Env[0]
			if world.Name != "S2G_WORLD" || world.Value != "8" || *job.Spec.Completions != 8 {
				t.Errorf("%d completions, %s=%s", *job.Spec.Completions, world.Name, world.Value)
			}
		}
		args := slices.DeleteFunc(slices.Clone(job.Spec.Template.Spec.Containers[0].Args), func(a string) bool { return a == "--merge" })
		options = append(options, strings.Join(args, " "))
	}
	if options[0] != options[1] {
		t.Errorf("the ranks and the merge have other options:\n%s\n%s", options[0], options[1])
	}
}

func TestComposeFile(t *testing.T) {
	project, err := loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir:  filepath.Join("..", "..", "scripts"),
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: script(t, "compose.yaml")}},
		Environment: types.Mapping{"S2G_DB_PASSWORD": "secret"},
	}, func(o *loader.Options) { o.Profiles = []string{"build"} })
	if err != nil {
		t.Fatal(err)
	}
	s2g := project.Services["s2g"]
	if dsn := s2g.Environment["S2G_DSN"]; dsn == nil || *dsn != "s2g:secret@tcp(mariadb:3306)/s2g" {
		t.Errorf("the DSN is %v", dsn)
	}
	for name := range s2g.DependsOn {
		if project.Services[name].HealthCheck == nil {
			t.Errorf("s2g waits for %s to be healthy, which has no health check", name)
		}
	}
	for name, service := range project.Services {
		for _, p := range service.Ports {
			if p.HostIP != "127.0.0.1" {
				t.Errorf("%s listens on %q, without a password", name, p.HostIP)
			}
		}
	}
}

// The units pass systemd's own check, in a root of their own where the programs
// that they start exist.
func TestSystemdUnits(t *testing.T) {
	analyze := schematest.Tool(t, "systemd-analyze")
	root := t.TempDir()
	units := filepath.Join(root, "etc", "systemd", "system")
	bin := filepath.Join(root, "usr", "local", "bin")
	for _, dir := range []string{units, bin} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "s2g-monthly"), script(t, "monthly"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"s2g.service", "s2g.timer"} {
		if err := os.WriteFile(filepath.Join(units, name), script(t, "systemd/"+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, unit := range []string{"s2g.service", "s2g.timer"} {
		out, err := exec.Command(analyze, "verify", "--root="+root, "--man=no", "--recursive-errors=no", unit).CombinedOutput()
		if err != nil || len(bytes.TrimSpace(out)) > 0 {
			t.Errorf("systemd-analyze verify %s: %v\n%s", unit, err, out)
		}
	}
	unit := string(script(t, "systemd/s2g.service"))
	if want := "RestartPreventExitStatus=" + strings.Trim(fmt.Sprint(final()), "[]"); !strings.Contains(unit, "Restart=on-failure\n"+want+"\n") {
		t.Errorf("s2g.service does not restart after exit codes 4 and 130 alone: it has no line %s", want)
	}
}
