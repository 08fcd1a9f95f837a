"""bench-rdflib DUMP OUT [POSTS]: the first posts of a dump (20,000) as TriG, with RDFLib's Dataset: the same kinds of triples as
`s2g graph` writes, a graph for each of some tags. Prints the triples a second, from XML to a file on the disk."""
import os, sys, time
from collections import Counter
from itertools import islice
from urllib.parse import quote
from xml.etree.ElementTree import iterparse
from rdflib import Dataset, Literal, Namespace, URIRef, RDF, XSD

dump, out, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 20_000
SITE, SO = "http://stackoverflow.com/", Namespace("http://stackoverflow.com/schema#")
LANGUAGES = {"python", "java", "javascript", "c#", "php", "c++", "html", "css", "sql", "r", "c", "swift", "ruby", "typescript", "go", "rust"}
NUMBERS = {"Id": SO.postId, "Score": SO.score, "ViewCount": SO.viewCount, "AnswerCount": SO.answerCount, "CommentCount": SO.commentCount, "FavoriteCount": SO.favoriteCount}
DATES = {"CreationDate": SO.creationDate, "LastEditDate": SO.lastEditDate, "LastActivityDate": SO.lastActivityDate, "ClosedDate": SO.closedDate}
TEXTS = {"Title": SO.hasTitle, "Body": SO.hasBody, "OwnerDisplayName": SO.authorName, "Text": SO.hasBody, "UserDisplayName": SO.authorName}


def rows(table):
    for _, e in iterparse(os.path.join(dump, table + ".xml")):
        if e.tag == "row":
            yield e.attrib
        e.clear()


def literals(graphs, node, row, names):
    for key, value in row.items():
        if key in names:
            term = Literal(value, datatype=XSD.integer) if key in NUMBERS else Literal(value + "Z", datatype=XSD.dateTime) if key in DATES else Literal(value)
            add(graphs, node, names[key], term)
    user = row.get("OwnerUserId") or row.get("UserId")
    if user:
        add(graphs, node, SO.author, URIRef(f"{SITE}users/{user}"))
    add(graphs, node, SO.license, URIRef("https://creativecommons.org/licenses/by-sa/4.0/"))


def add(graphs, s, p, o):
    for g in graphs:
        g.add((s, p, o))


began = time.perf_counter()
dataset, where, node = Dataset(), {}, {}
graph = {tag: dataset.graph(URIRef(SITE + quote(tag, safe=""))) for tag in LANGUAGES}
ids = {row["Id"] for row in islice(rows("Posts"), limit)}
votes = Counter((v["PostId"], v["VoteTypeId"]) for v in rows("Votes") if v["PostId"] in ids)
for row in islice(rows("Posts"), limit):
    post, names = row["Id"], NUMBERS | DATES | TEXTS
    if row["PostTypeId"] == "1":
        tags = row["Tags"].strip("<>|").replace("><", "|").split("|")
        graphs, me = [graph[t] for t in tags if t in LANGUAGES], URIRef(f"{SITE}questions/{post}")
        add(graphs, me, RDF.type, SO.Question)
        for tag in tags:
            add(graphs, me, SO.TaggedWith, URIRef(f"{SITE}tags/{quote(tag, safe='')}"))
            add(graphs, URIRef(f"{SITE}tags/{quote(tag, safe='')}"), SO.tagName, Literal(tag))
    elif row["PostTypeId"] == "2" and row["ParentId"] in where:
        graphs, me = where[row["ParentId"]], URIRef(f"{SITE}a/{post}")
        add(graphs, me, RDF.type, SO.Answer)
        add(graphs, node[row["ParentId"]], SO.HasAnswer, me)
    else:
        continue
    where[post], node[post] = graphs, me
    literals(graphs, me, row, names)
    for kind, name in (("2", SO.upVotes), ("3", SO.downVotes)):
        add(graphs, me, name, Literal(str(votes[post, kind]), datatype=XSD.integer))
for row in rows("Comments"):
    if row["PostId"] in where:
        graphs, me = where[row["PostId"]], URIRef(f"{SITE}posts/comments/{row['Id']}")
        add(graphs, me, RDF.type, SO.Comment)
        add(graphs, node[row["PostId"]], SO.HasComment, me)
        literals(graphs, me, row, NUMBERS | DATES | TEXTS | {"Id": SO.commentId})
for row in rows("PostLinks"):
    if row["PostId"] in where and row["RelatedPostId"] in where:
        add(where[row["PostId"]], node[row["PostId"]], SO.LinkedTo if row["LinkTypeId"] == "1" else SO.DuplicateOf, node[row["RelatedPostId"]])
dataset.serialize(out, format="trig")
took = time.perf_counter() - began
print(f"{len(dataset) / took:.0f} triples/s with RDFLib: {len(dataset)} triples in {took:.1f} s, {time.process_time():.1f} s of processor time")
