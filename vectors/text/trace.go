package text

import (
	"bytes"
	"strings"
)

// A stack trace is four or more frames of one family. What stands around them stays: the exception's line above (or
// below, in Python), and "Caused by". Of the frames one stays, the first that is the asker's own code, counted from
// where the fault happened: the rest is the path through libraries. Without one of the asker's own it is the first.

// family is how the traces of a language look.
type family uint8

const (
	noFrame family = iota
	javaTrace
	dotnetTrace
	jsTrace
	pythonTrace
	goTrace
	rustTrace
	rubyTrace
	phpTrace
)

// least is how many frames make a trace that is cut.
const least = 4

// foreign names what marks a frame as a library's. A mark that begins with ^ is the beginning of the frame's function.
var foreign = [...][]string{
	javaTrace: {"^java.", "^javax.", "^jdk.", "^sun.", "^com.sun.", "^org.apache.", "^org.springframework.", "^org.hibernate.", "^org.junit.",
		"^org.eclipse.", "^org.jboss.", "^org.gradle.", "^org.codehaus.", "^org.glassfish.", "^org.mockito.", "^org.testng.", "^android.", "^androidx.", "^com.android.", "^dalvik.",
		"^kotlin.", "^kotlinx.", "^scala.", "^akka.", "^groovy.", "^io.netty.", "^com.google.", "^java.base/", "^java.desktop/", "^app//org."},
	dotnetTrace: {"^System.", "^Microsoft.", "^MS.", "^Newtonsoft.", "^NHibernate.", "^Castle.", "^Xamarin."},
	jsTrace: {"node_modules", "node:", "(internal/", "at internal/", "native)", "<anonymous>", "(events.js", "(module.js",
		"(net.js", "(fs.js", "(vm.js", "(timers.js", "(node.js", "(bootstrap_node.js", "(_stream", "angular", "jquery", "react-dom", "zone.js"},
	pythonTrace: {"site-packages", "dist-packages", "/lib/python", "/lib64/python", `\lib\`, `\Lib\`, "<frozen", "/Versions/"},
	goTrace: {"^runtime.", "^panic(", "^created by ", "^testing.", "^net/http.", "^reflect.", "^sync.", "^syscall.", "^internal/", "^fmt.",
		"/pkg/mod/", "/vendor/", "/usr/local/go/src/", "/libexec/src/"},
	rustTrace: {"std::", "core::", "alloc::", "tokio::", "rust_begin_unwind", "__rust", "__libc", "_start", "/rustc/", "/.cargo/registry/", " <unknown>", "clone"},
	rubyTrace: {"/gems/", "/rubygems/", "/lib/ruby/", "<internal:", "bin/bundle", "bin/rails"},
	phpTrace:  {"/vendor/", "[internal function]", "{main}"},
}

// traces applies the rule to all traces of a block.
func (n *noise) traces() {
	for i := 0; i < len(n.lines); {
		f, next := n.frame(i)
		if f == noFrame {
			i++
			continue
		}
		var frames [2]int // where the kept frame begins and ends
		found, count, j := false, 0, i
		for g := f; g == f; g, next = n.frame(j) {
			if own := n.own(f, j, next); count == 0 || own && (!found || f == pythonTrace) || f == pythonTrace && !found {
				frames, found = [2]int{j, next}, found || own
			}
			count, j = count+1, next
		}
		if count >= least {
			n.cut(ruleTrace, i, j, func(k int) bool { return frames[0] <= k && k < frames[1] })
		}
		i = j
	}
}

// frame says of what family the frame at line i is, and where the next line after it is.
func (n *noise) frame(i int) (f family, next int) {
	if i >= len(n.lines) {
		return noFrame, i
	}
	line := n.lines[i]
	t := bytes.TrimLeft(line, " \t")
	if len(t) < 5 {
		return noFrame, i
	}
	switch t[0] {
	case 'a':
		if rest, ok := bytes.CutPrefix(t, []byte("at ")); ok {
			return atFrame(rest), i + 1
		}
	case '.':
		if bytes.HasPrefix(t, []byte("... ")) && (bytes.HasSuffix(t, []byte(" more")) || bytes.HasSuffix(t, []byte(" omitted"))) {
			return javaTrace, i + 1
		}
	case 'F':
		if bytes.HasPrefix(t, []byte(`File "`)) && bytes.Contains(t, []byte(", line ")) {
			return pythonTrace, n.pythonEnd(i + 1)
		}
	case 'f':
		if bytes.HasPrefix(t, []byte("from ")) && rubyPlace(t[len("from "):]) {
			return rubyTrace, i + 1
		}
	case '#':
		if k := countDigits(t[1:]); k > 0 && k+2 < len(t) && t[k+1] == ' ' &&
			(bytes.Contains(t, []byte("): ")) || bytes.Contains(t, []byte("[internal function]")) || bytes.HasSuffix(t, []byte("{main}"))) {
			return phpTrace, i + 1
		}
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		if k := countDigits(t); k < 4 && bytes.HasPrefix(t[k:], []byte(": ")) && bytes.Contains(t, []byte("::")) || k < 4 && n.rustPlace(i+1) {
			next := i + 1
			if n.rustPlace(next) {
				next++
			}
			return rustTrace, next
		}
	}
	if n.goPlace(i+1) && bytes.IndexByte(t, '(') > 0 || bytes.HasPrefix(t, []byte("created by ")) && n.goPlace(i+1) {
		return goTrace, i + 2
	}
	return noFrame, i
}

// atFrame tells the families whose frames begin with "at" from each other.
func atFrame(rest []byte) family {
	open := bytes.LastIndexByte(rest, '(')
	switch end := rest[len(rest)-1]; {
	case open > 0 && end == ')' && javaPlace(rest[open+1:len(rest)-1]) && bytes.IndexByte(rest[:open], ' ') < 0:
		return javaTrace
	case jsPlace(bytes.TrimSuffix(rest, []byte(")"))):
		return jsTrace
	case bytes.IndexByte(rest, '(') > 0 && bytes.IndexByte(rest, '.') > 0 &&
		(end == ')' || bytes.Contains(rest, []byte(":line ")) || bytes.Contains(rest, []byte(") in ")) || bytes.Contains(rest, []byte(") ["))):
		return dotnetTrace
	}
	return noFrame
}

// javaPlace takes "File.java:12", "Native Method" and the like.
func javaPlace(p []byte) bool {
	return bytes.Contains(p, []byte(".java")) || bytes.Contains(p, []byte(".kt")) || bytes.Contains(p, []byte(".scala")) ||
		bytes.Contains(p, []byte(".groovy")) || bytes.Equal(p, []byte("Native Method")) || bytes.Equal(p, []byte("Unknown Source")) ||
		bytes.Equal(p, []byte("<generated>")) || bytes.Equal(p, []byte("SourceFile"))
}

// jsPlace takes what ends with ":12:34" (or, in old browsers, ".js:12"), and "native".
func jsPlace(p []byte) bool {
	if bytes.HasSuffix(p, []byte("(native")) || bytes.HasSuffix(p, []byte("(<anonymous>")) {
		return true
	}
	rest, ok := cutNumber(p)
	if !ok {
		return false
	}
	if _, two := cutNumber(rest); two {
		return true
	}
	return bytes.HasSuffix(rest, []byte(".js")) || bytes.HasSuffix(rest, []byte(".ts"))
}

// cutNumber takes ":12" off the end.
func cutNumber(p []byte) ([]byte, bool) {
	i := len(p)
	for i > 0 && p[i-1] >= '0' && p[i-1] <= '9' {
		i--
	}
	if i == len(p) || i == 0 || p[i-1] != ':' {
		return nil, false
	}
	return p[:i-1], true
}

func countDigits(b []byte) int {
	for i, c := range b {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(b)
}

// pythonEnd returns where the lines of source below a Python frame end: they are indented deeper than it.
func (n *noise) pythonEnd(i int) int {
	frame := indent(n.lines[i-1])
	for k := 0; k < 3 && i < len(n.lines) && len(n.lines[i]) > 0 && indent(n.lines[i]) > frame; k++ {
		i++
	}
	return i
}

func indent(line []byte) int {
	return len(line) - len(bytes.TrimLeft(line, " \t"))
}

// goPlace says whether line i is the place of a Go frame: a tab, a file, a line number.
func (n *noise) goPlace(i int) bool {
	if i >= len(n.lines) || len(n.lines[i]) == 0 || n.lines[i][0] != '\t' && n.lines[i][0] != ' ' {
		return false
	}
	j := bytes.Index(n.lines[i], []byte(".go:"))
	return j > 0 && j+4 < len(n.lines[i]) && digits(n.lines[i][j+4:j+5])
}

// rustPlace says whether line i is the place of a Rust frame: "at src/main.rs:12".
func (n *noise) rustPlace(i int) bool {
	if i >= len(n.lines) {
		return false
	}
	t := bytes.TrimLeft(n.lines[i], " \t")
	return bytes.HasPrefix(t, []byte("at ")) && bytes.Contains(t, []byte(".rs:"))
}

// rubyPlace takes "path/file.rb:12:in `name'".
func rubyPlace(p []byte) bool {
	i := bytes.Index(p, []byte(":in "))
	return i > 0 && digits(p[i-1:i])
}

// own says whether the frame of lines i to j is of the asker's own code.
func (n *noise) own(f family, i, j int) bool {
	frame := string(bytes.Join(n.lines[i:j], []byte("\n")))
	if strings.HasPrefix(strings.TrimSpace(frame), "... ") {
		return false
	}
	function := strings.TrimPrefix(strings.TrimSpace(frame), "at ")
	for _, mark := range foreign[f] {
		if begin, ok := strings.CutPrefix(mark, "^"); ok && strings.HasPrefix(function, begin) || !ok && strings.Contains(frame, mark) {
			return false
		}
	}
	return true
}
