package manifest

import (
	"testing"

	"s2g/schema"
)

func TestEdition(t *testing.T) {
	edition := func(newest string, files ...File) string {
		m := &Manifest{Dump: Dump{Newest: newest}, Stages: map[string]*Stage{Graph: {Key: "any", Files: files}}}
		e, err := m.Edition(Graph)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	file := File{Name: "graph/a", Size: 1, SHA256: "ca978112"}
	const want = "2024-03-31_7419f537"
	if got := edition("2024-03-31T23:59:59.999Z", file); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for what, got := range map[string]string{
		"another file":   edition("2024-03-31T23:59:59.999Z", File{Name: "graph/a", Size: 1, SHA256: "3e23e816"}),
		"a file more":    edition("2024-03-31T23:59:59.999Z", file, file),
		"another day":    edition("2024-06-30T23:59:59.999Z", file),
		"a dump undated": edition("", file),
	} {
		if got == want {
			t.Errorf("%s has the same name", what)
		}
	}
	if _, err := (&Manifest{}).Edition(Graph); err == nil {
		t.Error("a stage that is not there has a name")
	} else if fault, _ := schema.FaultOf(err); fault != schema.FaultUsage {
		t.Error(err)
	}
}
