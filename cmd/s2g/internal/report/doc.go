// Package report writes report.html: what a build is and holds, in one file that
// opens offline, without JavaScript, on a screen or on paper.
//
// Its steps, each in a file of its own:
//
//  1. stats (cmd/s2g/internal/stats) counts questions, answers, nodes and edges by graph;
//  2. a survey reads the posts once for their years and scores, and the indexes of
//     answers and of links ([survey]);
//  3. an example thread is chosen and drawn ([example], [thread]);
//  4. the manifest and rejects.jsonl say what was left out and how long it took;
//  5. figures get their geometry in Go and their markup from page.html, which
//     html/template escapes: post text is never markup.
//
// Memory is that of schema/threads, 21 bytes a post, and a few pages beside. The
// same build gives the same bytes, but for the stages' times.
package report
