package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"s2g/cmd/s2g/internal/commandline"
	"s2g/schema"
	"s2g/schema/schematest"
)

// variables are the variables in the examples of scripts/ that are no flag's.
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
	command, rest, err := newApp(io.Discard, io.Discard).root.Find(args)
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

// flagVariables returns the environment variables of all flags of all commands.
func flagVariables() []string {
	var names []string
	visit := func(f *pflag.Flag) { names = append(names, commandline.Variable(f.Name)) }
	root := newApp(io.Discard, io.Discard).root
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

// final returns the exit codes after which a scheduler does not retry; after 4 and 130 it does.
func final() []int {
	var codes []int
	for _, f := range []schema.Fault{schema.FaultOurs, schema.FaultUsage, schema.FaultInput, schema.FaultVerification} {
		codes = append(codes, f.ExitCode())
	}
	return codes
}

// cronJob and job have the fields of Kubernetes' batch/v1 that the tests check.
type (
	cronJob struct {
		APIVersion, Kind string
		Spec             struct {
			ConcurrencyPolicy string
			JobTemplate       struct{ Spec jobSpec }
		}
	}
	job struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             jobSpec
	}
	jobSpec struct {
		CompletionMode   string
		Completions      int
		Suspend          bool
		PodFailurePolicy struct {
			Rules []struct {
				Action      string
				OnExitCodes struct {
					Operator string
					Values   []int
				}
			}
		}
		Template struct {
			Spec struct {
				RestartPolicy string
				Containers    []struct {
					Command, Args []string
					Env           []struct{ Name, Value string }
					VolumeMounts  []struct{ Name string }
				}
				Volumes []struct{ Name string }
			}
		}
	}
)

// jobKeys are the keys that the manifests set, as Kubernetes' API reference spells them. Any other may be misspelled:
// look it up before it is added.
var jobKeys = strings.Fields(`allowPrivilegeEscalation action apiVersion args automountServiceAccountToken backoffLimit capabilities claimName
	command completionMode completions concurrencyPolicy containerName containers cpu drop emptyDir env envFrom failedJobsHistoryLimit fsGroup image
	jobTemplate kind limits memory metadata mountPath name onExitCodes onPodConditions operator optional parallelism persistentVolumeClaim
	podFailurePolicy readOnly readOnlyRootFilesystem requests resources restartPolicy rules runAsGroup runAsNonRoot runAsUser schedule
	seccompProfile secretRef securityContext spec startingDeadlineSeconds successfulJobsHistoryLimit suspend template
	terminationGracePeriodSeconds type value values volumeMounts volumes`)

// decodeJob decodes the next document of a manifest.
func decodeJob(t *testing.T, name string, documents *yaml.Decoder, value any) {
	t.Helper()
	var tree map[string]any
	if err := documents.Decode(&tree); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var check func(node any)
	check = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			for key, value := range node {
				if !slices.Contains(jobKeys, key) {
					t.Errorf("%s: %s is no key that is known", name, key)
				}
				check(value)
			}
		case []any:
			for _, value := range node {
				check(value)
			}
		}
	}
	check(tree)
	text, err := json.Marshal(tree)
	if err == nil {
		err = json.Unmarshal(text, value) // finds apiVersion in APIVersion
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// composeFile has the keys of the Compose Specification that compose.yaml sets. Any other may be misspelled: look it up
// before it is added.
type composeFile struct {
	Name     string
	Services map[string]struct {
		Image, Command any
		Build          struct{ Context, Dockerfile string }
		Profiles       []string
		Ports          []string
		Environment    map[string]string
		Volumes        []string
		HealthCheck    *struct {
			Test     []string
			Interval string
			Retries  int
		}
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		ReadOnly    bool                                  `yaml:"read_only"`
		TmpFS       []string
		CapDrop     []string `yaml:"cap_drop"`
		SecurityOpt []string `yaml:"security_opt"`
	}
	Volumes map[string]any
}

func checkJob(t *testing.T, name string, job jobSpec) {
	t.Helper()
	var fails []int
	for _, rule := range job.PodFailurePolicy.Rules {
		if rule.Action == "FailJob" && rule.OnExitCodes.Operator == "In" {
			fails = append(fails, rule.OnExitCodes.Values...)
		}
	}
	if !slices.Equal(fails, final()) {
		t.Errorf("%s: the job fails at exit codes %v, it should at %v alone", name, fails, final())
	}
	pod := job.Template.Spec
	if pod.RestartPolicy != "Never" {
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
	var cron cronJob
	decodeJob(t, "cronjob.yaml", yaml.NewDecoder(bytes.NewReader(script(t, "kubernetes/cronjob.yaml"))), &cron)
	if cron.APIVersion != "batch/v1" || cron.Kind != "CronJob" || cron.Spec.ConcurrencyPolicy != "Forbid" {
		t.Errorf("two builds could run side by side: %+v", cron)
	}
	checkJob(t, "cronjob.yaml", cron.Spec.JobTemplate.Spec)

	documents := yaml.NewDecoder(bytes.NewReader(script(t, "kubernetes/vectors.yaml")))
	var ranks, merge job
	decodeJob(t, "vectors.yaml", documents, &ranks)
	decodeJob(t, "vectors.yaml", documents, &merge)
	if err := documents.Decode(&yaml.Node{}); err != io.EOF {
		t.Errorf("vectors.yaml has more than two documents: %v", err)
	}
	var options []string
	for _, job := range []job{ranks, merge} {
		if job.APIVersion != "batch/v1" || job.Kind != "Job" {
			t.Errorf("%s is a %s of %s", job.Metadata.Name, job.Kind, job.APIVersion)
		}
		checkJob(t, job.Metadata.Name, job.Spec)
		args := slices.DeleteFunc(slices.Clone(job.Spec.Template.Spec.Containers[0].Args), func(a string) bool { return a == "--merge" })
		options = append(options, strings.Join(args, " "))
	}
	if world := ranks.Spec.Template.Spec.Containers[0].Env[0]; ranks.Spec.CompletionMode != "Indexed" || world.Name != "S2G_WORLD" || world.Value != "8" || ranks.Spec.Completions != 8 {
		t.Errorf("%d completions, %s, %s=%s", ranks.Spec.Completions, ranks.Spec.CompletionMode, world.Name, world.Value)
	}
	if !merge.Spec.Suspend {
		t.Error("the merge does not wait for the ranks")
	}
	if options[0] != options[1] {
		t.Errorf("the ranks and the merge have other options:\n%s\n%s", options[0], options[1])
	}
}

func TestComposeFile(t *testing.T) {
	var project composeFile
	document := yaml.NewDecoder(bytes.NewReader(script(t, "compose.yaml")))
	document.KnownFields(true)
	if err := document.Decode(&project); err != nil {
		t.Fatal(err)
	}
	s2g := project.Services["s2g"]
	if dsn := s2g.Environment["S2G_DSN"]; dsn != "s2g:${S2G_DB_PASSWORD:?set S2G_DB_PASSWORD}@tcp(mariadb:3306)/s2g" {
		t.Errorf("the DSN is %v", dsn)
	}
	for name, dependency := range s2g.DependsOn {
		if dependency.Condition == "service_healthy" && project.Services[name].HealthCheck == nil {
			t.Errorf("s2g waits for %s to be healthy, which has no health check", name)
		}
	}
	for name, service := range project.Services {
		for _, p := range service.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s listens on %q, without a password", name, p)
			}
		}
		for _, v := range service.Volumes {
			volume, _, _ := strings.Cut(v, ":")
			if _, there := project.Volumes[volume]; !there && !strings.HasPrefix(v, "${") {
				t.Errorf("%s mounts %s, which is no volume", name, v)
			}
		}
	}
}

// The units pass systemd's own check, in a root folder where the programs that they start exist.
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
