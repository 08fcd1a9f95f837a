#!/usr/bin/env python3
"""Prints, as N-Quads, every quad that `s2g graph` must write for a dump: docs/graph.md as a program.

    quads.py DUMP_FOLDER [--site http://stackoverflow.com] [--languages languages.csv] [--other | --whole-site] > expected.nq

It reads plain .xml files with the standard library's parser, keeps everything in memory, and is slow and simple on purpose:
it says what is right, for small dumps. `compare` in this folder holds a build's TriG against it.
The ontology and dataset graphs are not part of it.
"""
import argparse
import csv
import os
import re
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from urllib.parse import quote

SO = "http://stackoverflow.com/schema#"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
XSD = "http://www.w3.org/2001/XMLSchema#"
CC = "https://creativecommons.org/licenses/by-sa/%s/"
FABRICATED = {1000000001, 1000000010}
LANGUAGES = """abap assembly bash c c# c++ cobol css dart elixir erlang f# fortran go haskell html java javascript julia
kotlin lisp lua matlab .net objective-c perl php powershell prolog python r ruby rust scala shell sql swift typescript vb.net""".split()


def rows(folder, table):
    path = os.path.join(folder, table + ".xml")
    if os.path.exists(path):
        seen = set()
        for _, e in ET.iterparse(path):
            if e.tag == "row":
                a = dict(e.attrib)
                if a["Id"] not in seen:  # the first of a duplicated Id counts
                    seen.add(a["Id"])
                    yield a
                e.clear()


def seg(name):
    return quote(name, safe="-._~")  # RFC 3986 unreserved


def text(s):
    return "".join(c for c in s if not (c in "\0\ufffe\uffff" or "\ud800" <= c <= "\udfff"))


def lit(s, datatype=None):
    out = []
    for c in text(s):
        if c in '\\"':
            out.append("\\" + c)
        elif c == "\n":
            out.append("\\n")
        elif c == "\r":
            out.append("\\r")
        elif c == "\t":
            out.append("\\t")
        elif c < " " or c == "\x7f":
            out.append("\\u%04X" % ord(c))
        else:
            out.append(c)
    return '"' + "".join(out) + '"' + ("^^<%s%s>" % (XSD, datatype) if datatype else "")


def licence(a):
    m = re.search(r"(\d\.\d)", a.get("ContentLicense", ""))
    if m:
        return CC % m.group(1)
    edited = a.get("LastEditDate") if a.get("LastEditorUserId") != "-1" else None  # an edit by the system keeps the licence
    day = (edited or a["CreationDate"])[:10]
    return CC % ("2.5" if day < "2011-04-08" else "3.0" if day < "2018-05-02" else "4.0")


def tags(a):
    t = a.get("Tags", "")
    found = re.findall(r"<([^>]+)>", t) if t.startswith("<") else t.split("|")
    return list(dict.fromkeys(x for x in found if x))


class Graphs:
    def __init__(self, site):
        self.site, self.lines = site, set()

    def add(self, graphs, s, p, o):
        p = p if p.startswith("http") else SO + p
        for g in graphs:
            self.lines.add("<%s> <%s> %s <%s> ." % (s, p, o, g))

    def ref(self, graphs, s, p, o):
        self.add(graphs, s, p, "<%s>" % o)

    def literals(self, graphs, s, a, names):
        for attribute, predicate, datatype in names:
            v = a.get(attribute)
            if v is None or (datatype and v == ""):
                continue
            if datatype == "dateTime":  # three fraction digits and Z, whatever the dump has
                whole, _, fraction = v.removesuffix("Z").partition(".")
                v = "%s.%sZ" % (whole, fraction.ljust(3, "0")[:3])
            if datatype == "integer":
                v = str(int(v))
            self.add(graphs, s, predicate, lit(v, datatype))


INT, DATE = "integer", "dateTime"
POST = [("Id", "postId", INT), ("Score", "score", INT), ("Body", "hasBody", None), ("CommentCount", "commentCount", INT),
        ("CreationDate", "creationDate", DATE), ("LastEditDate", "lastEditDate", DATE),
        ("LastActivityDate", "lastActivityDate", DATE), ("CommunityOwnedDate", "communityOwnedDate", DATE),
        ("OwnerDisplayName", "authorName", None)]
QUESTION = POST + [("Title", "hasTitle", None), ("ViewCount", "viewCount", INT), ("AnswerCount", "answerCount", INT),
                   ("FavoriteCount", "favoriteCount", INT), ("ClosedDate", "closedDate", DATE)]
COMMENT = [("Id", "commentId", INT), ("Score", "score", INT), ("Text", "hasBody", None),
           ("CreationDate", "creationDate", DATE), ("UserDisplayName", "authorName", None)]
TAG = [("TagName", "tagName", None), ("Count", "tagCount", INT)]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("dump")
    ap.add_argument("--site", default="http://stackoverflow.com")
    ap.add_argument("--languages", help="a,b or @file: one tag a line, or a CSV whose first column is the tag")
    ap.add_argument("--other", action="store_true")
    ap.add_argument("--whole-site", action="store_true", help="all questions in SITE/s2g/site; language graphs beside it only where --languages names some")
    opt = ap.parse_args()
    languages = [] if opt.whole_site else LANGUAGES
    if opt.languages and not os.path.exists(opt.languages.lstrip("@")):
        languages = opt.languages.split(",")
    elif opt.languages:
        with open(opt.languages.lstrip("@"), newline="") as f:
            table = [r for r in csv.reader(f) if r and r[0]]
        if table and len(table[0]) > 1 and table[0][0] == "tag":  # the header
            table = table[1:]
        languages = [r[0] for r in table]
    site, out = opt.site, Graphs(opt.site)

    posts = {int(a["Id"]): a for a in rows(opt.dump, "Posts") if int(a["Id"]) not in FABRICATED}
    voted = os.path.exists(os.path.join(opt.dump, "Votes.xml"))
    up, down = defaultdict(int), defaultdict(int)
    for v in rows(opt.dump, "Votes"):
        if v["VoteTypeId"] == "2":
            up[int(v["PostId"])] += 1
        elif v["VoteTypeId"] == "3":
            down[int(v["PostId"])] += 1
    tag_rows = {}
    for a in rows(opt.dump, "Tags"):
        tag_rows.setdefault(a["TagName"], a)

    graphs = {}  # post id (question or answer) -> its graphs
    for i, a in posts.items():
        if a["PostTypeId"] == "1":
            g = [site + "/" + seg(t) for t in tags(a) if t in languages]
            if not g and opt.other:
                g = [site + "/s2g/other"]
            if opt.whole_site:
                g.append(site + "/s2g/site")
            if g:
                graphs[i] = g
    answers = defaultdict(list)
    for i, a in posts.items():
        parent = int(a.get("ParentId") or 0)
        if a["PostTypeId"] == "2" and parent in graphs and posts[parent]["PostTypeId"] == "1":
            graphs[i] = graphs[parent]
            answers[parent].append(i)

    def iri(i):
        kind = posts[i]["PostTypeId"]
        return site + {"1": "/questions/", "2": "/a/"}.get(kind, "/posts/") + str(i)

    def author(g, s, a, attribute):
        if a.get(attribute):
            out.ref(g, s, "author", site + "/users/" + a[attribute])

    tag_graphs = defaultdict(set)
    for i, g in graphs.items():
        a, s = posts[i], iri(i)
        author(g, s, a, "OwnerUserId")
        out.ref(g, s, "license", licence(a))
        if voted:
            out.add(g, s, "upVotes", lit(str(up[i]), INT))
            out.add(g, s, "downVotes", lit(str(down[i]), INT))
        if a["PostTypeId"] == "2":
            out.ref(g, s, RDF_TYPE, SO + "Answer")
            out.literals(g, s, a, POST)
            continue
        out.ref(g, s, RDF_TYPE, SO + "Question")
        out.literals(g, s, a, QUESTION)
        for t in tags(a):
            out.ref(g, s, "TaggedWith", site + "/tags/" + seg(t))
            tag_graphs[t].update(g)
        accepted = int(a.get("AcceptedAnswerId") or 0)
        out.ref(g, s, RDF_TYPE, SO + ("AnsweredQuestion" if answers[i] else "UnansweredQuestion"))
        for n in answers[i]:
            out.ref(g, s, "HasAnswer", iri(n))
            if n == accepted:
                out.ref(g, s, "HasAcceptedAnswer", iri(n))
                out.ref(g, iri(n), RDF_TYPE, SO + "AcceptedAnswer")
            elif accepted in answers[i] and int(posts[n].get("Score") or 0) > int(posts[accepted].get("Score") or 0):
                out.ref(g, s, "HasPossibleBetterAnswer", iri(n))
                out.ref(g, iri(n), RDF_TYPE, SO + "PossibleBetterAnswer")

    for a in rows(opt.dump, "Comments"):
        on = int(a["PostId"])
        if on in graphs:
            g, s = graphs[on], site + "/posts/comments/" + a["Id"]
            out.ref(g, iri(on), "HasComment", s)
            out.ref(g, s, RDF_TYPE, SO + "Comment")
            out.literals(g, s, a, COMMENT)
            out.ref(g, s, "license", licence(a))
            author(g, s, a, "UserId")

    for t, g in tag_graphs.items():
        s, a = site + "/tags/" + seg(t), tag_rows.get(t, {"TagName": t})
        out.ref(g, s, RDF_TYPE, SO + "Tag")
        out.literals(g, s, a, TAG)
        for attribute, kind, name in (("WikiPostId", "5", "TagWiki"), ("ExcerptPostId", "4", "TagWikiExcerpt")):
            w = int(a.get(attribute) or 0)
            if w in posts and posts[w]["PostTypeId"] == kind:
                p = iri(w)
                out.ref(g, s, "Has" + name, p)
                out.ref(g, p, RDF_TYPE, SO + name)
                out.literals(g, p, posts[w], POST)
                out.ref(g, p, "license", licence(posts[w]))
                author(g, p, posts[w], "OwnerUserId")

    for a in rows(opt.dump, "PostLinks"):
        edge = {"1": "LinkedTo", "3": "DuplicateOf"}.get(a["LinkTypeId"])
        source, target = int(a["PostId"]), int(a["RelatedPostId"])
        questions = all(i in posts and posts[i]["PostTypeId"] == "1" for i in (source, target))
        if edge and source in graphs and target in graphs and (questions or edge == "LinkedTo"):
            out.ref(set(graphs[source]) | set(graphs[target]), iri(source), edge, iri(target))

    sys.stdout.writelines(line + "\n" for line in sorted(out.lines))


main()
