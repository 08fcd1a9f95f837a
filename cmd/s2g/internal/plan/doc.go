// Package plan says, before anything is read, what a build will take in
// disk and memory, and whether the machine has it.
//
// The sizes are estimates from the size of the dump as XML; the shares are those
// that docs/performance.md measures, rounded up. A compressed file that does not
// say how large it is when decoded is taken to be what such files mostly are.
package plan
