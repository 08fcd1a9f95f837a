package text

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTraces has real traces: the exception's line stays, and the first frame of the author's own code.
func TestTraces(t *testing.T) {
	spring := func(n int) (s string) {
		for i := range n {
			s += fmt.Sprintf("\n\tat org.springframework.web.Filter%d.doFilter(Filter.java:%d)", i, i)
		}
		return s
	}
	tests := []struct{ name, code, want string }{
		{"Java", "java.lang.NullPointerException: x\n\tat org.hibernate.A.a(A.java:1)\n\tat com.acme.Shop.buy(Shop.java:12)" + spring(5) +
			"\nCaused by: java.io.IOException: y\n\tat com.acme.Io.read(Io.java:3)" + spring(3) + "\n\t... 12 more",
			"java.lang.NullPointerException: x\n...\n\tat com.acme.Shop.buy(Shop.java:12)\n...\nCaused by: java.io.IOException: y\n\tat com.acme.Io.read(Io.java:3)\n..."},
		{"Java, with jars", "java.lang.IllegalStateException: x\n\tat org.springframework.A.a(A.java:1) ~[spring-5.jar:5.1]\n\tat com.acme.Shop.buy(Shop.java:12) [classes/:na]\n" +
			"\tat com.acme.Shop$Cart.<init>(Shop.java:2) ~[classes/:na]\n\tat java.base/java.lang.Thread.run(Thread.java:834) [na:na]",
			"java.lang.IllegalStateException: x\n...\n\tat com.acme.Shop.buy(Shop.java:12) [classes/:na]\n..."},
		{"Kotlin, Scala", "kotlin.KotlinNullPointerException\n    at com.acme.ShopKt.main(Shop.kt:3)\n    at scala.Option.get(Option.scala:1)\n    at sun.reflect.A.b(Native Method)\n    at java.lang.C.d(Unknown Source)",
			"kotlin.KotlinNullPointerException\n    at com.acme.ShopKt.main(Shop.kt:3)\n..."},
		{"Android's log", "E/AndroidRuntime( 1234): FATAL EXCEPTION: main\nE/AndroidRuntime( 1234): java.lang.NullPointerException\nE/AndroidRuntime( 1234): \tat android.app.A.a(A.java:1)\n" +
			"E/AndroidRuntime( 1234): \tat com.acme.Shop.onCreate(Shop.java:12)\nE/AndroidRuntime( 1234): \tat android.app.B.b(B.java:1)\nE/AndroidRuntime( 1234): \tat dalvik.system.C.c(Native Method)",
			"E/AndroidRuntime( 1234): FATAL EXCEPTION: main\nE/AndroidRuntime( 1234): java.lang.NullPointerException\n...\nE/AndroidRuntime( 1234): \tat com.acme.Shop.onCreate(Shop.java:12)\n..."},
		{"Android's log with dates", "06-12 10:00:00.123 77-77/com.acme E/AndroidRuntime: java.lang.RuntimeException: x\n06-12 10:00:00.123 77-77/com.acme E/AndroidRuntime:     at android.os.A.a(A.java:1)\n" +
			"06-12 10:00:00.123 77-77/com.acme E/AndroidRuntime:     at android.os.B.b(B.java:1)\n06-12 10:00:00.123 77-77/com.acme E/AndroidRuntime:     at com.acme.Shop.b(Shop.java:1)\n06-12 10:00:00.123 77-77/com.acme E/AndroidRuntime:     at android.os.C.c(C.java:1)",
			"06-12 10:00:00.123 77-77/com.acme E/AndroidRuntime: java.lang.RuntimeException: x\n...\n06-12 10:00:00.123 77-77/com.acme E/AndroidRuntime:     at com.acme.Shop.b(Shop.java:1)\n..."},
		{"Python", "Traceback (most recent call last):\n  File \"/home/me/run.py\", line 3, in <module>\n    main()\n  File \"/home/me/run.py\", line 9, in main\n    load(x)\n" +
			"  File \"/usr/lib/python3/a.py\", line 1, in b\n    c\n  File \"/usr/lib/python3/site-packages/d.py\", line 1, in e\n    f\n    ^^^\nKeyError: 'k'",
			"Traceback (most recent call last):\n...\n  File \"/home/me/run.py\", line 9, in main\n    load(x)\n...\nKeyError: 'k'"},
		{"Python, none of its own", "Traceback (most recent call last):\n" + strings.Repeat("  File \"/usr/lib/python3/x.py\", line 1, in b\n    c()\n", 4) + "ValueError: no",
			"Traceback (most recent call last):\n...\n  File \"/usr/lib/python3/x.py\", line 1, in b\n    c()\nValueError: no"},
		{"Python in a notebook", "KeyError                                  Traceback (most recent call last)\n<ipython-input-3-ab12> in <module>()\n      1 import pandas\n----> 2 df['a']\n\n" +
			"/usr/lib/python3/site-packages/pandas/core/frame.pyc in __getitem__(self, key)\n   1795             return 1\n-> 1797             return 2\n   1798 \n\n" +
			"/usr/lib/python3/site-packages/pandas/core/generic.py in get(self, item)\n   1347         v = 1\n\npandas/index.pyx in pandas.index.get_loc (pandas/index.c:3979)()\n\npandas/index.pyx in pandas.index.get (pandas/index.c:3843)()\n\nKeyError: 'a'",
			"KeyError                                  Traceback (most recent call last)\n<ipython-input-3-ab12> in <module>()\n      1 import pandas\n----> 2 df['a']\n\n...\nKeyError: 'a'"},
		{".NET", "System.NullReferenceException: x\n   at System.Linq.A.B(Object c)\n   at Acme.Web.Cart.Get(Int32 id) in c:\\src\\Cart.cs:line 31\n   at System.Web.D.E()\n   at System.Web.F.G(H i)",
			"System.NullReferenceException: x\n...\n   at Acme.Web.Cart.Get(Int32 id) in c:\\src\\Cart.cs:line 31\n..."},
		{".NET, made by compilers", "System.Exception: x\n  at lambda_method(Closure , Object )\n  at Acme.Shop.<>c__DisplayClass1_0.<Buy>b__0(Int32 i) in C:\\My Shop\\Shop.cs:line 3\n  at System.Linq.Enumerable.Where[T](IEnumerable`1 s, Func`2 p)\n  at Acme.Shop..ctor()",
			"System.Exception: x\n  at lambda_method(Closure , Object )\n..."},
		{"Mono", "System.Exception: x\n  at System.A.B (System.Object o) [0x00000] in <filename unknown>:0 \n  at Acme.Shop.Buy (System.Int32 id) [0x0001f] in /src/Shop.cs:31 \n  at System.C.D () [0x00000] in <filename unknown>:0 \n  at System.E.F () [0x00000] in <filename unknown>:0",
			"System.Exception: x\n...\n  at Acme.Shop.Buy (System.Int32 id) [0x0001f] in /src/Shop.cs:31\n..."},
		{"JavaScript", "TypeError: x is undefined\n    at Object.next (/app/node_modules/express/lib/x.js:1:2)\n    at buy (/app/shop.js:12:5)\n    at /app/node_modules/y.js:3:4\n    at process._tickCallback (internal/process/next_tick.js:61:11)",
			"TypeError: x is undefined\n...\n    at buy (/app/shop.js:12:5)\n..."},
		{"JavaScript, promises", "Error: x\n    at new Promise (<anonymous>)\n    at async Promise.all (index 0)\n    at Object.<anonymous> (/app/shop.js:3:1)\n    at Module._compile (node:internal/modules/cjs/loader:1103:14)\n    at node:internal/main/run_main_module:17:47",
			"Error: x\n...\n    at Object.<anonymous> (/app/shop.js:3:1)\n..."},
		{"JavaScript in Firefox", "TypeError: cart is null\ne@https://cdn.example/jquery.min.js:2:1\nbuy@https://shop.example/shop.js:12:5\n@https://shop.example/shop.js:90:1\ndispatch@https://cdn.example/jquery.min.js:3:12",
			"TypeError: cart is null\n...\nbuy@https://shop.example/shop.js:12:5\n..."},
		{"Go", "panic: x\n\ngoroutine 1 [running]:\nruntime.gopanic(0x1)\n\t/usr/local/go/src/runtime/panic.go:5 +0x1\nmain.load(0x2)\n\t/home/me/main.go:12 +0x20\nmain.main()\n\t/home/me/main.go:3 +0x1\nruntime.main()\n\t/usr/local/go/src/runtime/proc.go:1 +0x1\nexit status 2",
			"panic: x\n\ngoroutine 1 [running]:\n...\nmain.load(0x2)\n\t/home/me/main.go:12 +0x20\n...\nexit status 2"},
		{"Go, a goroutine", "fatal error: all goroutines are asleep\n\ngoroutine 7 [chan send]:\nshop.(*Cart).Add(...)\n\t/src/cart.go:7\nnet/http.HandlerFunc.ServeHTTP(0x1, {0x2, 0x3})\n\t/usr/local/go/src/net/http/server.go:9 +0x1\nnet/http.(*conn).serve(0x1)\n\t/usr/local/go/src/net/http/server.go:8 +0x2\ncreated by net/http.(*Server).Serve in goroutine 1\n\t/usr/local/go/src/net/http/server.go:7 +0x3",
			"fatal error: all goroutines are asleep\n\ngoroutine 7 [chan send]:\nshop.(*Cart).Add(...)\n\t/src/cart.go:7\n..."},
		{"Rust", "thread 'main' panicked at 'x', src/main.rs:3:5\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/abc/library/std/src/panicking.rs:1:5\n   1: core::panicking::panic\n             at /rustc/abc/core.rs:1:1\n   2: shop::buy\n             at ./src/main.rs:3:5\n   3: core::ops::call_once\n             at /rustc/abc/ops.rs:1:1",
			"thread 'main' panicked at 'x', src/main.rs:3:5\nstack backtrace:\n...\n   2: shop::buy\n             at ./src/main.rs:3:5\n..."},
		{"Rust without places", "thread 'main' panicked at src/main.rs:3:5:\nx\nstack backtrace:\n   0: std::panicking::begin_panic\n   1:     0x55d0aa - core::result::unwrap_failed\n   2: shop::buy\n   3: <shop::Cart as core::ops::Drop>::drop\n   4: std::rt::lang_start\nnote: run with `RUST_BACKTRACE=full`",
			"thread 'main' panicked at src/main.rs:3:5:\nx\nstack backtrace:\n...\n   2: shop::buy\n...\nnote: run with `RUST_BACKTRACE=full`"},
		{"Ruby", "NoMethodError: x\n\tfrom /gems/rack-1/a.rb:1:in `call'\n\tfrom app/shop.rb:2:in `buy'\n\tfrom /gems/rack-1/b.rb:3:in `d'\n\tfrom /gems/rack-1/b.rb:4:in `e'",
			"NoMethodError: x\n...\n\tfrom app/shop.rb:2:in `buy'\n..."},
		{"Ruby on Rails", "ActionView::Template::Error (x):\n  /gems/actionview/x.rb:1:in `render'\napp/views/shop.html.erb:3:in `block in _app_views_shop'\napp/shop.rb:2:in 'Shop#buy'\n  /gems/rack-1/b.rb:3:in `d'",
			"ActionView::Template::Error (x):\n...\napp/views/shop.html.erb:3:in `block in _app_views_shop'\n..."},
		{"Ruby, first line", "/gems/rack-1/a.rb:1:in `call': undefined method `x' for nil:NilClass (NoMethodError)\n\tfrom /gems/rack-1/b.rb:1:in `call'\n\tfrom app/shop.rb:2:in `buy'\n\tfrom /gems/rack-1/b.rb:3:in `d'\n\tfrom /gems/rack-1/b.rb:4:in `e'",
			"/gems/rack-1/a.rb:1:in `call': undefined method `x' for nil:NilClass (NoMethodError)\n...\n\tfrom app/shop.rb:2:in `buy'\n..."},
		{"PHP", "PHP Fatal error: x\n#0 /srv/vendor/a.php(1): b()\n#1 /srv/shop.php(2): buy()\n#2 /srv/vendor/c.php(3): d()\n#3 {main}",
			"PHP Fatal error: x\n...\n#1 /srv/shop.php(2): buy()\n..."},
		{"PHP on Windows", "exception 'PDOException' with message 'x' in C:\\My Shop\\db.php:3\nStack trace:\n#0 C:\\My Shop\\vendor/y.php(1): PDO->query()\n#1 [internal function]: Shop->buy()\n#2 C:\\My Shop\\index.php(2): call_user_func()\n#3 {main}\n  thrown in C:\\My Shop\\db.php on line 3",
			"exception 'PDOException' with message 'x' in C:\\My Shop\\db.php:3\nStack trace:\n...\n#2 C:\\My Shop\\index.php(2): call_user_func()\n...\n  thrown in C:\\My Shop\\db.php on line 3"},
	}
	for _, tt := range tests {
		var c Cleaner
		got := c.Clean([]byte("<pre><code>"+html.EscapeString(tt.code)+"</code></pre>"), nil)
		if diff := cmp.Diff("```\n"+tt.want+"\n```", got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		// pasted without being marked as code, so that its lines are those of the HTML
		got = c.Clean([]byte("<p>"+html.EscapeString(tt.code)+"</p>"), nil)
		if diff := cmp.Diff(asProse(tt.want), got); diff != "" {
			t.Errorf("%s, as prose: %s", tt.name, diff)
		}
		for _, d := range c.Drops() {
			if d.Rule != ruleTrace {
				t.Errorf("%s: dropped by %s: %s", tt.name, d.Rule, d.Text)
			}
		}
	}
}

// asProse returns lines of code as a paragraph has them.
func asProse(code string) string {
	var lines []string
	for line := range strings.Lines(code) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return strings.Join(lines, "\n")
}

// TestNoTraces has text that resembles a trace. It stays as it is, as code and as a paragraph.
func TestNoTraces(t *testing.T) {
	for name, code := range map[string]string{
		"Java, short":        "Exception\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)\n\tat a.B.e(B.java:3)",
		"Java, files":        "at first (see Shop.java:12)\nat Main(Main.java:3)\nat the end (Cart.java:4)\nat startup (App.java:1)\nat com.acme (Shop.java:9)",
		"Java, code":         "looking(at, a.B.c(x));\nat.a.B(C.java);\nat = b.c(d);\nat(e.f);\nat.g(h.i);",
		"Python, files":      "File \"a.txt\", line endings: unix\nFile \"b.txt\", line endings: dos\nFile \"c.txt\", line endings: mac\nFile \"d.txt\", line endings: dos\nFile \"e.txt\", line endings: dos",
		"Python, code":       "for line in f:\n    File(\"a\", line, 1)\n    File(\"b\", line, 2)\n    File(\"c\", line, 3)\n    File(\"d\", line, 4)",
		"a notebook's words": "look in (a)\nsearch in (b)\nfind in (c)\nput x.py in (d)\nsave shop.py in (e)",
		".NET, places":       "at Rome (Italy, St. Peter)\nat Paris (France, approx.)\nat a.m. (or p.m.)\nat 10.30 (room B)\nat Amazon.com (see there)\nat noon. (sharp)",
		".NET, code":         "at.Foo(bar);\nat Foo.Bar;\nat Foo.Bar(baz) and more\nat Foo.Bar(baz) in;\nat Foo.Bar(baz) or",
		"times":              "at 10:30:15\nat 10:31:15\nat noon 12:00:00\nat 10:32:15\nat (about) 10:33:15",
		"JavaScript, places": "at line 12\nat shop.js line 3\nat shop.js: 12\nat (12:30)\nat the end (index of)",
		"addresses":          "me@example.org:22\nroot@10.0.0.1:2222\ngit@github.com:a/b1\nyou@host/path:12\nuser@db/shop:3306",
		"Go, a compiler":     "\t./main.go:12: call to f(x) has 1 argument\n\t./main.go:13: call to g(y)\n\t./main.go:14: undefined (z)\n\t./main.go:15: h(i)\n\t./main.go:16: j(k)\n\t./main.go:17: l(m)\n\t./main.go:18: n(o)\n\t./main.go:19: p(q)",
		"Go, code":           "f(x)\n\tg(\"main.go\")\nf(x)\n\tg(\"main.go\")\nf(y)\n\tg(\"main.go\")\nf(z)\n\tg(\"main.go\")",
		"Rust, a list":       "1: std::vector\n2: std::map\n3: std::set\n4: std::list\n5: use std::deque here",
		"Rust, a compiler":   "0: a\n --> src/main.rs:3:5\n1: b\n --> src/main.rs:4:5\n2: c\n --> src/main.rs:5:5\n3: d\n --> src/main.rs:6:5",
		"Ruby, words":        "from 1:in a\nfrom here:in the house\nfrom 3:in it's\nfrom a.rb:4\nfrom a.rb to b.rb\nfrom a.rb:5:in",
		"Ruby, code":         "from = 'a.rb'\nfrom.each 'x'\nfrom ['y']\nfrom_file 'a.rb:1'\nfrom 'z'",
		"PHP, tickets":       "#12 Shop fails (open): fix\n#13 Cart fails (closed): done\n#14 A bug (15): text\n#15 bug (15): text\n#16 Another (3): text",
		"PHP, headings":      "#0 first\n#1 second\n#2 third\n#3 fourth\n#4 {braces}",
		"numbers":            "0: a\n1: b\n2: c\n3: d\n4: e",
		"at":                 "at once (or later)\nat noon (sharp)\nat a.b\nat home (it is nice)\nat x",
		"more":               "... and more\n... some more of it\n... 12 others\n... more or less",
	} {
		var c Cleaner
		got := c.Clean([]byte("<pre><code>"+html.EscapeString(code)+"</code></pre>"), nil)
		if diff := cmp.Diff("```\n"+code+"\n```", got); diff != "" {
			t.Errorf("%s, as code: %s", name, diff)
		}
		got = c.Clean([]byte("<p>"+html.EscapeString(code)+"</p>"), nil)
		if want := strings.Join(strings.Fields(code), " "); got != want {
			t.Errorf("%s, as prose: %q, want %q", name, got, want)
		}
		if len(c.Drops()) > 0 {
			t.Errorf("%s: dropped %v", name, c.Drops())
		}
	}
}
