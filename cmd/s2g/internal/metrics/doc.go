// Package metrics writes what a run did as a file for the textfile collector of
// Prometheus' node_exporter: when a command last succeeded and failed, and the
// rows, bytes, seconds and memory of each stage.
//
// One file serves all commands of a job: what a run says replaces what it said
// before, and leaves the series of other commands as they are. Each series has
// the label run, the file's name without .prom, so that the files of several jobs
// in one folder do not say different things of the same series, which the
// collector refuses.
package metrics
