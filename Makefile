# s2g: begin with `make demo` or `make test`; each installs missing programs first.
#
#   make demo     install missing programs, build, run the main job on a synthetic sample, search in it
#   make test     install missing programs, build, run the tests before a commit: two minutes
#   make test-all all tests: kills, outages, engines (Java, Qdrant, an embedding server), documents, a browser
#   make setup-engines  install what test-all needs beside: a JDK with Maven, Python and chromium
#   make e2e      only the tests that load a build into GraphDB and Qdrant: their engines, or the servers S2G_TEST_GRAPHDB, S2G_TEST_QDRANT
#   make check    gofmt, vet, staticcheck, the import table, and govulncheck if its database can be reached
#   make quality  compare search quality with a trained model on a real site with the numbers in docs/vectors.md: ten minutes or more
#   make bench    measure speeds, peak memory and disk traffic on a sample of BENCH_POSTS posts (default 100,000), beside references;
#                 with BENCH_GROWTH=1 also the growth from 25,000 to 400,000 posts, or between the sizes of BENCH_GROWTH='100000 400000'
#   make picture  docs/report.png, the report of a synthetic sample as a browser shows it
#   make build    only bin/s2g
#   make man      man pages, in out/man: man out/man/s2g-build.1 shows one

GO          ?= go
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
DEMO        ?= out/demo
DEMO_POSTS  ?= 20000
BENCH       ?= out/bench
BENCH_POSTS ?= 100000

.PHONY: all setup build demo test test-all setup-engines e2e check quality bench picture man clean
all: build

setup:
	@scripts/setup

build:
	@mkdir -p bin
	$(GO) build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/s2g ./cmd/s2g

demo: setup build
	@scripts/demo bin/s2g $(DEMO) $(DEMO_POSTS)

test: setup build
	$(GO) test -short -parallel 4 -timeout 10m ./...

setup-engines: setup
	@scripts/setup engines

test-all: setup-engines build
	$(GO) test -parallel 4 -timeout 60m ./...

e2e: setup build
	$(GO) test ./cmd/s2g -count=1 -run '^TestEndToEnd' -v

check:
	@scripts/check

quality: setup
	S2G_TEST_QUALITY=1 $(GO) test ./vectors/eval -count=1 -run '^TestTrainedWhole$$' -timeout 3h -v

bench: setup build
	@scripts/bench bin/s2g $(BENCH) $(BENCH_POSTS)

man: build
	bin/s2g man out/man

picture: setup build
	@scripts/picture bin/s2g $(DEMO) $(DEMO_POSTS) docs/report.png

clean:
	rm -rf bin out
