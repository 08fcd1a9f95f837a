"""Checks vectors/*/part-*.parquet against docs/vectors.md and a build's quads. Exit 1 and the reason, or a figure."""
import glob, os, re, sys
from urllib.parse import unquote
import mmh3
import pyarrow.parquet as pq
from py_rust_stemmers import SnowballStemmer

out, quads = sys.argv[1:]
want = {}  # language graph -> question ids
for line in open(quads, encoding="utf-8"):
    m = re.match(r'<[^>]*/questions/(\d+)> <http://stackoverflow.com/schema#postId> .* <https?://[^/]*/([^>]*)> \.$', line)
    if m:
        graph = unquote(m.group(2))
        want.setdefault({"s2g/other": "", "s2g/site": "*"}.get(graph, graph), set()).add(int(m.group(1)))
stem = SnowballStemmer("english")
# Snowball's english list as compiled into Qdrant (NLTK's 179 words; those with an apostrophe never match a token)
STOP = set("""i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
itself they them their theirs themselves what which who whom this that these those am is are was were be been being have has had having
do does did doing a an the and but if or because as until while of at by for with about against between into through during before after
above below to from up down in out on off over under again further then once here there when where why how all any both each few more
most other some such no nor not only own same so than too very s t can will just don should now d ll m o re ve y ain aren couldn didn
doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn weren won wouldn""".split())


def fail(*why):
    print(*why)
    sys.exit(1)


def bm25(text):
    words, w = [], ""
    for c in text:
        if c.isalnum():
            w += c
        elif w:
            words.append(w)
            w = ""
    if w:
        words.append(w)
    words = [x.lower() for x in words]
    words = [stem.stem_word(x) for x in words if x not in STOP]
    tf = {}
    for x in words:
        h = mmh3.hash(x.encode(), 0, signed=True)
        tf.setdefault(abs(h), {}).setdefault(x, 0)
        tf[abs(h)][x] += 1
    n = len(words)
    return {h: [c * 2.2 / (c + 1.2 * (0.25 + 0.75 * n / 256)) for c in by.values()] for h, by in tf.items()}


rows = checked = 0
seen = {}
for path in sorted(glob.glob(out + "/vectors/*/part-*.parquet")):
    t = pq.read_table(path).to_pylist()
    last = -1
    for r in t:
        rows += 1
        if r["point_id"] != r["post_id"] << 16 | r["chunk"]:
            fail(path, "point_id is not post_id << 16 | chunk:", r["point_id"])
        if r["point_id"] <= last:
            fail(path, "not ordered by point_id")
        last = r["point_id"]
        chunk = r["chunk"] - (0x8000 if r.get("type") == "thread" else 0)
        if not 0 <= chunk < r["chunks"]:
            fail(path, "chunk", r["chunk"], "of", r["chunks"])
        children = seen.setdefault(r["language"], {}).setdefault((r["post_id"], r.get("type", "question")), {})
        children[chunk] = r["chunks"]
        if not r["text"].startswith(r["title"]):
            fail(path, "a child that does not begin with its title:", r["point_id"])
        i, v = r["sparse_indices"], r["sparse_values"]
        if i != sorted(set(i)) or len(i) != len(v):
            fail(path, "sparse indices not ascending:", r["point_id"])
        mine = bm25(r["text"])
        if set(mine) != set(i):
            fail(path, "BM25 tokens differ at", r["point_id"], "by", len(set(mine) ^ set(i)), "of", len(i))
        for a, b in zip(i, v):
            if min(abs(b - x) for x in mine[a]) > 1e-4:
                fail(path, "BM25 weight differs at", r["point_id"], "token", a, b, mine[a])
        checked += len(i)
        if not r["dense"] or abs(sum(x * x for x in r["dense"]) - 1) > 1e-3:
            fail(path, "dense is not of unit length:", r["point_id"])
if not rows or not want:
    fail("no rows, or no questions in the graph")
if set(seen) != set(want):
    fail("languages of the vectors and of the graph differ:", sorted(set(seen) ^ set(want)))
for language, posts in want.items():
    for (post, _), children in seen[language].items():
        if children != dict.fromkeys(range(len(children)), len(children)):
            fail(language, post, "has not all of its chunks:", children)
    got = {post for post, kind in seen[language] if kind == "question"}
    if got != posts:
        fail(language, "questions in the graph and not in the vectors, or the other way:", len(got ^ posts))
print(f"{rows} points, {checked} BM25 weights equal, ids shared with {len(want)} graphs")
