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
