package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"s2g/graph/rdf4j/rdf4jtest"
	"s2g/schema/schematest"
)

// block is a fenced block of a page: the commands that a reader would type.
type block struct {
	page   string
	line   int
	parsed bool // "sh parsed": cannot be run here, so it is only parsed
	text   string
}

var (
	fence    = regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$")
	indented = regexp.MustCompile(`(?m)^ {4}(\$ )?(bin/)?(s2g|make) .*$`)
	called   = regexp.MustCompile(`(?m)^(bin/)?s2g `)
)

// pages returns the documents whose commands are tested, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(names) < 6 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	for _, name := range append(names, filepath.Join("..", "..", "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found[filepath.Base(name)] = string(text)
	}
	return found
}

func blocksOf(page, text string) (blocks []block) {
	for _, at := range fence.FindAllStringSubmatchIndex(text, -1) {
		info := text[at[2]:at[3]]
		if info == "sh" || info == "sh parsed" {
			blocks = append(blocks, block{page, 1 + strings.Count(text[:at[0]], "\n"), info == "sh parsed", text[at[4]:at[5]]})
		}
	}
	return blocks
}

// TestDocs runs the commands of each page in their order, in a folder of its own, as someone would who reads it from top
// to bottom. A short test runs none, and parses those that cannot be run here.
func TestDocs(t *testing.T) {
	t.Parallel()
	archive := os.DevNull // that no parsed block reads
	if !testing.Short() {
		schematest.Tool(t, "mariadbd")
		archive = sampleArchive(t)
	}
	for page, text := range pages(t) {
		blocks := blocksOf(page, text)
		if len(blocks) == 0 {
			continue
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			follow(t, blocks, archive)
		})
	}
}

// Every command in README.md and docs/ is in a block that is run or parsed.
func TestCommandsOfDocsAreInBlocks(t *testing.T) {
	for page, text := range pages(t) {
		bare := fence.ReplaceAllString(text, "")
		for _, line := range indented.FindAllString(bare, -1) {
			t.Errorf("%s: %q stands in no block that is run (```sh) or parsed (```sh parsed)", page, strings.TrimSpace(line))
		}
	}
}

// sampleArchive returns a synthetic dump, packed as real ones are.
func sampleArchive(t *testing.T) string {
	t.Helper()
	pack := schematest.Tool(t, "7z")
	folder := t.TempDir()
	var log bytes.Buffer
	if code := run(t.Context(), []string{"sample", "--posts", "1500", "--out", filepath.Join(folder, "dump"), "--quiet"}, &log, &log); code != 0 {
		t.Fatal(log.String())
	}
	archive := filepath.Join(folder, "sample.7z")
	files, err := filepath.Glob(filepath.Join(folder, "dump", "*.xml"))
	if err != nil || len(files) == 0 {
		t.Fatal("no dump", err)
	}
	if out, err := exec.Command(pack, append([]string{"a", "-mx1", archive}, files...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return archive
}

func follow(t *testing.T, blocks []block, archive string) {
	work := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(work, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"bin/s2g": program, "bioinformatics.stackexchange.com.7z": archive} {
		if err := os.Symlink(to, filepath.Join(work, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(work, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	servers := &readersServers{t: t}
	for _, b := range blocks {
		where := fmt.Sprintf("%s:%d", b.page, b.line)
		if b.parsed {
			parseBlock(t, where, b.text)
			continue
		}
		if testing.Short() {
			continue
		}
		shell := exec.Command("sh", "-eu", "-c", servers.reach(b.text))
		shell.Dir = work
		shell.Env = append(os.Environ(), "PATH="+path, "HOME="+work)
		if out, err := shell.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", where, err, b.text, out)
		}
	}
}

// readersServers are the servers that a page expects at their default addresses; those of a test listen elsewhere.
type readersServers struct {
	t               *testing.T
	graphdb, qdrant string
}

func (s *readersServers) reach(text string) string {
	const graphdb, qdrant = "http://127.0.0.1:7200", "127.0.0.1:6334"
	if strings.Contains(text, graphdb) && s.graphdb == "" {
		s.graphdb = rdf4jtest.Open(s.t).URL
	}
	if strings.Contains(text, qdrant) && s.qdrant == "" {
		s.qdrant = schematest.Qdrant(s.t)
	}
	return strings.NewReplacer(graphdb, s.graphdb, qdrant, s.qdrant).Replace(text)
}

// parseBlock runs commands in a shell whose programs do nothing, and parses the arguments of s2g.
func parseBlock(t *testing.T, where, text string) {
	t.Helper()
	work := t.TempDir()
	fakes := filepath.Join(work, "bin")
	if err := os.MkdirAll(fakes, 0o755); err != nil {
		t.Fatal(err)
	}
	calls := filepath.Join(work, "calls")
	record := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\0' \"$a\"; done >>" + calls + "\nprintf '\\n' >>" + calls + "\n"
	for name, script := range map[string]string{"s2g": record, "other": "#!/bin/sh\nexit 0\n"} {
		if err := os.WriteFile(filepath.Join(fakes, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"sudo", "docker", "podman", "kubectl", "systemctl", "make", "curl", "wget", "git", "go", "install", "importrdf", "cp", "vllm", "ollama", "git-lfs", "huggingface-cli", "hf", "python3", "man"} {
		if err := os.Symlink("other", filepath.Join(fakes, name)); err != nil {
			t.Fatal(err)
		}
	}
	shell := exec.Command("/bin/sh", "-eu", "-c", strings.ReplaceAll(text, "bin/s2g", "s2g"))
	shell.Dir, shell.Env = work, []string{"PATH=" + fakes, "HOME=" + work}
	if out, err := shell.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s\n%s", where, err, text, out)
	}
	said, err := os.ReadFile(calls)
	if err != nil && called.MatchString(text) {
		t.Errorf("%s: no call of s2g in\n%s", where, text)
	}
	for call := range strings.SplitSeq(strings.TrimSuffix(string(said), "\n"), "\n") {
		if call != "" {
			mustParse(t, where, strings.Split(strings.TrimSuffix(call, "\x00"), "\x00"))
		}
	}
}

var (
	mdLink   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notSlug  = regexp.MustCompile(`[^a-z0-9 -]`)
)

// Each link of README.md, CHANGELOG.md and docs/ leads to a file, and to a heading in it.
func TestLinksOfDocs(t *testing.T) {
	root := filepath.Join("..", "..")
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, filepath.Join(root, "README.md"), filepath.Join(root, "CHANGELOG.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mdLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(fence.ReplaceAllString(string(text), ""), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = filepath.Join(filepath.Dir(name), file)
			}
			page, err := os.ReadFile(target)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			found := anchor == ""
			for _, h := range heading.FindAllStringSubmatch(string(page), -1) {
				slug := strings.ReplaceAll(notSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-")
				found = found || slug == anchor
			}
			if !found {
				t.Errorf("%s: %s has no heading #%s", name, target, anchor)
			}
		}
	}
}
