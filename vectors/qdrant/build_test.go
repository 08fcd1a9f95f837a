package qdrant

import "testing"

func TestCollectionNamesAreParsed(t *testing.T) {
	b := Build{Prefix: "so", Edition: "2024-03-31_0badcafe", Languages: []Language{{Slug: "c"}}}
	for _, slug := range []string{"c", "csharp", "_other", "x_2b_2b", "a_2024-01-01_00000000"} {
		name := b.Collection(slug)
		if got, date, ok := b.parseCollection(name); !ok || got != slug || date != "2024-03-31" || name != b.Alias(slug)+"_2024-03-31_0badcafe" {
			t.Errorf("%s is %q of %q, %v", name, got, date, ok)
		}
	}
	for _, name := range []string{"so_c", "so-x_c_2024-03-31_0badcafe", "c_2024-03-31_0badcafe", "so_c_2024-03-31_0badcaf", "so_c_2024-3-31_0badcafe", "so_c_2024-03-31_0BADCAFE", "so__2024-03-31_0badcafe"} {
		if slug, _, ok := b.parseCollection(name); ok {
			t.Errorf("%s is taken for one of %q", name, slug)
		}
	}
	for prefix, want := range map[string]bool{"so": true, "ru-stackoverflow": true, "a_b": false, "": false, "A": false, "a/b": false} {
		b.Prefix = prefix
		if got := b.Check() == nil; got != want {
			t.Errorf("prefix %q: %v", prefix, got)
		}
	}
}
