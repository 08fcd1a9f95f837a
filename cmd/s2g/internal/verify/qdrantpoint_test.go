package verify

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"s2g/vectors/shard"
)

// Qdrant's payload is compared with each column of the payload.
func TestShardPointHasThePayload(t *testing.T) {
	f := newFixture(t)
	v, err := newVerifier(f.write(t), true, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, stored := range v.filesOf(shardFile) {
		points, rows, difference, err := v.readPoints(stored, 0, sampleBlock)
		if err != nil || difference != "" || rows != int64(len(points)) {
			t.Fatalf("%d points of %d rows, %s, %v", len(points), rows, difference, err)
		}
		for i, p := range f.shards[stored.name] {
			want := map[string]any{}
			for _, c := range shard.Columns() {
				if value := c.Value(&p); c.Role == shard.RolePayload && value != nil {
					want[c.Name] = inPayload(value)
				}
			}
			if diff := cmp.Diff(want, points[i].payload); diff != "" {
				t.Errorf("%s, row %d: %s", stored.name, i, diff)
			}
			if points[i].id != p.PointID || !slices.Equal(points[i].dense, p.Dense) || !slices.Equal(points[i].indices, p.SparseIndices) || !slices.Equal(points[i].weights, p.SparseValues) {
				t.Errorf("%s, row %d: id or vectors %+v", stored.name, i, points[i])
			}
		}
	}
}

func inPayload(value any) any {
	list := []any{}
	switch v := value.(type) {
	case time.Time:
		return v.Format("2006-01-02T15:04:05.000Z07:00")
	case []string:
		for _, e := range v {
			list = append(list, e)
		}
	case []int64:
		for _, e := range v {
			list = append(list, e)
		}
	default:
		return value
	}
	return list
}

func TestReadPointsReadsBlocks(t *testing.T) {
	f := newFixture(t)
	const name = "vectors/cpp/part-00000.parquet"
	f.shards[name] = nil
	for post := range int64(200) {
		f.shards[name] = append(f.shards[name], point(post, 0, "c++"))
	}
	v, err := newVerifier(f.write(t), true, Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(v.files, func(f file) bool { return f.name == name })
	points, rows, difference, err := v.readPoints(v.files[at], 10, 100)
	if err != nil || difference != "" || rows != 200 || len(points) != 2*sampleBlock {
		t.Fatalf("%d points of %d rows, %s, %v", len(points), rows, difference, err)
	}
	if first, second := postOf(points[0].id), postOf(points[sampleBlock].id); first != 10 || second != 110 {
		t.Errorf("blocks begin with the posts %d and %d", first, second)
	}
}
