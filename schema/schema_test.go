package schema

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tables.sql and Tables have the same columns in the same order, with types that
// include the bounds.
func TestTablesAgreeWithDDL(t *testing.T) {
	column := regexp.MustCompile(`(?m)^  ([A-Z]\w+) +([A-Z]+(?:\(\d+\))?) +(NOT NULL|NULL)`)
	types := map[Kind][]string{
		Int: {"BIGINT", "INT", "SMALLINT"}, Date: {"DATETIME(3)"}, Text: {"LONGTEXT", "VARCHAR(255)"}, TagList: {"LONGTEXT"}, Bool: {"TINYINT"},
	}
	for _, table := range Tables() {
		create, indexes := TableDDL(table, "X")
		if !strings.HasPrefix(create, "CREATE TABLE `X` (") || len(indexes) == 0 {
			t.Fatalf("%s: statement %q, indexes %q", table.Name, create, indexes)
		}
		if strings.Contains(strings.ReplaceAll(create, "PRIMARY KEY", ""), "KEY ") {
			t.Errorf("%s: a secondary index is left in the staging table's statement", table.Name)
		}
		found := column.FindAllStringSubmatch(create, -1)
		if len(found) != len(table.Columns) {
			t.Fatalf("%s: %d columns in tables.sql, %d in the program", table.Name, len(found), len(table.Columns))
		}
		for i, c := range table.Columns {
			name, sqlType, null := found[i][1], found[i][2], found[i][3]
			if name != c.Name || (null == "NOT NULL") != c.Required {
				t.Errorf("%s: column %d is %s %s in tables.sql, %s (required %v) in the program", table.Name, i, name, null, c.Name, c.Required)
			}
			if !strings.Contains(strings.Join(types[c.Kind], " ")+" ", sqlType+" ") {
				t.Errorf("%s.%s: type %s for kind %d", table.Name, name, sqlType, c.Kind)
			}
		}
	}
}

func TestViews(t *testing.T) {
	var names []string
	for _, v := range Views() {
		names = append(names, v.Name)
		if !strings.HasPrefix(v.Statement, "CREATE OR REPLACE SQL SECURITY INVOKER VIEW "+v.Name+" AS\nSELECT") {
			t.Errorf("%s: %s", v.Name, v.Statement)
		}
	}
	if diff := cmp.Diff([]string{"Questions", "Answers"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestDefaultLanguages(t *testing.T) {
	table := DefaultLanguages()
	if len(table) != 39 {
		t.Errorf("%d languages, the paper has 39", len(table))
	}
	if diff := cmp.Diff(Language{"vb.net", "vbnet", "Visual Basic .NET"}, table[38]); diff != "" {
		t.Error(diff)
	}
}

func TestSplitTagsYieldsWhatBarsEnclose(t *testing.T) {
	for list, want := range map[string][]string{
		"": nil, "|": nil, "||": nil, "|c++|": {"c++"}, "|a|.net|": {"a", ".net"}, "|a||b|": {"a", "b"}, "a|b": {"a", "b"},
	} {
		var got []string
		for tag := range SplitTags([]byte(list)) {
			got = append(got, string(tag))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", list, diff)
		}
	}
	for tag := range SplitTags([]byte("|a|b|")) {
		if string(tag) != "a" {
			t.Errorf("the loop continues with %s after its break", tag)
		}
		break
	}
}

func TestParseLanguages(t *testing.T) {
	file := filepath.Join(t.TempDir(), "l.csv")
	if err := os.WriteFile(file, []byte("tag,slug,name\nc#\nkitchen sink,sink,Sink\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		value string
		want  []Language
	}{
		{"c#, python,c#", []Language{{"c#", "csharp", "C#"}, {"python", "python", "Python"}}},
		{"A+", []Language{{"A+", "_41_2b", "A+"}}},
		{"quantum-gate,objective-c,_site", []Language{{"quantum-gate", "quantum-gate", "quantum-gate"}, {"objective-c", "objectivec", "Objective-C"}, {"_site", "_5fsite", "_site"}}},
		{"@" + file, []Language{{"c#", "csharp", "C#"}, {"kitchen sink", "sink", "Sink"}}},
	} {
		got, err := ParseLanguages(c.value)
		if err != nil {
			t.Errorf("%q: %v", c.value, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.value, diff)
		}
	}
}

func TestKeepSlugs(t *testing.T) {
	table := []Language{{"quantum-gate", "quantum-gate", "quantum-gate"}, {"a-b", "a-b", "a-b"}, {"objective-c", "objectivec", "Objective-C"}, {"x-y", "own", "x-y"}}
	built := []Language{{"quantum-gate", "quantum_2dgate", "quantum-gate"}, {"a-b", "chosen", "a-b"}, {"x-y", "x_2dy", "x-y"}}
	want := append([]Language{{"quantum-gate", "quantum_2dgate", "quantum-gate"}}, table[1:]...)
	if diff := cmp.Diff(want, KeepSlugs(table, built)); diff != "" {
		t.Error(diff)
	}
	if table[0].Slug != "quantum-gate" {
		t.Error("the table itself has changed")
	}
}

func TestParseLanguagesRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"same slug": "a,x\nb,x\n", "slug of the remainder": "a,_other\n", "slug of the site": "a,_site\n", "config of the texts": "a,_parents\n", "tag of the site": "*\n", "slug with a dot": "a,x.y\n", "slug is a path": "a,../x\n", "empty": "\n", "quote": "\"a\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ParseLanguages("@" + file)
		if fault, _ := FaultOf(err); err == nil || fault != FaultUsage {
			t.Errorf("%s: error %v, want a usage fault", name, err)
		}
	}
}

func TestFaultOf(t *testing.T) {
	inner := errors.New("broken")
	err := fmt.Errorf("outer: %w", Faultf(FaultInput, "mend it", "file: %w", inner))
	fault, remedy := FaultOf(err)
	if fault != FaultInput || fault.ExitCode() != 3 || remedy != "mend it" || !errors.Is(err, inner) {
		t.Errorf("fault %d, remedy %q", fault, remedy)
	}
	if fault, _ := FaultOf(inner); fault.ExitCode() != 1 {
		t.Errorf("an error without a class exits %d", fault.ExitCode())
	}
}
