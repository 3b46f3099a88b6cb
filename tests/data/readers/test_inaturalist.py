"""iNaturalist on miniature copies of its layouts of 2018 and 2021."""

import json
from pathlib import Path

import pytest
from tests.data import conftest as parts

from likeness.data import read_official_parts
from likeness.data.readers.inaturalist import read_inaturalist
from likeness.errors import InputError

DATASET = "inaturalist"
RANKS = ["supercategory", "kingdom", "phylum", "taxonomic_class", "order", "family", "genus"]


def test_species_and_ranks_of_the_split_of_smooth_ap(root: Path) -> None:
    table = read_inaturalist(root)
    assert table.attributes == ["species", *RANKS, "split"]
    assert table.frame["species"].tolist() == ["Molothrus aeneus"] * 2 + ["Bellis annua"] * 2
    assert table.frame["taxonomic_class"].tolist() == ["Aves", "Aves", "Magnoliopsida", "Magnoliopsida"]
    assert table.frame["path"][0] == "train_val2018/Aves/1/02é.jpg"
    assert set(read_inaturalist(root, "train").frame["species"]) == {"Molothrus ater", "Bellis perennis"}
    assert read_inaturalist(root, "all").frame["split"].tolist() == ["train"] * 4 + ["test"] * 4
    both, count = read_official_parts(f"inaturalist:{root}")
    assert not set(both.frame["species"][:count]) & set(both.frame["species"][count:])
    for file in (root / "Inat_dataset_splits").iterdir():
        file.rename(root / file.name)  # as the authors' code has them
    assert len(read_inaturalist(root)) == 4


def test_obfuscated_names_and_the_true_ones(root: Path) -> None:
    images = {path.relative_to(root).as_posix(): int(path.parent.name) for path in sorted((root / "train_val2018").rglob("*.jpg"))}
    for name in ("train2018.json", "val2018.json"):
        (root / name).write_text(parts.annotations(images, ["x", "y", "z", "y"], ["name", "supercategory"]), encoding="utf-8")
    table = read_inaturalist(root, "all")
    assert table.attributes == ["species", "supercategory", "split"]
    assert set(table.frame["species"]) == {"x", "y (1)", "z", "y (3)"}
    (root / "categories.json").write_text(json.dumps(json.loads(parts.annotations(images))["categories"]), encoding="utf-8")
    table = read_inaturalist(root)
    assert table.attributes == ["species", *RANKS, "split"]
    assert set(table.frame["species"]) == {"Molothrus aeneus", "Bellis annua"}
    (root / "categories.json").write_text("{}")
    with pytest.raises(InputError, match=r"'categories\.json' of iNaturalist has no list of entries"):
        read_inaturalist(root)


def test_2021(tmp_path: Path) -> None:
    root = parts.write_inaturalist_2021(tmp_path / "2021")
    test, train = read_inaturalist(tmp_path), read_inaturalist(root, "train")
    assert test.frame["species"].tolist() == [taxon[-1] for taxon in parts.TAXA]
    assert test.frame["path"][0] == "val/00000_Molothrus_ater/0.jpg"
    assert train.frame["species"].value_counts().tolist() == [2, 2, 2, 2]
    assert test.attributes == ["species", *RANKS, "split"]
    assert all(path.is_file() for path in (*test.paths(), *train.paths()))
    content = json.loads((root / "train_mini.json").read_text())
    del content["annotations"][2:]
    (root / "train.json").write_text(json.dumps(content))
    assert len(read_inaturalist(root, "train")) == 2  # the whole set, where it is
    (root / "val.json").unlink()
    with pytest.raises(InputError, match=r"lacks 'val\.json'; get it from the dataset published at https://github\.com/visipedia/inat_comp"):
        read_inaturalist(root)
    del content["annotations"]  # as the official test.json
    (root / "val.json").write_text(json.dumps(content))
    with pytest.raises(
        InputError, match=r"In 'val\.json' of iNaturalist, entry 0 of 'annotations' is 'null', expected an entry with image_id and cat"
    ):
        read_inaturalist(root)
