"""Reads a published build with the libraries of those who read such things, and says what differs from its shards."""
import glob, io, json, logging, os, sys

log = io.StringIO()
logging.basicConfig(stream=log, level=logging.WARNING)

import mlcroissant
import pyarrow.parquet as parquet
from datasets import get_dataset_config_names, load_dataset
from huggingface_hub import DatasetCard

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
