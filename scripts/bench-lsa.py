"""bench-lsa DUMP OUT: the job of `s2g vectors` with scikit-learn: the questions of the first 100,000 posts cleaned of HTML, tf-idf,
256 dimensions by randomised truncated SVD, and the vectors in a file. Prints the questions a second, from XML to the file."""
import os, sys, time
from html.parser import HTMLParser
from xml.etree.ElementTree import iterparse
import numpy
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

dump, out = sys.argv[1], sys.argv[2]


class Text(HTMLParser):
    def handle_data(self, data):
        self.parts.append(data)


def clean(html):
    parser = Text()
    parser.parts = []
    parser.feed(html)
    parser.close()
    return " ".join(parser.parts)


def questions():
    for _, row in iterparse(os.path.join(dump, "Posts.xml")):
        if row.get("PostTypeId") == "1" and int(row.get("Id")) <= 100_000:
            yield row.get("Title") + "\n" + clean(row.get("Body"))
        row.clear()


began = time.perf_counter()
texts = list(questions())
cleaned = time.perf_counter()
weights = TfidfVectorizer(stop_words="english", sublinear_tf=True, min_df=2).fit_transform(texts)
vectors = normalize(TruncatedSVD(256, random_state=1).fit_transform(weights)).astype("float32")
numpy.savez(out, dense=vectors, indices=weights.indices, values=weights.data.astype("float32"), starts=weights.indptr)
took = time.perf_counter() - began
print(f"{len(texts) / took:.0f} questions/s with scikit-learn: {len(texts)} questions in {took:.1f} s, {cleaned - began:.1f} s of it cleaning; {time.process_time():.1f} s of processor time")
