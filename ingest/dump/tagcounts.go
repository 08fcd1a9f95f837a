package dump

import (
	"context"
	"strconv"
)

// A TagCount is a row of Tags: a tag and the questions that have it.
type TagCount struct {
	Tag   string `json:"tag"`
	Count int64  `json:"count"`
}

// tagsSkip is the number of bytes that may be decoded before the table Tags.
const tagsSkip = 64 << 20

// TagCounts reads the table Tags. It returns nil if the dump has none, or if reaching
// it requires decoding a large part of an archive, as in a solid .7z of a large site.
// Damaged rows are left out.
func (d *Dump) TagCounts(ctx context.Context) ([]TagCount, error) {
	for _, s := range d.Streams {
		i := s.indexOf("Tags")
		if i < 0 || s.Spool > 0 || s.Members[i].before > tagsSkip {
			continue
		}
		r, m, err := s.openTable(ctx, "Tags")
		if err != nil {
			return nil, err
		}
		defer r.Close()
		var counts []TagCount
		rows := NewScanner(r, ScanConfig{Name: m.Name, Root: "tags", Columns: []string{"TagName", "Count"}})
		for rows.Scan() {
			row := rows.Record()
			if n, err := strconv.ParseInt(string(row.Value(1)), 10, 64); err == nil && len(row.Value(0)) > 0 {
				counts = append(counts, TagCount{string(row.Value(0)), n})
			}
		}
		return counts, rows.Err()
	}
	return nil, nil
}
