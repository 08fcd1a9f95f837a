package verify

import (
	"context"
	"maps"
	"slices"

	"s2g/cmd/s2g/internal/oracle"
	"s2g/schema/manifest"
	"s2g/schema/tables"
)

func newTablesCheck() Check {
	c := newCheck("tables", "rows of the tables, by their fingerprints")
	c.remedy = "run s2g build with option dump, which reads the dump again where tables have changed"
	return c
}

// lookAtTables compares the names and columns of the tables with those that an ingest leaves. Tables of another form
// are not read.
func (v *verifier) lookAtTables(ctx context.Context, db *tables.DB) (Check, error) {
	c := newTablesCheck()
	prints, ok := v.manifest.Dump.Fingerprints()
	if !ok {
		return c, nil
	}
	difference, err := db.Look(ctx, slices.Collect(maps.Keys(prints)))
	if difference != "" {
		c.differ("%s", difference)
	}
	return c, err
}

// compareTables compares the fingerprints of the tables with those of the rows that the ingest sent. Builds of earlier
// versions have none.
func (v *verifier) compareTables(want *oracle.Expected) {
	c := newTablesCheck()
	if _, ok := v.manifest.Dump.Fingerprints(); !ok {
		c.remedy = ""
		for _, name := range slices.Sorted(maps.Keys(v.manifest.Dump.Tables)) {
			if v.manifest.Dump.Tables[name].Fingerprint != "" { // an ingest stores those of all tables, or none
				c.differ("manifest.json: dump.tables has fingerprints of some tables only, one of them %s", name)
			}
		}
		if ingest := v.manifest.Stages[manifest.Ingest]; ingest != nil && ingest.Tool != "" {
			c.differ("manifest.json: dump.tables has no fingerprints")
		}
		if !c.OK {
			v.tables = &c
		}
		return
	}
	v.tables = &c
	for _, name := range slices.Sorted(maps.Keys(v.manifest.Dump.Tables)) {
		listed, got := v.manifest.Dump.Tables[name].Fingerprint, want.Fingerprints[name]
		c.Count += got.Rows
		if listed != got.String() {
			c.differ("%s", tables.DescribeDifference(name, got, listed))
		}
	}
}
