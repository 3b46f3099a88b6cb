"""Commands of one screen as a person meets them: clusters, continuous, encoders, index, matches, notion, runs, saliency, slices,
spread.
"""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from fake_hub import FakeHub
from likeness.data import read_cars
from likeness.encoders import PUBLISHED, speed
from likeness.notions import read_notion
from likeness.reasons import NOTHING
from likeness.search import search_plan
from likeness.training import RunConfig, RunFolder, Status
from worlds import Run

CARS = read_cars().frame


def test_clusters_are_named_by_aspects_own_words_and_attributes(ok: Any, tmp_path: Path) -> None:
    printed, _ = ok("clusters", "cars", "--notion", "car-color", "--depths", 1, "--out", tmp_path / "clusters.csv", "--format", "csv")
    assert printed.startswith("depth,cluster,parent,name,words,confidence,count")
    written = pd.read_csv(tmp_path / "clusters.csv")
    named = written[~written["cluster 1"].str.startswith("unnamed")]
    # the encoder sees the color: most images are in a cluster that is called as they are
    assert (named["cluster 1"] == named["car_color"]).mean() > 0.7
    (tmp_path / "words.txt").write_text("red\nblue\n\nblack\n")
    for names in (("--words", tmp_path / "words.txt"), ("--by", "body_type")):
        ok("clusters", "cars", "--depths", 1, *names, "--format", "csv")


def test_slices_are_printed_with_intervals_as_json_with_rows_and_written(ok: Any, tmp_path: Path) -> None:
    printed, said = ok("slices", "cars", "--predicted", "car_saturation", "--out", tmp_path / "slices.csv", "--format", "json")
    answer, written = json.loads(printed), pd.read_csv(tmp_path / "slices.csv")
    assert said.splitlines()[-1].startswith(f"Errors (mean {CARS['car_saturation'].mean():.3g}) concentrate beyond chance in {len(written)} of ")
    for found, line in zip(answer, written.itertuples(), strict=True):
        assert found["name"] == line.name
        inside = np.isin(np.arange(len(CARS)), found["rows"])
        assert (line.images, line.error) == (inside.sum(), pytest.approx(CARS["car_saturation"][inside].mean()))
        assert line.elsewhere == pytest.approx(CARS["car_saturation"][~inside].mean())
        assert line.p <= 0.05
    (tmp_path / "none.csv").write_text("path,wrong\n" + "".join(f"{read_cars().file(row)},{row % 2}\n" for row in range(60)))
    printed, _ = ok("slices", tmp_path / "none.csv", "-e", "cars-small", "--predicted", "wrong")
    assert re.fullmatch(r"Errors \(mean 50.0%\) concentrate beyond chance in none of \d+ sets of 60 images.\n", printed)
    _, _ = ok("slices", tmp_path / "none.csv", "-e", "cars-small", "--predicted", "wrong", "--report", tmp_path / "none.html")
    assert printed.strip() in (tmp_path / "none.html").read_text()


@pytest.fixture
def gray(tmp_path: Path) -> Path:
    """Gray pictures, 14 of them, whose brightness is a column."""
    values = np.random.default_rng(0).permutation(14) * 18
    for number, value in enumerate(values):
        Image.new("RGB", (32, 32), (int(value),) * 3).save(tmp_path / f"{number}.png")
    pd.DataFrame({"path": [f"{number}.png" for number in range(14)], "brightness": values}).to_csv(tmp_path / "gray.csv", index=False)
    return tmp_path / "gray.csv"


def test_continuous_has_a_line_per_space_and_its_bounds(ok: Any, gray: Path, tmp_path: Path) -> None:
    out, _ = ok("continuous", gray, "--kind", "numbers", "--columns", "brightness", "--out", tmp_path / "a.csv", "--format", "csv")
    lines = [line.split(",") for line in out.strip().splitlines()]
    assert [line[0] for line in lines] == ["space", "photos", "chance", "oracle"]
    shipped, chance, oracle = (float(line[2]) for line in lines[1:])
    assert oracle <= shipped < chance
    assert float(lines[3][3]) == 1
    written = pd.read_csv(tmp_path / "a.csv")
    assert written["row"].tolist() == ["photos"]
    assert written["mean_label_distance_at_10"][0] == pytest.approx(shipped, abs=1e-4)
    out, _ = ok("continuous", "--notion", "viewpoint", "--format", "csv")
    figures = {line.split(",")[0]: float(line.split(",")[2]) for line in out.strip().splitlines()[1:]}
    assert figures["oracle"] < figures["viewpoint"] < figures["cars"] < figures["chance"]


def test_encoders_are_listed_with_size_license_and_speed(ok: Any, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = ok("encoders", "list", "--format", "csv")
    for encoder in PUBLISHED.values():
        (line,) = [line for line in out.splitlines() if line.startswith(f"{encoder.name},")]
        assert encoder.license in line
        assert "?" in line
    assert "605 MB" in out
    assert "likeness encoders list --measure" in err
    monkeypatch.setattr("likeness.encoders.measure_speed", lambda encoder, *_: speed._remember(encoder.name, 12.345))
    for measure in (("--measure",), ()):
        assert ok("encoders", "list", *measure, "--format", "csv")[0].count("12.3") == len(PUBLISHED)


def test_get_downloads_and_the_list_says_so(run: Run, ok: Any, hub: FakeHub, tmp_path: Path) -> None:
    name, repository = "MobileCLIP2-S0/dfndr2b", "timm/MobileCLIP2-S0-OpenCLIP"
    status, _, err = run("encoders", "get", name)
    assert (status, "does not have it (404)" in err) == (2, True)
    assert run("encoders", "get", "nonsense")[0] == 2
    hub.repositories[repository] = tmp_path / "served"
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "open_clip_model.safetensors").write_bytes(b"weights" * 1000)
    assert ok("encoders", "get", name)[0] == f"{name} is on this machine\n"
    assert "is here" in ok("encoders", "list", "--format", "csv")[0]


def _rows(out: str) -> list[str]:
    return [line.split(",")[0] for line in out.strip().splitlines()[1:]]


def test_an_index_is_built_and_used_and_one_of_an_older_state_is_not(ok: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("search", "--row", 5, "-k", 8, "--csv")
    exact, told = ok(*asked)
    assert told.strip() == ""
    assert ok("index", "cars", "--cells", 60)[0].startswith("2,000 images, 512 dimensions, 60 cells, 4 MB")
    assert len(list(cache.glob("embeddings/*/*/index/about.json"))) == 1
    again, told = ok(*asked)
    assert (told.strip(), _rows(again)) == ("", _rows(exact))  # few images: exact, and nothing to say
    monkeypatch.setattr(search_plan, "_CHEAP_BYTES", 0)
    found, told = ok(*asked)
    assert told.strip().startswith("Approximate: 9")
    assert told.strip().endswith("of the nearest are found, measured on images of this dataset.")
    assert len(set(_rows(found)) & set(_rows(exact))) >= 6
    file = next(cache.glob("embeddings/*/*/index/vectors.npy"))
    file.write_bytes(file.read_bytes()[:-4])
    assert ok("search", "--row", 5)[1].strip() == ""


def test_a_search_says_why_if_asked(run: Run, ok: Any) -> None:
    found = pd.read_csv(io.StringIO(ok("search", "--row", 5, "-k", 3, "--why", "--csv")[0]))
    for row, why in zip(found["row"], found["why"], strict=True):
        one, other = CARS["car_color"].iloc[[5, row]]
        assert (f"same car color ({one})" if one == other else f"other car color ({one} / {other})") in why
    for notion in ((), ("--notion", "car-color")):
        of_text = pd.read_csv(io.StringIO(ok("search", "--text", "a red car", *notion, "-k", 8, "--why", "--csv")[0]))
        assert set(of_text["why"]) - {NOTHING} == {"By the encoder: same car color (red)."}
    assert "why" not in ok("search", "--row", 5, "-k", 1, "--csv")[0]
    assert "These results have no reasons" in run("search", "--query", "row:3 + 'a red car'", "--why")[2]


def test_a_search_among_images_with_a_value(run: Run, ok: Any) -> None:
    asked = ("search", "-k", 5, "--csv", "--where", "body_type=van")
    vans = (CARS["body_type"] == "van").to_numpy()
    space = lk.embed("cars")
    for query, value in (("--row", 5), ("--text", "a red car"), ("--query", "row:5 + 'a red car'")):
        rows = [int(row) for row in _rows(ok(*asked, query, value)[0])]
        what = 5 if query == "--row" else "a red car" if query == "--text" else lk.Query([(1, 5), (1, "a red car")])
        assert rows == space.nearest(what, 5, allowed=vans).rows.tolist()
    assert "No image has 'body_type' = 'boat'; there are " in run("search", "--row", "5", "--where", "body_type=boat")[2]


_QUERY = ("matches", "cars", "--encoder", "cars-small", "--text", "a red car", "--notion", "car-color")


def test_answers_are_asked_for_in_a_file_and_lead_to_a_promise(run: Run, ok: Any, tmp_path: Path) -> None:
    answers, out = tmp_path / "answers.csv", tmp_path / "matches.csv"
    colors = CARS.set_index("path")["car_color"]
    assert "guess from the scores only" in ok(*_QUERY, "--answers", answers)[0]
    for _ in range(5):
        lines = pd.read_csv(answers, dtype=str, keep_default_na=False)
        assert (lines["label"] == "").sum() >= 5
        lines["label"] = ["yes" if colors[path] == "red" else "No" for path in lines["path"]]
        lines.to_csv(answers, index=False)
        printed, _ = ok(*_QUERY, "--answers", answers, "--ask", 12, "--out", out, "--force")
    assert "Promised: of the first " in printed
    found = pd.read_csv(out)
    assert (found["car_color"] == "red").mean() > 0.8
    assert (found.loc[found["promised"], "car_color"] == "red").mean() >= 0.9
    assert found["promised"].sum() > 20
    for line, message in (("images/00001.webp,perhaps", "'perhaps'"), ("nope.webp,yes", "which is not an image of")):
        answers.write_text(f"path,label\n{line}\n")
        status, _, err = run(*_QUERY, "--answers", str(answers))
        assert (status, message in err) == (2, True), err


def test_the_file_of_answers_keeps_what_people_wrote_into_it(ok: Any, tmp_path: Path) -> None:
    """Further columns, and the words; lines that say nothing make room for the images to ask next."""
    file, paths = tmp_path / "answers.csv", CARS["path"].tolist()
    file.write_text(f'path,label,remark\n{paths[3]}, Yes ,"sure, by day"\n{paths[5]},,to ask Ada\n{paths[6]},,\n')
    ok(*_QUERY, "--answers", file, "--ask", 3)
    lines = pd.read_csv(file, dtype=str, keep_default_na=False)
    assert lines.columns.tolist() == ["path", "label", "remark"]
    assert lines.iloc[:2].to_numpy().tolist() == [[paths[3], " Yes ", "sure, by day"], [paths[5], "", "to ask Ada"]]
    assert (len(lines), lines["path"].duplicated().any(), set(lines["label"][2:])) == (5, False, {""})


def test_a_notion_says_what_is_held_what_varies_and_how_many_images_each_aspect_takes(ok: Any, tmp_path: Path) -> None:
    printed, _ = ok("notion", "same car color", "cars", "--out", tmp_path / "color.yaml")
    assert "held: car; varies: color; aspects from the list 'colors'" in printed
    assert "black (220)" in printed
    assert "left out, the encoder does not know these words: gold, beige, brown" in printed
    notion = read_notion(tmp_path / "color.yaml")
    assert (notion.name, notion.template, "black" in notion.aspects) == ("car color", "a {} car", True)
    assert "spring, summer, autumn, winter" in ok("notion", "same season")[0]


def test_answers_about_pairs_of_images_change_the_words(ok: Any, tmp_path: Path) -> None:
    same = CARS["background_color"] == CARS["background_color"][0]
    others = CARS.index[~same & (CARS["car_color"] == CARS["car_color"][0])][:2]
    pairs = [word for option, rows in (("--alike", CARS.index[same][1:3]), ("--unlike", others)) for row in rows for word in (option, f"0,{row}")]
    printed, _ = ok("notion", "same color", "cars", *pairs, "--out", tmp_path / "meant.yaml")
    assert "The answers fit 'car background color' better: black" in printed
    notion = read_notion(tmp_path / "meant.yaml")
    assert (notion.name, len(notion.clicks)) == ("car background color", 4)
    assert "The words fit the answers as they are." in ok("notion", "same color", "cars", "--unlike", "0,1")[0]


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    """A run of three evaluations, the second the best, in the folder of runs."""
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "runs"))
    found = RunFolder(tmp_path / "runs" / "first")
    found.create(RunConfig(name="first"))
    for step, recall, best in ((1, 0.5, 0.5), (2, 0.75, 0.75), (3, 0.625, None)):
        found.append_metrics({"step": step, "epoch": step, "recall_at_1": recall, "nmi": 1 - recall} | ({"best_of": best} if best else {}))
    found.report_status(Status("finished", 3, 3))
    return found


def test_the_list_of_runs_says_whose_weights_its_figures_are_of(run: Run, ok: Any, first: RunFolder) -> None:
    for figures, which, epoch, recall, nmi in ((), "best", "2", "0.75", "0.25"), (("--figures", "last"), "last", "3", "0.625", "0.375"):
        (line,) = csv.DictReader(io.StringIO(ok("runs", *figures, "--format", "csv")[0]))
        assert (line["epoch"], line[f"{which} recall_at_1"], line[f"{which} nmi"]) == (epoch, recall, nmi)
    ok("runs", "list", first.path.parent)
    status, _, err = run("runs", "--figures", "middle")
    assert (status, "There is no checkpoint 'middle'; choose from last, best" in " ".join(err.split())) == (2, True)


def test_a_run_is_renamed_and_deleted_after_a_question(run: Run, ok: Any, first: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    assert "renamed to" in ok("runs", "rename", "first", "second")[0]
    assert not first.path.exists()
    assert RunFolder(first.path.with_name("second")).status().step == 3
    ok("runs", "rename", first.path.with_name("second"), "third")
    assert run("runs", "rename", "second", "x")[0] == 2
    monkeypatch.setattr("typer.confirm", lambda question, err: bool(asked.append(question)))
    status, _, err = run("runs", "delete", "third")
    assert (status, "Nothing was deleted" in err) == (2, True)
    assert asked == ["Delete the run 'third' with its weights and figures? This cannot be undone."]
    assert first.path.with_name("third").is_dir()
    ok("runs", "delete", "third", "--yes")
    assert not first.path.with_name("third").exists()
    assert run("runs", "delete", "third", "--yes")[0] == 2
    assert len(asked) == 1


def test_saliency_draws_image_map_and_difference_for_every_image(ok: Any, tmp_path: Path) -> None:
    out = tmp_path / "maps.png"
    printed, _ = ok("saliency", "--rows", "5,2", "--notion", "car-color,background-color", "--samples", 2, "--out", out)
    with Image.open(out) as figure:
        sheet = np.asarray(figure)
    assert f"wrote {out}: {sheet.shape[1]} x {sheet.shape[0]} pixels" in printed
    assert sheet.shape[1] > 6 * 192
    assert 2 * 192 < sheet.shape[0] < 3 * 192
    seen = np.asarray(Image.open(read_cars().paths()[5]).convert("RGB").resize((96, 96), Image.Resampling.BICUBIC))
    corner = tuple(np.argwhere((sheet == seen[0, 0]).all(-1))[0])
    tile = sheet[corner[0] : corner[0] + 192, corner[1] : corner[1] + 192]
    assert np.abs(tile[::2, ::2].astype(int) - seen).mean() < 2
    # without a notion, the raw encoder's map alone
    (tmp_path / "photos").mkdir()
    for i in range(2):
        Image.effect_noise((40, 30), 60 + i).convert("RGB").save(tmp_path / "photos" / f"{i}.png")
    ok("saliency", tmp_path / "photos", "--samples", 2, "--blur", 1, "--base", tmp_path / "photos" / "1.png", "--out", out, "--force")
    with Image.open(out) as figure:
        assert all(2 * 192 < side < 3 * 192 for side in figure.size)


def test_labels_spread_to_all_images(run: Run, ok: Any, tmp_path: Path) -> None:
    labels, out, queue = (tmp_path / f"{name}.csv" for name in ("labels", "all", "queue"))
    CARS.iloc[::40][["path", "car_color"]].rename(columns={"car_color": "label"}).to_csv(labels, index=False)
    files = ("--out", out, "--queue", queue)
    shown, told = ok("spread", labels, "cars", "--notion", "car-color", "--next", 6, "--format", "csv", *files)
    assert "50 of 2,000 images have a label, of 17 classes. Of 46 labels that were held out, the others say " in told
    table = pd.read_csv(out)
    assert list(table) == ["path", "label", "confidence", "given"]
    assert (table["label"] == CARS["car_color"]).mean() > 0.9
    assert table["given"].sum() == 50
    assert table["confidence"].between(0, 1).all()
    assert len(pd.read_csv(queue)) == 6 == shown.count("\n") - 1
    for line, message in (
        ("images/00000.webp,red", "label an image of another class"),
        ("nowhere.jpg,red", "names 'nowhere.jpg', which is not an image of 'Synthetic Cars' (1 such)"),
    ):
        labels.write_text(f"path,label\n{line}\n")
        status, _, error = run("spread", str(labels), "cars")
        assert (status, error.startswith("Error: "), error.count("\n"), message in error) == (2, True, 1, True)
