# s2g: the README's two commands are `make demo` and `make test`; each does all the set-up.
#
#   make demo     install what is missing, build, run the main job on a synthetic sample, search in it
#   make test     install what is missing, build, run the tests that a person runs before a commit: two minutes
#   make test-all all tests: kills, outages, engines (Java, Qdrant, an embedding server), documents, a browser
#   make setup-engines  what test-all needs beside: a JDK with Maven, Python and chromium
#   make e2e      only the tests that build into GraphDB's engine and Qdrant's, S2G_TEST_GRAPHDB and S2G_TEST_QDRANT where they are set
#   make check    gofmt, vet, staticcheck, the import table, govulncheck where it can reach its database
#   make quality  search quality with a trained model on a real site, held to the numbers in docs/vectors.md: ten minutes or more
#   make bench    speeds and peak memory on a sample of BENCH_POSTS posts (default 100,000), beside references; a table at the end;
#                 with BENCH_GROWTH=1 also the growth from 25,000 to 400,000 posts
#   make picture  docs/report.png, the report of a synthetic sample as a browser shows it
#   make build    bin/s2g alone
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
	$(GO) test -short -timeout 10m ./...

setup-engines: setup
	@scripts/setup engines

test-all: setup-engines build
	$(GO) test -timeout 60m ./...

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
