"""FiftyOne: the files have the form that it documents. By hand, they were opened by FiftyOne itself."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd

import likeness as lk
from likeness.data import UNLABELED, ImageTable
from likeness.exports.fiftyone import field_names
from likeness.space import Space


def test_images_without_a_class_are_of_none(space: Space, tmp_path: Path) -> None:
    empty = space.table.frame.assign(breed=["pug", "", " ", "(unlabeled)", None] + ["pug"] * 7)
    unlabeled = space.replace(images=ImageTable("photos", space.table.root, empty))
    lk.export(unlabeled, "coco", tmp_path / "out.json", label="breed", rows=range(5))
    content = json.loads((tmp_path / "out.json").read_text())
    assert [each["name"] for each in content["categories"]] == ["pug"]
    assert len(content["annotations"]) == 1
    lk.export(unlabeled, "fiftyone", tmp_path / "out", label="breed", rows=range(5))
    samples = json.loads((tmp_path / "out" / "samples.json").read_text())["samples"]
    assert [each["breed"] and each["breed"]["label"] for each in samples] == ["pug", None, None, None, None]


def _check_document(sample: dict[str, object], types: dict[str, str]) -> None:
    """What FiftyOne's fields hold as MongoDB's extended JSON."""
    assert set(types) - {"id"} <= set(sample)
    assert re.fullmatch("[0-9a-f]{24}", sample["_id"]["$oid"])  # type: ignore[index]
    kinds = {"StringField": str, "IntField": int, "FloatField": float, "BooleanField": bool, "ListField": list, "EmbeddedDocumentField": dict}
    for name, type in types.items():
        if name not in ("id", "created_at", "last_modified_at") and sample[name] is not None:
            assert isinstance(sample[name], kinds[type]), name


def test_fiftyone_gets_documents_with_their_types(space: Space, tmp_path: Path) -> None:
    lk.export(space, "fiftyone", tmp_path / "out", vectors=True)
    about = json.loads((tmp_path / "out" / "metadata.json").read_text())
    types = {field["name"]: field["ftype"].rpartition(".")[2] for field in about["sample_fields"]}
    assert types["breed"] == "EmbeddedDocumentField"
    assert (types["weight"], types["count"], types["note"], types["taken"]) == ("FloatField", "IntField", "StringField", "StringField")
    assert "good" not in types
    samples = json.loads((tmp_path / "out" / "samples.json").read_text())["samples"]
    for row, sample in enumerate(samples):
        _check_document(sample, types)
        assert Path(sample["filepath"]) == space.table.file(row)
        assert sample["tags"] == (["good"] if row % 2 == 0 else [])
        breed = space.table.frame["breed"].astype(object).iloc[row]
        assert (sample["breed"] or {}).get("label") == (None if pd.isna(breed) or breed == UNLABELED else breed)
        np.testing.assert_allclose(sample["embedding"], space.vectors[row], atol=1e-7)
    assert len({sample["_id"]["$oid"] for sample in samples}) == 12


def test_fiftyone_folders_with_copies_can_be_moved(table: ImageTable, files: dict[str, bytes], tmp_path: Path) -> None:
    lk.export(table, "fiftyone", tmp_path / "out", link="copy", label="breed")
    (tmp_path / "out").rename(tmp_path / "moved")
    samples = json.loads((tmp_path / "moved" / "samples.json").read_text())["samples"]
    assert [(tmp_path / "moved" / sample["filepath"]).read_bytes() for sample in samples] == list(files.values())


def test_names_of_fields_are_ones_that_fiftyone_takes() -> None:
    names = ["a.b", "_private", "id", "ID", "$x", "tags", "a b", "", "é", "filepath", "id_2"]
    found = field_names(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_]*", name) for name in found.values())
    assert not {"id", "tags", "filepath", "metadata"} & set(found.values())
