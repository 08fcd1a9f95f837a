package diff

import "s2g/schema/vocab"

// property is a place in a post's fingerprint.
type property int

// properties are what is compared of a post, by their names in the graph. The
// first are its text. The classes that follow from votes and answers stand as one.
var properties = [...]string{
	vocab.HasTitle, vocab.HasBody, vocab.TaggedWith,
	class,
	vocab.Score, vocab.UpVotes, vocab.DownVotes, vocab.ViewCount, vocab.AnswerCount, vocab.CommentCount, vocab.FavoriteCount,
	vocab.CreationDate, vocab.LastEditDate, vocab.LastActivityDate, vocab.ClosedDate, vocab.CommunityOwnedDate,
	vocab.LinkedTo, vocab.DuplicateOf, vocab.Author, vocab.AuthorName, vocab.License,
}

// class is the name of what a post is beside a question or an answer: answered,
// accepted, possibly better.
const class = "class"

// textual is how many of the properties, the first, are text.
const textual = 3

// fingerprint has of each property the sum of the hashes of its values, so that
// their order does not matter.
type fingerprint [len(properties)]uint64

// derived are the classes that are compared; a post's other class is what it is.
var derived = map[string]bool{
	vocab.NS + vocab.AnsweredQuestion: true, vocab.NS + vocab.UnansweredQuestion: true,
	vocab.NS + vocab.AcceptedAnswer: true, vocab.NS + vocab.PossibleBetterAnswer: true,
}

// byPredicate finds properties by IRI.
func byPredicate() map[string]property {
	m := map[string]property{}
	for i, name := range properties {
		m[vocab.NS+name] = property(i)
	}
	m[vocab.RDF+"type"] = m[vocab.NS+class]
	delete(m, vocab.NS+class)
	return m
}

// changes are the properties in which two posts differ, those of mask left out.
func changes(was, now *fingerprint, mask *[len(properties)]bool) (list []property) {
	for i := range was {
		if was[i] != now[i] && !mask[i] {
			list = append(list, property(i))
		}
	}
	return list
}
