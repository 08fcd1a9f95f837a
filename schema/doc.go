// Package schema is the contract between the stages of s2g: what a dump's
// tables hold, how they lie in MariaDB, which languages have a graph, the
// ontology, and the classes of fault that become exit codes.
//
// It imports no other package of the project, and every package may import it.
// What a person may want to read or change stands in files beside the code
// that are embedded into the program: tables.sql, languages.csv, ontology.ttl
// and shapes.ttl.
package schema
