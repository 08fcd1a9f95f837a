package ingest

import "s2g/ingest/dump"

// The classes of bad rows, beside those of package dump. What becomes of a row:
//
//	malformed, long_row, no_id, duplicate_id, fabricated_post   left out
//	missing_attribute                                           left out
//	bad_number, bad_date, bad_bool, out_of_range                left out where the column is required, as the
//	                                                            PostId of a comment; else kept, the value NULL
//	unknown_type, illegal_reference, invalid_utf8               kept, the characters of the latter two repaired
//
// A post is worth more than the date of its last edit: what is optional in a
// table does not cost the row.
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

// harmless reports whether a value of the class is loaded as it is, or repaired.
func harmless(c dump.Class) bool {
	return c == UnknownType || c == dump.IllegalReference || c == dump.InvalidUTF8
}

// excused reports whether rows of the class do not speak against the dump:
// those that lose nothing, and those that its publisher is known to have put in.
func excused(c dump.Class) bool { return harmless(c) || c == FabricatedPost }
