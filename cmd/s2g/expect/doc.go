// Package expect says in SQL, from the tables alone, what the graph of a dump
// must hold: for each graph and term (a class or a predicate) how many quads
// there are, and an order-independent checksum of them. It is a statement of its
// own of the rules in docs/design.md, section 5: it shares no code with the
// stage that writes the graph. verify holds the files against it; stats are its
// counts.
//
// It reads the tables in service, and writes TEMPORARY tables only, on
// connections that it keeps for itself. In order:
//
//	S2GLanguages   the languages and their positions
//	S2GAsked       all questions with their tags
//	S2GSets        sets of graphs that questions are in, by positions "0,5"
//	S2GQuestions   the questions that are in a graph, with their set and accepted answer
//	S2GMember      the posts that are in a graph: those and their answers
//	S2GTagged      the tags of each set's questions
//	S2GDescribed   the tags that a graph describes, with wiki and excerpt
//	S2GWikis       the wikis and excerpts that a graph holds
//
// and then one scan for each block of rules (rules.go), summed by set: a text
// that stands in several graphs is read and hashed once. Memory grows with the
// number of sets, about 1 KiB each, not with the number of posts; the server's
// temporary tables take about 100 bytes a post.
//
// # The checksum
//
// A quad's text is its subject, a space, a mark and its object. IRIs of the site
// are without the site ("/questions/12"), those of tags with the tag as it is in
// the dump ("/tags/c#"). The mark is < before an IRI, " before a string, # before
// an integer, @ before a date; of a quad with rdf:type the text is the subject
// and " a". The checksum of several quads is the sum of the CRC-32 (IEEE) of their
// texts, modulo 2^64.
package expect
