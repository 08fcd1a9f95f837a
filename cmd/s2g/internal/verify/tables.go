package verify

import (
	"context"
	"maps"
	"slices"

	"s2g/schema/tables"
)

// compareTables compares the tables with the fingerprints of the rows that the ingest sent. Builds of
// earlier versions have none.
func (v *verifier) compareTables(ctx context.Context, db *tables.DB) error {
	c := newCheck("tables", "rows of the tables, by their fingerprints")
	prints, ok := v.manifest.Dump.Fingerprints()
	if !ok {
		for _, name := range slices.Sorted(maps.Keys(v.manifest.Dump.Tables)) {
			if v.manifest.Dump.Tables[name].Fingerprint != "" { // an ingest stores those of all tables, or none
				c.differ("manifest.json: dump.tables has fingerprints of some tables only, one of them %s", name)
				v.tables = &c
			}
		}
		return nil
	}
	c.remedy = "run s2g build with option dump, which reads the dump again where tables have changed"
	rows, difference, err := db.Compare(ctx, prints, max(v.workers/2, 1), nil)
	if err != nil {
		return err
	}
	if c.Count = rows; difference != "" {
		c.differ("%s", difference)
	}
	v.tables = &c
	return nil
}
