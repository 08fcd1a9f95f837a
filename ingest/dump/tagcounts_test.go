package dump

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The counts of tags are read wherever they are cheap to reach; damaged rows are left out.
func TestTagCounts(t *testing.T) {
	folder := folderOf(t, "Posts.xml", "Comments.xml", "Votes.xml", "PostLinks.xml", "Tags.xml")
	text := `<?xml version="1.0" encoding="utf-8"?><tags>
  <row Id="1" TagName="c#" Count="3" />
  <row Id="2" TagName="" Count="4" />
  <row Id="3" TagName="r" Count="many" />
  <row Id="4" TagName="&#x65e5;" Count="0" />
</tags>`
	if err := os.WriteFile(filepath.Join(folder, "Tags.xml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		without []string
		want    []TagCount
	}{
		{nil, []TagCount{{"c#", 3}, {"日", 0}}},
		{[]string{"tags"}, nil},
	} {
		d, err := Find(folder, Options{Without: c.without})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.TagCounts(t.Context())
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("without %q: %v, %s", c.without, err, diff)
		}
	}
}
