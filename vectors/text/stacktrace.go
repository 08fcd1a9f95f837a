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
	jsTrace: {"node_modules", "node:", "(internal/", "at internal/", "native)", "(<anonymous>)", "at <anonymous>", "(events.js", "(module.js",
		"(net.js", "(fs.js", "(vm.js", "(timers.js", "(node.js", "(bootstrap_node.js", "(_stream", "angular.js", "angular.min.js", "@angular", "jquery",
		"react-dom", "zone.js", "(index "},
	pythonTrace: {"site-packages", "dist-packages", "/lib/python", "/lib64/python", `\lib\`, `\Lib\`, "<frozen", "/Versions/", ".pyx in "},
	goTrace: {"^runtime.", "^panic(", "^created by ", "^testing.", "^net/http.", "^reflect.", "^sync.", "^syscall.", "^internal/", "^fmt.",
		"/pkg/mod/", "/vendor/", "/usr/local/go/src/", "/libexec/src/"},
	rustTrace: {"std::", "core::", "alloc::", "tokio::", "rust_begin_unwind", "__rust", "__libc", "_start", "/rustc/", "/.cargo/registry/", " <unknown>", " clone"},
	rubyTrace: {"/gems/", "/rubygems/", "/lib/ruby/", "<internal:", "bin/bundle", "bin/rails"},
	phpTrace:  {"/vendor/", `\vendor/`, `\vendor\`, "[internal function]", "{main}"},
}

// traces applies the rule to all traces of a block.
func (n *noise) traces() {
	n.rust = 0
	for i := 0; i < len(n.lines); {
		n.rustHead(i)
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

// own says whether the frame of lines i to j is of the asker's own code.
func (n *noise) own(f family, i, j int) bool {
	var frame []byte
	for _, line := range n.lines[i:j] {
		frame = append(append(frame, unlogged(line)...), '\n')
	}
	if bytes.HasPrefix(frame, []byte("... ")) {
		return false
	}
	function := bytes.TrimPrefix(frame, []byte("at "))
	for _, mark := range foreign[f] {
		if begin, ok := strings.CutPrefix(mark, "^"); ok && bytes.HasPrefix(function, []byte(begin)) || !ok && bytes.Contains(frame, []byte(mark)) {
			return false
		}
	}
	return true
}

// frame says of what family the frame at line i is, and where the next line after it is. What prose, lists and the
// output of compilers have is told from frames by the form of their places: see the tests of both.
func (n *noise) frame(i int) (f family, next int) {
	if i >= len(n.lines) {
		return noFrame, i
	}
	t := unlogged(n.lines[i])
	if len(t) < 5 {
		return noFrame, i
	}
	switch c := t[0]; {
	case c == 'a' && bytes.HasPrefix(t, []byte("at ")):
		return atFrame(t[len("at "):]), i + 1
	case c == '.' && bytes.HasPrefix(t, []byte("... ")):
		if bytes.HasSuffix(t, []byte(" more")) || bytes.HasSuffix(t, []byte(" omitted")) {
			return javaTrace, i + 1
		}
	case c == 'F' && isPythonFrame(t):
		return pythonTrace, n.pythonEnd(i + 1)
	case c == 'f' && bytes.HasPrefix(t, []byte("from ")):
		if isRubyFrame(t) {
			return rubyTrace, i + 1
		}
	case c == '#' && isPHPFrame(t):
		return phpTrace, i + 1
	case c >= '0' && c <= '9':
		if next := n.rustEnd(i, t); next > i {
			return rustTrace, next
		}
	}
	switch last := t[len(t)-1]; {
	case last == '\'' && isRubyFrame(t):
		return rubyTrace, i + 1
	case last >= '0' && last <= '9' && isFirefoxFrame(t):
		return jsTrace, i + 1
	case last == ')' && isIPythonFrame(t):
		return pythonTrace, n.ipythonEnd(i + 1)
	case (last == ')' || t[0] == 'c' && bytes.HasPrefix(t, []byte("created by "))) && n.goPlace(i+1) && !bytes.Contains(t, []byte(".go:")):
		return goTrace, i + 2
	}
	return noFrame, i
}

// androidTags are those under which Android's log has traces.
var androidTags = [][]byte{[]byte("AndroidRuntime"), []byte("System.err")}

// unlogged returns a line without the blanks at its head, and without what Android's log puts before each line:
// "E/AndroidRuntime( 1234): ".
func unlogged(line []byte) []byte {
	line = line[indent(line):]
	if len(line) < 12 || line[1] != '/' && !digits(line[:1]) { // neither a level nor a date
		return line
	}
	for _, tag := range androidTags {
		i := bytes.Index(line[:min(len(line), 100)], tag)
		if i < 0 {
			continue
		}
		if j := bytes.IndexByte(line[i:], ':'); j >= 0 && j < len(tag)+12 {
			return bytes.TrimLeft(line[i+j+1:], " \t")
		}
	}
	return line
}

// atFrame tells the families whose frames begin with "at" from each other.
func atFrame(rest []byte) family {
	switch {
	case isJavaFrame(rest):
		return javaTrace
	case isJSFrame(rest):
		return jsTrace
	case isDotnetFrame(rest):
		return dotnetTrace
	}
	return noFrame
}

// isJavaFrame takes "com.acme.Shop.buy(Shop.java:12)", and what loggers add: " ~[shop.jar:1.2]".
func isJavaFrame(b []byte) bool {
	if b[len(b)-1] == ']' {
		if i := bytes.LastIndex(b, []byte(") ")); i > 0 {
			b = b[:i+1]
		}
	}
	open := bytes.IndexByte(b, '(')
	if open <= 0 || b[len(b)-1] != ')' || bytes.IndexByte(b[:open], '.') < 0 || bytes.IndexByte(b[:open], ' ') >= 0 {
		return false
	}
	place := b[open+1 : len(b)-1]
	for _, file := range [][]byte{[]byte(".java"), []byte(".kt"), []byte(".scala"), []byte(".groovy"), []byte(".clj")} {
		if i := bytes.Index(place, file); i > 0 && (i+len(file) == len(place) || place[i+len(file)] == ':') {
			return true
		}
	}
	switch string(place) {
	case "Native Method", "Unknown Source", "<generated>", "SourceFile":
		return true
	}
	return false
}

// isJSFrame takes what ends with ":12:34" (or, in old browsers, ".js:12") behind a name, "native", "<anonymous>" and
// "index 0" of Promise.all.
func isJSFrame(b []byte) bool {
	b = bytes.TrimSuffix(b, []byte(")"))
	for _, end := range [][]byte{[]byte("(native"), []byte("<anonymous>")} {
		if bytes.HasSuffix(b, end) {
			return true
		}
	}
	if i := bytes.LastIndex(b, []byte("(index ")); i > 0 {
		return digits(b[i+len("(index "):])
	}
	return isJSPlace(b)
}

// isJSPlace takes a file and a place in it: "shop.js:12:5". A time of day is none.
func isJSPlace(b []byte) bool {
	rest, ok := cutNumber(b)
	if !ok {
		return false
	}
	file, two := cutNumber(rest)
	if !two {
		return bytes.HasSuffix(rest, []byte(".js")) || bytes.HasSuffix(rest, []byte(".ts"))
	}
	for _, c := range file[bytes.LastIndexAny(file, " (")+1:] {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c == '>' {
			return true
		}
	}
	return false
}

// isFirefoxFrame takes "buy@http://shop.example/shop.js:12:5", as Firefox and Safari write it.
func isFirefoxFrame(b []byte) bool {
	i := bytes.IndexByte(b, '@')
	return i >= 0 && bytes.IndexByte(b[:i], ' ') < 0 && bytes.Contains(b[i:], []byte("/")) && bytes.IndexByte(b[i:], ' ') < 0 && isJSPlace(b)
}

// isDotnetFrame takes "Acme.Shop.Buy(Int32 id) in Shop.cs:line 3", and Mono's "Acme.Shop.Buy (System.Int32 id) [0x00000]":
// a name with a dot, its parameters, and nothing or the place behind them.
func isDotnetFrame(b []byte) bool {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open <= 0 || end < open {
		return false
	}
	name, rest := b[:open], b[end+1:]
	if !bytes.HasPrefix(rest, []byte(" in ")) && !bytes.HasPrefix(rest, []byte(" [0x")) && len(rest) > 0 {
		return false
	}
	if mono := bytes.TrimSuffix(name, []byte(" ")); len(mono) < len(name) {
		if len(rest) == 0 {
			return false
		}
		name = mono
	}
	first, last := name[0]|0x20, name[len(name)-1]
	return bytes.IndexByte(name, '.') > 0 && last != '.' && bytes.IndexByte(name, ' ') < 0 && (first >= 'a' && first <= 'z' || first == '_' || first == '<') ||
		string(name) == "lambda_method"
}

// isPythonFrame takes `File "shop.py", line 12`.
func isPythonFrame(b []byte) bool {
	const before = `", line `
	i := bytes.Index(b, []byte(before))
	return i > 0 && bytes.HasPrefix(b, []byte(`File "`)) && i+len(before) < len(b) && digits(b[i+len(before):i+len(before)+1])
}

// pythonEnd returns where the lines of source below a Python frame end: they are indented deeper than it. Where the
// indentation is lost, in a paragraph, they go up to the next frame, and below the last frame there is one at most.
func (n *noise) pythonEnd(i int) int {
	frame := indent(n.lines[i-1])
	if frame == 0 && i < len(n.lines) && indent(n.lines[i]) == 0 {
		for k := i; k < min(i+4, len(n.lines)); k++ {
			if isPythonFrame(n.lines[k]) {
				return k
			}
		}
		if i+1 < len(n.lines) && !isPythonError(n.lines[i]) {
			i++
		}
		if i < len(n.lines) && len(bytes.Trim(n.lines[i], "^~ ")) == 0 { // it points at a place in the source
			i++
		}
		return i
	}
	for k := 0; k < 3 && i < len(n.lines) && len(n.lines[i]) > 0 && indent(n.lines[i]) > frame; k++ {
		i++
	}
	return i
}

// isPythonError takes "KeyError: 'k'" and "shop.StockError".
func isPythonError(line []byte) bool {
	name, _, _ := bytes.Cut(line, []byte(":"))
	if bytes.ContainsAny(name, " =([") {
		return false
	}
	for _, end := range [][]byte{[]byte("Error"), []byte("Exception"), []byte("Warning"), []byte("Interrupt"), []byte("Exit"), []byte("Iteration")} {
		if bytes.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// indent returns how many blanks and tabs stand at the head of a line.
func indent(line []byte) int {
	for i, c := range line {
		if c != ' ' && c != '\t' {
			return i
		}
	}
	return len(line)
}

// isIPythonFrame takes the head of a frame as notebooks show it, "/lib/shop.py in buy(id)".
func isIPythonFrame(b []byte) bool {
	i := bytes.Index(b, []byte(" in "))
	if i <= 0 {
		return false
	}
	file := b[:i]
	return bytes.HasPrefix(file, []byte("<ipython-input-")) || bytes.IndexByte(file, ' ') < 0 &&
		(bytes.HasSuffix(file, []byte(".py")) || bytes.HasSuffix(file, []byte(".pyc")) || bytes.HasSuffix(file, []byte(".pyx")))
}

// ipythonEnd returns where the numbered lines of source below a frame of a notebook end, and the blank line behind
// them.
func (n *noise) ipythonEnd(i int) int {
	for ; i < len(n.lines); i++ {
		t := bytes.TrimLeft(n.lines[i], " -->")
		if k := countDigits(t); k == 0 || k < len(t) && t[k] != ' ' {
			break
		}
	}
	if i < len(n.lines) && len(n.lines[i]) == 0 {
		i++
	}
	return i
}

// isRubyFrame takes "app/shop.rb:12:in `buy'" with or without "from" before it. What says more behind it is the
// exception's own line.
func isRubyFrame(b []byte) bool {
	i := bytes.Index(b, []byte(":in "))
	if i <= 0 || !digits(b[i-1:i]) || i+len(":in ") >= len(b) {
		return false
	}
	quote := b[i+len(":in ")]
	return (quote == '`' || quote == '\'') && b[len(b)-1] == '\''
}

// isPHPFrame takes "#1 /srv/shop.php(12): buy()", "#2 [internal function]: f()" and "#3 {main}".
func isPHPFrame(b []byte) bool {
	k := countDigits(b[1:])
	if k == 0 || k+2 >= len(b) || b[k+1] != ' ' {
		return false
	}
	rest := b[k+2:]
	if bytes.HasPrefix(rest, []byte("[internal function]")) || bytes.Equal(rest, []byte("{main}")) {
		return true
	}
	i := bytes.Index(rest, []byte("): "))
	if i < 0 {
		return false
	}
	open := bytes.LastIndexByte(rest[:i], '(')
	return open > 0 && digits(rest[open+1:i]) && (bytes.IndexByte(rest[:open], ' ') < 0 || bytes.HasSuffix(rest[:open], []byte(".php"))) &&
		bytes.ContainsAny(rest[:open], `./\`)
}

// goPlace says whether line i is the place of a Go frame: a tab, a file, a line number. In a paragraph there is no tab,
// but the path is whole.
func (n *noise) goPlace(i int) bool {
	if i >= len(n.lines) || len(n.lines[i]) == 0 || bytes.IndexByte([]byte("\t /"), n.lines[i][0]) < 0 {
		return false
	}
	j := bytes.Index(n.lines[i], []byte(".go:"))
	return j > 0 && j+4 < len(n.lines[i]) && digits(n.lines[i][j+4:j+5])
}

// rustEnd returns where the frame of Rust at line i ends, whose text is t; i where it is none. A number and a path are
// a frame where the place stands below, or under the heading of a backtrace.
func (n *noise) rustEnd(i int, t []byte) int {
	k := countDigits(t)
	if k >= 4 || !bytes.HasPrefix(t[k:], []byte(": ")) {
		return i
	}
	if n.rustPlace(i + 1) {
		return i + 2
	}
	if i < n.rust && bytes.Contains(t, []byte("::")) {
		return i + 1
	}
	return i
}

// rustHead finds how far the frames of Rust go that stand under their heading.
func (n *noise) rustHead(i int) {
	if !bytes.HasSuffix(n.lines[i], []byte("stack backtrace:")) {
		return
	}
	for i++; i < len(n.lines); i++ {
		t := n.lines[i][indent(n.lines[i]):]
		if k := countDigits(t); !n.rustPlace(i) && !(k > 0 && bytes.HasPrefix(t[k:], []byte(": "))) {
			break
		}
	}
	n.rust = i
}

// rustPlace says whether line i is the place of a Rust frame: "at src/main.rs:12".
func (n *noise) rustPlace(i int) bool {
	if i >= len(n.lines) {
		return false
	}
	t := n.lines[i][indent(n.lines[i]):]
	return bytes.HasPrefix(t, []byte("at ")) && bytes.Contains(t, []byte(".rs:"))
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
