package tables

import (
	"context"

	"s2g/schema"
)

// makeViews makes the views of the schema over the tables in service, for people.
// They name tables, so a later swap leaves them as they are. A user's server may
// not allow them, or hold something else of the name: then there are none.
func (db *DB) makeViews(ctx context.Context) {
	for _, v := range schema.Views() {
		if err := db.exec(ctx, v.Statement); err != nil {
			db.log.Info("there is no view "+v.Name, "reason", err)
		}
	}
}
