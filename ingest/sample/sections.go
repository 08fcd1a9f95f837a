package sample

// saySections are the sections that prose.txt must have.
var saySections = []string{
	"context", "log", "title.how", "title.why", "title.error", "title.diff", "open.how", "open.why", "open.error", "open.diff",
	"data", "error", "symptom", "link.question", "tried", "tried.item", "detail", "expect", "close", "edit",
	"short", "cause", "quote", "fix", "advice", "explain", "steps", "steps.item", "alternative", "link.answer", "docs", "caveat",
	"long.log", "long.trace", "long.code", "comment.question", "comment.answer", "comment.more", "comment.address",
	"excerpt", "wiki.open", "wiki.more", "wiki.item",
}
