"""Miniature copies of the datasets of benchmarks in their official layouts."""

import json
from pathlib import Path

import pytest
from tests.data.conftest import Writer, save_image


def write_clevr4(root: Path) -> Path:
    """Two images that train, three that do not; two textures, two colors, two shapes, two counts."""
    labels = [
        ("rubber", "red", "cube", 1),
        ("metal", "blue", "cone", 2),
        ("rubber", "red", "cone", 1),
        ("metal", "red", "cube", 2),
        ("rubber", "blue", "cube", 2),
    ]
    annotations = {}
    for number, (texture, color, shape, count) in enumerate(labels):
        name = f"CLEVR_new_{number:06}"
        save_image(root / "images" / f"{name}.png", number)
        annotations[name] = {"texture": texture, "color": color, "shape": shape, "count": count, "split": "train" if number < 2 else "val"}
    (root / "clevr_4_annots.json").write_text(json.dumps(annotations), encoding="utf-8")
    return root


def write_stanford40(root: Path) -> Path:
    """Three actions; three photos train, four are evaluated."""
    parts = {
        "train": ["applauding_001", "riding_a_bike_001", "fishing_002"],
        "test": ["applauding_003", "applauding_004", "riding_a_bike_010", "fishing_005"],
    }
    (root / "ImageSplits").mkdir(parents=True)
    (root / "ImageSplits" / "actions.txt").write_text("action_name\tnumber_of_images\napplauding\t3\nriding_a_bike\t2\nfishing\t2\n")
    for part, names in parts.items():
        (root / "ImageSplits" / f"{part}.txt").write_text("".join(f"{name}.jpg\n" for name in names))
        for number, name in enumerate(names):
            save_image(root / "JPEGImages" / f"{name}.jpg", number + len(part))
    return root


def write_icir(root: Path) -> Path:
    """Two things: one with two queries, one with one; databases of three and two images."""
    queries = [("temple/a.jpg", "at sunset", "temple"), ("temple/c.jpg", "as a sketch", "temple"), ("mug/b.jpg", "on a beach", "mug")]
    database = [
        *[("temple/1.jpg", "at sunset", "temple"), ("temple/2.jpg", "as a sketch", "temple"), ("temple/3.jpg", "hn", "temple")],
        *[("mug/1.jpg", "on a beach", "mug"), ("mug/2.jpg", "hn", "mug")],
    ]
    for part, rows in (("query", queries), ("database", database)):
        for number, (path, _, _) in enumerate(rows):
            save_image(root / part / path, number + len(part))
        lines = [f"icir/{part}/{path},{text},{instance}\n" for path, text, instance in rows]
        (root / f"{part}_files.csv").write_text("".join(lines), encoding="utf-8")
    return root


def write_genecis(root: Path) -> Path:
    """A task of objects with two templates and one of attributes with one; galleries of two."""
    for number in (1, 22, 333, 4444):
        save_image(root / "val2017" / f"{number:012}.jpg", number)
    for number in (7, 8, 9):
        save_image(root / "VG_100K_all" / f"{number}.jpg", number)
    coco = [{"val_image_id": number} for number in (1, 22, 333, 4444)]
    genome = [{"image_id": str(number), "instance_bbox": [2, 2, 8 + number % 3, 6]} for number in (7, 8, 9)]
    tasks = {
        "focus_object": [
            {"condition": "wall", "reference": coco[0], "target": coco[1], "gallery": coco[2:]},
            {"condition": "tree", "reference": coco[1], "target": coco[2], "gallery": [coco[0], coco[3]]},
        ],
        "change_attribute": [{"condition": "red", "reference": genome[0], "target": genome[1], "gallery": [genome[2], genome[0]]}],
    }
    (root / "genecis").mkdir(parents=True)
    for task, templates in tasks.items():
        (root / "genecis" / f"{task}.json").write_text(json.dumps(templates), encoding="utf-8")
    return root


@pytest.fixture
def miniatures() -> dict[str, Writer]:
    """By the dataset's name what writes a miniature of it into a folder, which it returns."""
    return {"clevr4": write_clevr4, "genecis": write_genecis, "icir": write_icir, "stanford40": write_stanford40}
