// Package oracle says what the graph of a dump must hold, from the tables alone:
// for each graph and term (a class or a predicate) how many quads there are, and
// an order-independent checksum of them. It is a statement of its own of the
// rules in docs/design.md, section 5: it shares no code with the stage that
// writes the graph. verify holds the files against it; stats are its counts.
//
// SQL says which rows and values count: which answer is an accepted one, how
// many votes a post has, which licence holds, which links there are. It only
// reads, in this order:
//
//	members   questions and answers, once: which graphs each is in (member.go)
//	tags      the tags that graphs describe, with wiki and excerpt (tag.go)
//	posts, comments, votes, links   one scan each, side by side
//
// The first two stay in memory, so that the server need not join each table with
// them, which took it four times as long as all the scans: 8 bytes for each id
// of a post, and a few hundred for each tag.
//
// # The checksum
//
// A quad's text is its subject, a space, a mark and its object. IRIs of the site
// are without the site ("/questions/12"), those of tags with the tag as it is in
// the dump ("/tags/c#"). The mark is < before an IRI, " before a string, # before
// an integer, @ before a date; of a quad with rdf:type the text is the subject
// and " a". The checksum of several quads is the sum of the CRC-32C of their
// texts, modulo 2^64. The client hashes what the server lists:
// CRC32(CONCAT(...)) for each value costs the server several times as much as to
// send it.
package oracle
