// Package dump finds, decodes and scans the files of a Stack Exchange data
// dump. It knows no SQL.
//
// From a path to rows:
//
//  1. [Find] looks at a path and says which tables it holds, as [Stream]s: one
//     stream is one pass over one file or archive block, so nothing is decoded
//     twice. [Dump.Guess] tells what the beginning of Posts looks like.
//  2. [Stream.Open] decodes a stream. Its [Reader] yields the tables that are
//     in it one after the other, as archive/tar does.
//  3. [Scanner] reads the rows of one table; [Parallel] does so on several
//     cores with the order kept.
//
// A dump is one XML document a table: a root element named as the table, which
// holds nothing but <row Attribute="value" ... /> elements. The scanner reads
// that shape and no other XML: no DTD, no entities but the five of XML. It is in
// UTF-8 or UTF-16, in either byte order, with or without a byte order mark.
//
// A damaged row is data, with its [Class], and scanning goes on behind it. What
// makes the whole document untrustworthy is an error of class
// schema.FaultInput that names the file: a cut or corrupt file, another
// root element, or text after its end.
package dump
