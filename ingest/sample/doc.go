// Package sample writes a synthetic Stack Exchange dump of any size: Posts.xml,
// Comments.xml, Votes.xml, PostLinks.xml and Tags.xml in the dress of the real
// ones. It exists so that the program can be tried, tested and measured where no
// real dump is at hand, at any size, and so that the result reads like questions
// and answers: a search over it shows something.
//
// It reads nothing but the texts embedded from text/, all written for it, and it
// writes the same bytes for the same options everywhere: the only source of
// chance is [rng], and no floating-point number is involved.
//
// How it is made:
//
//  1. A post has a number, its slot, from 0. Slots are cut into blocks of 4096.
//     What a block holds (which slot is a question, which an answer to which
//     question, which a tag wiki) is a pure function of the seed and the block's
//     number ([block]).
//  2. What a post says is a pure function of the seed and its slot: a [thread]
//     draws language, topic, tags and words from its question's slot, and each
//     answer, comment and vote draws again from its own. So every file can be
//     streamed by itself, in any order, with no memory of the others.
//  3. Comments and votes come later than their post, at the slot where they are
//     due. What is due at or after the last slot has not happened yet, and
//     AnswerCount, CommentCount, Score and AcceptedAnswerId count only what has.
//     A site with more posts and the same clock (Options.Grow) therefore begins
//     with the same rows, but for such edits.
//
// Memory is a few blocks, whatever the number of posts.
package sample
