package sample

import "strings"

// A fault is an error message and the name it begins with.
type fault struct{ name, message phrase }

// A trace is how a language prints a stack.
type trace struct {
	head, tail template
	frames     []template
}

// faultsOf reads the error messages and the stack traces of each family.
func faultsOf(src string) (map[string][]fault, map[string]*trace) {
	faults, traces := make(map[string][]fault), make(map[string]*trace)
	for _, r := range records("errors.txt", src) {
		family := r.one("family")
		for _, e := range r.all("error") {
			name, message, ok := strings.Cut(e, " | ")
			if !ok {
				name, _, _ = strings.Cut(e, ":")
				message = e
			}
			faults[family] = append(faults[family], fault{newVerbatim(name), newVerbatim(message)})
		}
		if r.one("head") == "" {
			continue
		}
		t := &trace{head: newCode(r.one("head") + "\n")}
		if tail := r.one("tail"); tail != "" {
			t.tail = newCode(tail + "\n")
		}
		for _, f := range r.all("frame") {
			t.frames = append(t.frames, newCode(strings.ReplaceAll(f, `\n`, "\n")+"\n"))
		}
		traces[family] = t
	}
	return faults, traces
}
