"""Reads a published build with the libraries of those who read such things, and says what differs from its shards."""
import glob, io, json, logging, os, sys

log = io.StringIO()
logging.basicConfig(stream=log, level=logging.WARNING)

import datasets
import mlcroissant
import pandas
import pyarrow.dataset
import pyarrow.parquet as parquet
from datasets import get_dataset_config_names, load_dataset
from huggingface_hub import DatasetCard

datasets.logging.enable_propagation()  # of its warnings to the log
out = sys.argv[1]
problems = []


def same(what, got, want):
    if got != want:
        problems.append(f"{what}: {got!r}, not {want!r}")


def rows(folder):
    return [row for part in sorted(glob.glob(os.path.join(out, folder, "*.parquet"))) for row in parquet.read_table(part).to_pylist()]


# the card: parsed and written back, its parts found and loaded
card = DatasetCard.load(os.path.join(out, "README.md"))
again = DatasetCard(str(card))
same("front matter written back", again.data.to_dict(), card.data.to_dict())
configs = get_dataset_config_names(out)
shards = sorted(os.path.basename(f) for f in glob.glob(os.path.join(out, "vectors", "*")) if os.path.isdir(f))
same("configs", sorted(configs), sorted(shards + ["_parents"]))
for config in configs:
    folder = "parents" if config == "_parents" else os.path.join("vectors", config)
    same(f"rows of {config}", load_dataset(out, config, split="train").to_list(), rows(folder))

same("warnings of datasets", log.getvalue(), "")

# a folder of a language, and all of vectors/, are tables of Parquet files alone; of all of vectors/, pyarrow leaves out
# folders that begin with an underscore
every = sum((rows(os.path.join("vectors", s)) for s in shards if s[0] != "_"), [])
same("point ids of vectors/ by pandas", sorted(pandas.read_parquet(os.path.join(out, "vectors"))["point_id"]), sorted(r["point_id"] for r in every))
same("rows of vectors/ by pyarrow", pyarrow.dataset.dataset(os.path.join(out, "vectors")).count_rows(), len(every))
for s in shards:
    same(f"texts of {s} by pandas", list(pandas.read_parquet(os.path.join(out, "vectors", s))["text"]), [r["text"] for r in rows(os.path.join("vectors", s))])
same("post ids of parents/ by pandas", list(pandas.read_parquet(os.path.join(out, "parents"))["post_id"]), [r["post_id"] for r in rows("parents")])

# Croissant: valid without a warning, and read
dataset = mlcroissant.Dataset(os.path.join(out, "croissant.json"))
issues = dataset.metadata.ctx.issues
problems += list(issues.errors) + list(issues.warnings)
same("warnings of mlcroissant", log.getvalue(), "")
same("record sets", sorted(s.uuid for s in dataset.metadata.record_sets), sorted(configs))


def plain(value):
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, list):
        return [plain(v) for v in value]
    return value


for config, want in ("python", rows("vectors/python")), ("_parents", rows("parents")):
    got = [{name.split("/", 1)[1]: plain(value) for name, value in record.items()} for record in dataset.records(config)]
    same(f"number of records of {config}", len(got), len(want))
    for field in want[0]:
        if field == "creation_date":  # pandas' own type
            same(field, [r[field].to_pydatetime() for r in got], [r[field] for r in want])
        elif field in ("score", "answer_count", "accepted_answer_id"):  # pandas' NaN is a NULL
            same(field, [None if r[field] is None or r[field] != r[field] else int(r[field]) for r in got], [r[field] for r in want])
        else:
            same(field, [r[field] for r in got], [r[field] for r in want])

print(json.dumps({"configs": configs, "size": card.data.size_categories, "license": card.data.license, "problems": [p[:2000] for p in problems]}))
