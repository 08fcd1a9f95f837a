package sample

// A kind of question decides its title and opening.
type kind string

const (
	kindHow   kind = "how"
	kindWhy   kind = "why"
	kindError kind = "error"
	kindDiff  kind = "diff"
)

func (t *thread) kind() kind {
	switch {
	case t.title < 48:
		return kindHow
	case t.title < 72:
		return kindWhy
	case t.title < 90:
		return kindError
	default:
		return kindDiff
	}
}

// title writes the title of the current thread.
func (w *bodyWriter) title(m format) {
	saved := w.r
	w.r = newRNG(w.seed, streamTitle, w.thread.slot)
	at := len(w.buf)
	w.phrase("title."+string(w.thread.kind()), m)
	capitalise(w.buf, at)
	w.r = saved
}

// question writes the body of a question, with a link to the other thread if link is
// set.
func (w *bodyWriter) question(link bool) {
	k := w.thread.kind()
	w.paragraph("open." + string(k))
	if w.r.chance(550) {
		w.paragraph("data")
	}
	if w.r.chance(820) {
		w.code()
	}
	if k == kindError || k == kindWhy && w.r.chance(450) {
		w.paragraph("error")
		w.errorBlock()
	} else if k != kindDiff || w.r.chance(300) {
		w.paragraph("symptom")
	}
	if link {
		w.paragraph("link.question")
		w.linkParagraph()
	}
	if w.r.chance(550) {
		w.paragraph("tried")
		w.list("tried.item", false)
	}
	if w.r.chance(350) {
		w.paragraph("detail")
		w.snippet()
	}
	if w.r.chance(350) {
		w.paragraph("expect")
	}
	if w.r.chance(70) {
		w.longBlock()
	}
	w.paragraph("close")
	if w.r.chance(70) {
		w.paragraph("edit")
	}
}

// answer writes the body of an answer, with a link to the other thread if link is set.
func (w *bodyWriter) answer(link bool) {
	if w.r.chance(110) {
		w.paragraph("short")
		if w.r.chance(400) {
			w.snippet()
		}
		return
	}
	w.paragraph("cause")
	if w.r.chance(300) {
		w.quotation()
	}
	if w.r.chance(800) {
		w.paragraph("fix")
		w.code()
	} else {
		w.paragraph("advice")
	}
	if w.r.chance(550) {
		w.paragraph("explain")
	}
	if w.r.chance(330) {
		w.paragraph("steps")
		w.list("steps.item", w.r.chance(500))
	}
	if w.r.chance(330) {
		w.paragraph("alternative")
		w.snippet()
	}
	if link {
		w.paragraph("link.answer")
		w.linkParagraph()
	}
	if w.r.chance(250) {
		w.paragraph("docs")
	}
	if w.r.chance(45) {
		w.longBlock()
	}
	if w.r.chance(450) {
		w.paragraph("caveat")
	}
}
