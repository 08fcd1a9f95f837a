package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"s2g/schema/schematest"
)

// What is published is read by the programs that others read it with: sha256sum,
// Hugging Face's datasets and huggingface_hub, and MLCommons' mlcroissant.
func TestPublishedIsReadByOthers(t *testing.T) {
	schematest.Long(t)
	t.Parallel()
	schematest.Tool(t, "mariadbd")
	sha256sum := schematest.Tool(t, "sha256sum")
	python := schematest.Python(t, "datasets==5.2.0", "mlcroissant==1.1.1", "pandas==3.1.1", "pyarrow==26.0.1")
	work := t.TempDir()
	dump, out := filepath.Join(work, "dump"), filepath.Join(work, "build")
	s2g(t, "sample", "--posts", "1200", "--seed", "5", "--license", "--out", dump)
	s2g(t, "build", "--dump", dump, "--out", out, "--languages", "python,c#,asp.net,unit-testing", "--whole-site")

	check := exec.Command(sha256sum, "--check", "--strict", "--quiet", "SHA256SUMS")
	check.Dir = out
	if text, err := check.CombinedOutput(); err != nil {
		t.Errorf("sha256sum: %v\n%s", err, text)
	}
	read := exec.Command(python, filepath.Join("testdata", "published.py"), out)
	read.Env = append(os.Environ(), "HF_HOME="+filepath.Join(work, "hf"), "HF_HUB_OFFLINE=1", "HF_DATASETS_DISABLE_PROGRESS_BARS=1")
	var stderr bytes.Buffer
	read.Stderr = &stderr
	text, err := read.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var says struct {
		Configs  []string
		Size     []string
		License  string
		Problems []string
	}
	if err := json.Unmarshal(text, &says); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if len(says.Configs) != 6 || says.License != "cc-by-sa-4.0" || len(says.Size) != 1 {
		t.Errorf("the card says %+v", says)
	}
	for _, p := range says.Problems {
		t.Error(p)
	}
}
