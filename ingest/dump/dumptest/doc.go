// Package dumptest puts a dump in other dressings: the formats, encodings and
// spellings in which the dumps of different years and mirrors come. The rows are
// the same in all of them, so whatever reads dumps must come to the same tables.
// It is for tests.
package dumptest
