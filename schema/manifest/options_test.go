package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/vocab"
)

func TestBuildSiteIsTheChosenElseTheDumpsElseTheDefault(t *testing.T) {
	for _, c := range []struct {
		chosen, dump string
		want         vocab.Site
	}{
		{"", "", vocab.DefaultSite},
		{"", "askubuntu.com", "http://askubuntu.com"},
		{"https://example.org", "", "https://example.org"},
		{"https://example.org", "askubuntu.com", "https://example.org"},
	} {
		m := &Manifest{Options: Options{Site: c.chosen}, Dump: Dump{Site: c.dump}}
		if got, err := m.BuildSite(); err != nil || got != c.want {
			t.Errorf("chosen %q, of the dump %q: %q, %v; want %q", c.chosen, c.dump, got, err, c.want)
		}
	}
	if _, err := (&Manifest{Options: Options{Site: "a b"}}).BuildSite(); err == nil {
		t.Error("no error of a site that is none")
	}
}

func TestGraphsEndWithTheRemainder(t *testing.T) {
	python := schema.Language{Tag: "python", Slug: "python", Name: "Python"}
	chosen := append(make([]schema.Language, 0, 2), python) // with room that Graphs must not use
	for _, c := range []struct {
		options Options
		want    []schema.Language
	}{
		{Options{}, schema.DefaultLanguages()},
		{Options{Languages: chosen}, []schema.Language{python}},
		{Options{Languages: chosen, Other: true}, []schema.Language{python, schema.OtherLanguage()}},
	} {
		if diff := cmp.Diff(c.want, c.options.Graphs()); diff != "" {
			t.Error(diff)
		}
	}
	if spare := chosen[:2][1]; spare != (schema.Language{}) {
		t.Errorf("the table's own array holds %v now", spare)
	}
}
