"""`python -m experiments.public_benchmarks` on miniatures of the official layouts, with the small encoder that ships."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
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


def test_what_cannot_be_judged_is_named(tmp_path: Path, run: Run) -> None:
    genecis, clevr4 = write_genecis(tmp_path / "genecis"), write_clevr4(tmp_path / "clevr4")
    (genecis / "VG_100K_all" / "8.jpg").unlink()
    file = clevr4 / "clevr_4_annots.json"
    file.write_text(json.dumps({name: labels | {"shape": "cube"} for name, labels in json.loads(file.read_text()).items()}))
    for source, message in (
        (f"genecis:{genecis}", "No template of 'change_attribute' has all its images"),
        (f"clevr4:{clevr4}", "All images have the same 'shape', 'cube'"),
    ):
        status, _, errors = run("public_benchmarks", source, *OPTIONS)
        assert (status, message in errors, errors.strip().count("\n")) == (2, True, 0), errors
