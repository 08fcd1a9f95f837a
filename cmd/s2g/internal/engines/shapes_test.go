package engines

import (
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"s2g/cmd/s2g/internal/buildtest"
	"s2g/graph"
	"s2g/schema"
	"s2g/schema/schematest"
	"s2g/schema/vocab"
)

// Graphs conform to the shapes, and each shape reports a bad quad.
func TestShapes(t *testing.T) {
	schematest.Long(t)
	riot := schematest.Judge(t, "riot")
	schematest.Tool(t, "mvn")
	db := server.Open(t)
	conforms := func(d dump, materialize bool, more ...string) (string, bool) {
		buildtest.Load(t, db, d.folder)
		batches, _ := buildtest.Graph(t, db, graph.Options{Languages: d.languages, Other: d.other, Materialize: materialize})
		args := slices.Concat([]string{"--shapes", "../../../../schema/shapes.ttl"}, batches, more)
		output, err := exec.Command(riot, args...).CombinedOutput()
		return string(output), err == nil
	}
	all := dumps(t, 800)
	for name, d := range all {
		output, ok := conforms(d, false)
		if !ok || !strings.HasSuffix(output, " distinct triples, 0 violations\n") || strings.HasSuffix(output, "\n0 distinct triples, 0 violations\n") {
			t.Errorf("%s: %s", name, output)
		}
		t.Logf("%s: %s", name, output)
	}
	if output, ok := conforms(all["mini"], true); !ok {
		t.Errorf("materialized: %s", output)
	}
	output, ok := conforms(all["mini"], false, "testdata/bad.trig")
	if ok {
		t.Error("conforms with bad quads")
	}
	const so = "<" + vocab.NS
	for shape, want := range map[string][3]string{ // node, path, what the message begins with
		"Content":              {"questions/1", so + "license>", "Pattern["},
		"Post":                 {"a/2", so + "postId>", "maxCount[1]"},
		"Voted":                {"a/3", so + "upVotes>", "Data value -1"},
		"Question":             {"questions/5", so + "hasTitle>", "maxCount[1]"},
		"AnsweredQuestion":     {"questions/7", so + "HasAnswer>", "minCount[1]"},
		"UnansweredQuestion":   {"questions/8", so + "HasAnswer>", "maxCount[0]"},
		"Answer":               {"a/4", so + "hasTitle>", "maxCount[0]"},
		"AcceptedAnswer":       {"a/6", "^" + so + "HasAcceptedAnswer>", "minCount[1]"},
		"PossibleBetterAnswer": {"a/4", "^" + so + "HasPossibleBetterAnswer>", "minCount[1]"},
		"Comment":              {"posts/comments/1", so + "postId>", "maxCount[0]"},
		"Tag":                  {"tags/python", so + "tagName>", "maxCount[1]"},
		"TagWiki":              {"posts/21", "^" + so + "HasTagWiki>", "minCount[1]"},
		"TagWikiExcerpt":       {"posts/20", "^" + so + "HasTagWikiExcerpt>", "minCount[1]"},
	} {
		pattern := regexp.QuoteMeta("Node=<"+string(vocab.StackOverflow)+"/"+want[0]+">\n  Path="+want[1]+"\n") + `(  Value: .*\n)?  Message: ` + regexp.QuoteMeta(want[2])
		if !regexp.MustCompile(pattern).MatchString(output) {
			t.Errorf("shape %s does not catch its bad quad:\n%s", shape, output)
		}
		if !bytes.Contains(schema.Shapes, []byte("shape:"+shape+" a sh:NodeShape")) {
			t.Errorf("no shape %s", shape)
		}
	}
	if n := bytes.Count(schema.Shapes, []byte(" a sh:NodeShape")); n != 13 {
		t.Errorf("%d shapes, 13 are tested", n)
	}
}
