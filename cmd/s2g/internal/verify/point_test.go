package verify

import (
	"testing"
	"time"

	"s2g/schema"
	"s2g/vectors/shard"
)

// A column that verify does not compare fails this test: each value of a point that
// changes is found.
func TestChangeInEachColumnIsFound(t *testing.T) {
	db := miniTables(t)
	for _, c := range shard.Columns() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			out := damage{damage: editPoint("cpp", 0, func(p *shard.Point) {
				if err := c.SetValue(p, changed(t, c, c.Value(p))); err != nil {
					t.Fatal(err)
				}
			})}.write(t)
			_, err := Run(t.Context(), out, db, Options{})
			if fault, _ := schema.FaultOf(err); err == nil || fault != schema.FaultVerification {
				t.Errorf("error %v, want a verification fault", err)
			}
		})
	}
}

// changed returns another value of a column than value, which is nil where it is NULL.
func changed(t *testing.T, c shard.Column, value any) any {
	if value == nil {
		zero := map[shard.Type]any{shard.String: "", shard.IRI: "", shard.Int32: int64(0), shard.Int64: int64(0)}
		value = zero[c.Type]
	}
	switch v := value.(type) {
	case string:
		return v + "x"
	case bool:
		return !v
	case int64:
		return v + 1
	case uint64:
		return v + 1
	case time.Time:
		return v.Add(time.Millisecond)
	case []string:
		return append(v[:len(v):len(v)], "x")
	case []int64:
		return append(v[:len(v):len(v)], 1)
	case []uint32:
		return append(v[:len(v):len(v)], 1)
	case []float32:
		return append(v[:len(v):len(v)], 1)
	}
	t.Fatalf("no other value than %#v", value)
	return nil
}
