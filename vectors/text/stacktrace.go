package text

import (
	"bytes"
	"strings"
)

// traceFamily is the form of the traces of a language.
type traceFamily uint8

const (
	noFrame traceFamily = iota
	javaTrace
	dotnetTrace
	jsTrace
	pythonTrace
	goTrace
	rustTrace
	rubyTrace
	phpTrace
)

// leastFrames is the number of frames of the shortest trace that is cut.
const leastFrames = 4

// libraryMarks mark a frame as a library's. A mark that begins with ^ matches the beginning of the frame's function, any other
// mark any part of the frame.
var libraryMarks = [...][]string{
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

// dropTraces applies ruleTrace to the traces of a block. A trace is leastFrames or more frames of one family in a row, of which
// one stays: the first of the author's own code, counted from the fault, because the others are the path through libraries.
// Of a trace of libraries alone the first frame stays. The lines around the frames stay, too: the exception's line above
// (below, in Python), and "Caused by".
func (f *noiseFilter) dropTraces() {
	f.rustEnd = 0
	for i := 0; i < len(f.lines); {
		f.findRustBacktrace(i)
		family, next := f.frameAt(i)
		if family == noFrame {
			i++
			continue
		}
		var kept [2]int // where the kept frame begins and ends
		foundOwn, count, j := false, 0, i
		for frame := family; frame == family; frame, next = f.frameAt(j) {
			// the fault is at the last frame of Python, at the first one of other languages
			own := f.isOwnFrame(family, j, next)
			if count == 0 || own && !foundOwn || family == pythonTrace && (own || !foundOwn) {
				kept, foundOwn = [2]int{j, next}, foundOwn || own
			}
			count, j = count+1, next
		}
		if count >= leastFrames {
			f.drop(ruleTrace, i, j, func(k int) bool { return kept[0] <= k && k < kept[1] })
		}
		i = j
	}
}

// isOwnFrame reports whether the frame in the lines i to j has no mark of a library.
func (f *noiseFilter) isOwnFrame(family traceFamily, i, j int) bool {
	var frame []byte
	for _, line := range f.lines[i:j] {
		frame = append(append(frame, trimLogcat(line)...), '\n')
	}
	if bytes.HasPrefix(frame, []byte("... ")) {
		return false
	}
	function := bytes.TrimPrefix(frame, []byte("at "))
	for _, mark := range libraryMarks[family] {
		if start, ok := strings.CutPrefix(mark, "^"); ok && bytes.HasPrefix(function, []byte(start)) || !ok && bytes.Contains(frame, []byte(mark)) {
			return false
		}
	}
	return true
}

// frameAt returns the family of the frame at line i, and the line behind it. The forms of the places distinguish frames from
// prose, lists and the output of compilers, see TestTraces and TestNoTraces.
func (f *noiseFilter) frameAt(i int) (family traceFamily, next int) {
	if i >= len(f.lines) {
		return noFrame, i
	}
	t := trimLogcat(f.lines[i])
	if len(t) < 5 {
		return noFrame, i
	}
	switch c := t[0]; {
	case c == 'a' && bytes.HasPrefix(t, []byte("at ")):
		switch rest := t[len("at "):]; {
		case isJavaFrame(rest):
			return javaTrace, i + 1
		case isJSFrame(rest):
			return jsTrace, i + 1
		case isDotnetFrame(rest):
			return dotnetTrace, i + 1
		}
		return noFrame, i + 1
	case c == '.' && bytes.HasPrefix(t, []byte("... ")):
		if bytes.HasSuffix(t, []byte(" more")) || bytes.HasSuffix(t, []byte(" omitted")) {
			return javaTrace, i + 1
		}
	case c == 'F' && isPythonFrame(t):
		return pythonTrace, f.pythonFrameEnd(i + 1)
	case c == 'f' && bytes.HasPrefix(t, []byte("from ")):
		if isRubyFrame(t) {
			return rubyTrace, i + 1
		}
	case c == '#' && isPHPFrame(t):
		return phpTrace, i + 1
	case isDigit(c):
		if next := f.rustFrameEnd(i, t); next > i {
			return rustTrace, next
		}
	}
	switch last := t[len(t)-1]; {
	case last == '\'' && isRubyFrame(t):
		return rubyTrace, i + 1
	case isDigit(last) && isFirefoxFrame(t):
		return jsTrace, i + 1
	case last == ')' && isIPythonFrame(t):
		return pythonTrace, f.ipythonFrameEnd(i + 1)
	case (last == ')' || bytes.HasPrefix(t, []byte("created by "))) && f.isGoPlace(i+1) && !bytes.Contains(t, []byte(".go:")):
		return goTrace, i + 2
	}
	return noFrame, i
}

// logcatTags are the tags of traces in Android's log.
var logcatTags = [][]byte{[]byte("AndroidRuntime"), []byte("System.err")}

// trimLogcat trims the blanks at the head of a line, and the prefix of Android's log: "E/AndroidRuntime( 1234): ".
func trimLogcat(line []byte) []byte {
	line = line[indent(line):]
	if len(line) < 12 || line[1] != '/' && !isDigit(line[0]) { // neither a level nor a date
		return line
	}
	for _, tag := range logcatTags {
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

// indent returns the number of blanks and tabs at the head of a line.
func indent(line []byte) int {
	for i, c := range line {
		if c != ' ' && c != '\t' {
			return i
		}
	}
	return len(line)
}

// isJavaFrame matches "com.acme.Shop.buy(Shop.java:12)", and what loggers add: " ~[shop.jar:1.2]".
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

// isJSFrame matches "buy (shop.js:12:34)" (in old browsers "shop.js:12"), "(native)", "<anonymous>" and Promise.all's
// "(index 0)".
func isJSFrame(b []byte) bool {
	b = bytes.TrimSuffix(b, []byte(")"))
	for _, end := range [][]byte{[]byte("(native"), []byte("<anonymous>")} {
		if bytes.HasSuffix(b, end) {
			return true
		}
	}
	if i := bytes.LastIndex(b, []byte("(index ")); i > 0 {
		return areDigits(b[i+len("(index "):])
	}
	return isJSPlace(b)
}

// isJSPlace matches a file and a place in it, "shop.js:12:5", and no time of day.
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
		if isLetter(c) || c == '>' {
			return true
		}
	}
	return false
}

// cutNumber cuts ":12" off the end.
func cutNumber(p []byte) ([]byte, bool) {
	i := len(p)
	for i > 0 && isDigit(p[i-1]) {
		i--
	}
	if i == len(p) || i == 0 || p[i-1] != ':' {
		return nil, false
	}
	return p[:i-1], true
}

// isFirefoxFrame matches "buy@http://shop.example/shop.js:12:5", as Firefox and Safari write it.
func isFirefoxFrame(b []byte) bool {
	i := bytes.IndexByte(b, '@')
	return i >= 0 && bytes.IndexByte(b, ' ') < 0 && bytes.IndexByte(b[i:], '/') >= 0 && isJSPlace(b)
}

// isDotnetFrame matches "Acme.Shop.Buy(Int32 id) in Shop.cs:line 3", and Mono's "Acme.Shop.Buy (System.Int32 id) [0x00000]":
// a name with a dot, parameters, and nothing or the place behind them.
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
	first, last := name[0], name[len(name)-1]
	return bytes.IndexByte(name, '.') > 0 && last != '.' && bytes.IndexByte(name, ' ') < 0 && (isLetter(first) || first == '<') ||
		string(name) == "lambda_method"
}

// isPythonFrame matches `File "shop.py", line 12`.
func isPythonFrame(b []byte) bool {
	const before = `", line `
	i := bytes.Index(b, []byte(before))
	return i > 0 && bytes.HasPrefix(b, []byte(`File "`)) && i+len(before) < len(b) && isDigit(b[i+len(before)])
}

// pythonFrameEnd returns the end of the lines of source below a Python frame, from line i on: they are indented deeper than
// the frame. In a paragraph, where the indentation is lost, they end at the next frame; below the last frame there is one at
// most.
func (f *noiseFilter) pythonFrameEnd(i int) int {
	frame := indent(f.lines[i-1])
	if frame == 0 && i < len(f.lines) && indent(f.lines[i]) == 0 {
		for k := i; k < min(i+4, len(f.lines)); k++ {
			if isPythonFrame(f.lines[k]) {
				return k
			}
		}
		if i+1 < len(f.lines) && !isPythonError(f.lines[i]) {
			i++
		}
		if i < len(f.lines) && len(bytes.Trim(f.lines[i], "^~ ")) == 0 { // the marks of a place in the source
			i++
		}
		return i
	}
	for k := 0; k < 3 && i < len(f.lines) && len(f.lines[i]) > 0 && indent(f.lines[i]) > frame; k++ {
		i++
	}
	return i
}

// isPythonError matches "KeyError: 'k'" and "shop.StockError".
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

// isIPythonFrame matches the head of a frame in a notebook, "/lib/shop.py in buy(id)".
func isIPythonFrame(b []byte) bool {
	i := bytes.Index(b, []byte(" in "))
	if i <= 0 {
		return false
	}
	file := b[:i]
	return bytes.HasPrefix(file, []byte("<ipython-input-")) || bytes.IndexByte(file, ' ') < 0 &&
		(bytes.HasSuffix(file, []byte(".py")) || bytes.HasSuffix(file, []byte(".pyc")) || bytes.HasSuffix(file, []byte(".pyx")))
}

// ipythonFrameEnd returns the end of the numbered lines of source below a frame in a notebook, from line i on, and of the
// blank line behind them.
func (f *noiseFilter) ipythonFrameEnd(i int) int {
	for ; i < len(f.lines); i++ {
		t := bytes.TrimLeft(f.lines[i], " ->")
		if k := countDigits(t); k == 0 || k < len(t) && t[k] != ' ' {
			break
		}
	}
	if i < len(f.lines) && len(f.lines[i]) == 0 {
		i++
	}
	return i
}

// isRubyFrame matches "app/shop.rb:12:in `buy'", with or without "from" before it. A line with more behind it is the
// exception's.
func isRubyFrame(b []byte) bool {
	i := bytes.Index(b, []byte(":in "))
	if i <= 0 || !isDigit(b[i-1]) || i+len(":in ") >= len(b) {
		return false
	}
	quote := b[i+len(":in ")]
	return (quote == '`' || quote == '\'') && b[len(b)-1] == '\''
}

// isPHPFrame matches "#1 /srv/shop.php(12): buy()", "#2 [internal function]: f()" and "#3 {main}".
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
	return open > 0 && areDigits(rest[open+1:i]) && (bytes.IndexByte(rest[:open], ' ') < 0 || bytes.HasSuffix(rest[:open], []byte(".php"))) &&
		bytes.ContainsAny(rest[:open], `./\`)
}

// isGoPlace reports whether line i is the place of a Go frame: a tab, a file, a line number. In a paragraph there is no tab,
// but the path is absolute.
func (f *noiseFilter) isGoPlace(i int) bool {
	if i >= len(f.lines) || len(f.lines[i]) == 0 || bytes.IndexByte([]byte("\t /"), f.lines[i][0]) < 0 {
		return false
	}
	j := bytes.Index(f.lines[i], []byte(".go:"))
	return j > 0 && j+4 < len(f.lines[i]) && isDigit(f.lines[i][j+4])
}

// rustFrameEnd returns the end of the Rust frame at line i, whose trimmed text is t; i where it is none. A number and a path
// are a frame if the place is in the line below, or if they are in a backtrace.
func (f *noiseFilter) rustFrameEnd(i int, t []byte) int {
	k := countDigits(t)
	if k >= 4 || !bytes.HasPrefix(t[k:], []byte(": ")) {
		return i
	}
	if f.isRustPlace(i + 1) {
		return i + 2
	}
	if i < f.rustEnd && bytes.Contains(t, []byte("::")) {
		return i + 1
	}
	return i
}

// findRustBacktrace sets rustEnd where line i is the heading of a backtrace.
func (f *noiseFilter) findRustBacktrace(i int) {
	if !bytes.HasSuffix(f.lines[i], []byte("stack backtrace:")) {
		return
	}
	for i++; i < len(f.lines); i++ {
		t := f.lines[i][indent(f.lines[i]):]
		if k := countDigits(t); !f.isRustPlace(i) && !(k > 0 && bytes.HasPrefix(t[k:], []byte(": "))) {
			break
		}
	}
	f.rustEnd = i
}

// isRustPlace reports whether line i is the place of a Rust frame: "at src/main.rs:12".
func (f *noiseFilter) isRustPlace(i int) bool {
	if i >= len(f.lines) {
		return false
	}
	t := f.lines[i][indent(f.lines[i]):]
	return bytes.HasPrefix(t, []byte("at ")) && bytes.Contains(t, []byte(".rs:"))
}
