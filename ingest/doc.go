// Package ingest loads a dump into the tables of MariaDB.
//
// For each table, as one pipeline in which no step waits for the whole table:
//
//  1. the dump's stream is decoded and hashed, and cut into blocks of rows,
//  2. workers scan the blocks and write each row as a line of TSV, values
//     checked against the schema,
//  3. rows are put in the order of their Ids, and duplicates dropped: rows that
//     come in order pass through, the others are sorted in runs on disk,
//  4. LOAD DATA reads the lines into a staging table.
//
// Then the staging table gets its indexes, and a note in the run's journal, so
// that a run that was killed goes on with the tables that are not loaded. Tables
// go side by side; when all are complete one RENAME puts them in service
// together. Until then, and if anything fails, the tables of the dump before
// stay as they were, and the manifest names them; see serve.go.
//
// The server reads 85 to 105 MB of XML a second, so it is what the time goes to;
// the steps before it must only keep out of its way.
//
// A bad row is data. It is left out, or kept without the value that is bad or
// with it repaired, as its class says (class.go), counted by class, and the
// first few of each class are written to OUT/rejects.jsonl, one JSON object a
// line:
//
//	{"table":"Posts","file":"Posts.xml","class":"bad_date","id":"17","offset":4711,"column":"LastEditDate","value":"yesterday","kept":true}
//
// offset is that of the row in the decoded XML; kept says that the row is in
// the table.
package ingest
