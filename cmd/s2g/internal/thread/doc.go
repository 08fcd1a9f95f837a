// Package thread draws one question of a graph, with all that its edges lead to,
// as an SVG picture: for documentation (cmd/s2g/internal/threadsvg) and for the report.
//
// A thread is read from quads, whatever gives them: the files of a build, or rows
// of its tables said as quads.
package thread
