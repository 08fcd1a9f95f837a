package ingest

import "s2g/ingest/dump"

// The classes of bad rows, beside those of package dump.
const (
	NoID             dump.Class = "no_id"
	MissingAttribute dump.Class = "missing_attribute" // one that every row must have
	BadNumber        dump.Class = "bad_number"
	BadDate          dump.Class = "bad_date"
	BadBool          dump.Class = "bad_bool"
	OutOfRange       dump.Class = "out_of_range"    // a number or text that its column cannot hold
	DuplicateID      dump.Class = "duplicate_id"    // the first row of an Id is kept
	UnknownType      dump.Class = "unknown_type"    // a post, vote or link of a type that no dump was seen to hold
	FabricatedPost   dump.Class = "fabricated_post" // one of schema.FabricatedPosts
)

// kept reports whether rows of the class are loaded, repaired where need be.
func kept(c dump.Class) bool {
	return c == UnknownType || c == dump.IllegalReference || c == dump.InvalidUTF8
}

// excused reports whether rows of the class do not speak against the dump:
// those that are kept, and those that its publisher is known to have put in.
func excused(c dump.Class) bool { return kept(c) || c == FabricatedPost }
