"""FiftyOne's documents as FiftyOne 1.22.1 wrote them (`odm.export_collection` of samples; it needs a database only for a whole dataset), and ours."""

import json
from pathlib import Path

import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.io import read_image
from numbered_pictures import numbers, write_pictures

_OWN = '"metadata": null, "created_at": null, "last_modified_at": null, "_media_type": "image", "_rand": 0.9, "_dataset_id": null'
SAMPLES = (
    f'{{"samples": [{{"_id": null, "filepath": "data/0.png", "tags": ["train"], {_OWN}, "kind": {{"_id": {{"$oid": "6b0b7fcf85dddad1321e93f3"}}, '
    '"_cls": "Classification", "tags": [], "label": "cat", "confidence": 0.5}, "weather": {"_cls": "Classifications", "classifications": []}, '
    '"objects": {"_cls": "Detections", "detections": []}, "score": 0.0, "count": 0},'
    f'{{"_id": null, "filepath": "data/1.png", "tags": ["train"], {_OWN}, "kind": {{"_id": {{"$oid": "6b0b7fcf85dddad1321e93f8"}}, "_cls": '
    '"Classification", "tags": [], "label": "dog", "confidence": 0.5}, "weather": {"_cls": "Classifications", "classifications": [{"_id": '
    '{"$oid": "6b0b7fcf85dddad1321e93f9"}, "_cls": "Classification", "tags": [], "label": "sun"}]}, "objects": {"_cls": "Detections", '
    '"detections": [{"_id": {"$oid": "6b0b7fcf85dddad1321e93fb"}, "_cls": "Detection", "attributes": {}, "tags": [], "label": "eye", '
    '"bounding_box": [0.25, 0.5, 0.1, 0.2]}, {"_id": {"$oid": "6b0b7fcf85dddad1321e9401"}, "_cls": "Detection", "attributes": {}, "tags": [], '
    '"label": "ear", "bounding_box": [0.0, 0.0, 0.5, 0.5], "hard": true}]}, "score": 0.5, "count": 1}]}'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = write_pictures(tmp_path / "export", "data/0.png", "data/1.png")
    (root / "samples.json").write_text(SAMPLES)
    (root / "metadata.json").write_text("{}")
    return root


def test_fields_tags_and_detections(folder: Path) -> None:
    table = lk.read(folder)
    assert numbers(table) == [0, 1]
    frame = table.frame
    assert table.attributes == ["tags", "kind", "score", "count", "weather", "labels"]
    assert (frame["kind"].tolist(), frame["tags"].tolist(), frame["count"].tolist()) == (["cat", "dog"], ['["train"]'] * 2, [0, 1])
    assert (frame["weather"].tolist()[1], frame["labels"].tolist()[1]) == ('["sun"]', '["ear", "eye"]')
    regions = lk.read(folder, regions=True)
    assert (regions.frame["label"].tolist(), regions.frame["kind"].tolist()) == (["eye", "ear"], ["dog", "dog"])
    assert [read_image(path).size for path in regions.paths()] == [(4, 4), (20, 10)]  # of 40 x 20


def test_our_own_export_comes_back(tmp_path: Path) -> None:
    table = lk.read(write_pictures(tmp_path / "own", "cat/a.png", "dog/b.png"))
    lk.export(table, "fiftyone", tmp_path / "out", link="copy")
    again = lk.read(tmp_path / "out")
    assert (numbers(again), again.frame["class"].tolist()) == ([0, 1], ["cat", "dog"])


def test_damage(folder: Path) -> None:
    for text, message in (("{}", "'samples'"), ('{"samples": [{"tags": []}]}', "'filepath'"), ("[]", "")):
        (folder / "samples.json").write_text(text)
        with pytest.raises(InputError, match=f"'export' cannot be read as an export of FiftyOne.*{message}"):
            lk.read(folder)
    (folder / "samples.json").write_text(json.dumps({"samples": [{"filepath": "/etc/passwd.png"}]}))
    with pytest.raises(InputError, match="None of the 1 images that 'export' lists is in"):
        lk.read(folder)
