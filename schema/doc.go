// Package schema is the contract between the stages of s2g: the tables of a dump
// and their DDL in MariaDB, the languages that have a graph, the ontology, and
// the classes of fault that become exit codes.
//
// It imports no other package of the project, and every package may import it.
// The program embeds the files beside the code that people read or change:
// tables.sql, views.sql, languages.csv, ontology.ttl and shapes.ttl.
package schema
