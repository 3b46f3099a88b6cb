"""`python -m experiments.public_benchmarks` on miniatures of the official layouts, with the small encoder that ships."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from tests.data.conftest import save_image

from experiments.tests.public_benchmarks.conftest import write_clevr4, write_genecis, write_icir, write_stanford40

Run = Callable[..., tuple[int, str, str]]
OPTIONS = ["-e", "cars-small", "--seeds", "2", "--format", "csv"]


def table_of(run: Run, *arguments: str) -> pd.DataFrame:
    status, printed, errors = run("public_benchmarks", *arguments, *OPTIONS)
    assert status == 0, errors
    return pd.read_csv(io.StringIO(printed))


def test_clevr4(tmp_path: Path, run: Run) -> None:
    root = write_clevr4(tmp_path / "set")
    table = table_of(run, f"clevr4:{root}", "--methods", "raw,crl,other-words", "--out", str(tmp_path / "runs.csv"))
    assert list(table["task"].unique()) == ["texture", "color", "shape", "count"]
    assert list(table[table["task"] == "color"]["method"]) == ["raw", "crl", "other-words", "CRL"]
    assert table[table["method"] == "CRL"]["NMI"].astype(float).tolist() == [0.107, 0.887, 0.787, 0.256]
    runs = pd.read_csv(tmp_path / "runs.csv")
    assert len(runs) == 4 * 3 * 2  # raw has two seeds, too: those of its k-means
    # the encoder does not know most textures, to it their prompts are one: such a row says why it has no figure
    assert runs[runs["nmi"].isna()]["refused"].notna().all()
    assert runs[runs["method"] == "raw"]["nmi"].between(0, 1).all()


def test_stanford40(tmp_path: Path, run: Run) -> None:
    table = table_of(run, f"stanford40:{write_stanford40(tmp_path)}", "--methods", "raw,exact")
    assert list(table["method"]) == ["raw", "exact"]
    assert set(table["task"]) == {"action"}


def test_icir(tmp_path: Path, run: Run) -> None:
    root = write_icir(tmp_path)
    (root / "database" / "mug" / "1.jpg").unlink()  # a query that nothing answers is left out
    table = table_of(run, f"icir:{root}").set_index("method")
    assert {"chance", "image", "text", "mean", "product", "basic", "BASIC without query expansion"} <= set(table.index)
    assert table.loc["BASIC without query expansion", "mAP"] == "0.344" or float(table.loc["BASIC without query expansion", "mAP"]) == 0.344
    steps = float(str(table.loc["image", "mAP, steps"]).split()[0])
    assert float(str(table.loc["image", "mAP"]).split()[0]) <= steps <= 1


def test_icir_finds_the_answer_that_is_the_query_itself(tmp_path: Path, run: Run) -> None:
    root = write_icir(tmp_path)
    for part in ("query/temple/a.jpg", "database/temple/1.jpg", "query/temple/c.jpg", "database/temple/2.jpg"):
        save_image(root / part, 3 if part.endswith(("a.jpg", "1.jpg")) else 90)
    for part in ("query/mug/b.jpg", "database/mug/1.jpg"):
        save_image(root / part, 140)
    table = table_of(run, f"icir:{root}", "--methods", "image")
    assert float(table.loc[0, "mAP"]) == 1


def test_genecis(tmp_path: Path, run: Run) -> None:
    root = write_genecis(tmp_path)
    table = table_of(run, f"genecis:{root}")
    assert set(table["task"]) == {"change_attribute", "focus_object"}
    assert set(table[table["method"] != "CRL"]["R@3"].astype(str).str.split().str[0].astype(float)) == {1.0}  # galleries of three
    assert float(table[(table["task"] == "focus_object") & (table["method"] == "CRL")]["R@1"].iloc[0]) == 0.154


def test_genecis_leaves_out_templates_without_images(tmp_path: Path, run: Run) -> None:
    root = write_genecis(tmp_path)
    for task in ("focus_object", "change_attribute"):
        (root / "genecis" / f"{task}.json").write_text((root / "genecis" / f"{task}.json").read_text())
    (root / "VG_100K_all" / "8.jpg").unlink()
    status, _, errors = run("public_benchmarks", f"genecis:{root}", *OPTIONS)
    assert status == 2
    assert "No template of 'change_attribute' has all its images" in errors


@pytest.mark.parametrize("name", ["clevr4", "stanford40", "genecis", "icir"])
def test_a_folder_of_another_layout(name: str, tmp_path: Path, run: Run) -> None:
    status, _, errors = run("public_benchmarks", f"{name}:{tmp_path}", *OPTIONS)
    assert status == 2
    assert "neither it nor a folder directly inside holds" in errors
    assert len(errors.strip().splitlines()) == 1


def test_one_class_alone(tmp_path: Path, run: Run) -> None:
    root = write_clevr4(tmp_path)
    file = root / "clevr_4_annots.json"
    file.write_text(json.dumps({name: labels | {"shape": "cube"} for name, labels in json.loads(file.read_text()).items()}))
    status, _, errors = run("public_benchmarks", f"clevr4:{root}", *OPTIONS)
    assert status == 2
    assert "All images have the same 'shape', 'cube'" in errors
