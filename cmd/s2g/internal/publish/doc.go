// Package publish writes the documents that go with a build to those it is given
// to: README.md, which is also a Hugging Face dataset card, croissant.json
// (MLCommons Croissant 1.0), LICENSE, ATTRIBUTION.md and SHA256SUMS.
//
// They follow from the manifest alone, which has the name, size, SHA-256 and rows
// of every file: nothing is read again, so a stage that has changed outputs can
// afford to have them written anew. They hold no times: the same build has the
// same documents.
//
// SHA256SUMS names all that is published but itself, manifest.json and
// report.html. Those two hold times, and commands that change no data write them
// anew (eval, report).
package publish
