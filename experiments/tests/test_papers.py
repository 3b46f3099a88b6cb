"""The papers' tables and figures on miniatures of the official layouts."""

import re
import shutil
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.data.conftest import (
    write_cars196,
    write_coco_captions,
    write_cub200,
    write_deepfashion,
    write_lsun_rooms,
    write_movie_posters,
    write_mpii_pose,
    write_online_products,
    write_synthetic_cars,
)

from experiments.claims import claims
from experiments.figures.results_report import NOTEBOOKS
from experiments.papers import HERE, TASKS, Session, command, notions, shift_splits, studies
from likeness.data import named_dataset
from likeness.errors import InputError
from likeness.notions import list_notions
from likeness.shifts import read_splits
from likeness.studies import StudyConfig, embedding_sizes, prompt_counts, read_study, row_configs, studies as shipped_studies
from likeness.training.config import difference, read_config
from tiny_models import save_clip, save_timm, save_transformers

Run = Callable[..., tuple[int, str, str]]
ROOT = Path(__file__).resolve().parents[2]
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "papers").glob("*.md")}
BIRDS = [f"{color} {bird}" for bird in ("Albatross", "Cowbird", "Tern", "Wren", "Gull", "Crow", "Jay") for color in ("Red", "Green", "Blue", "Black")]
MODELS = {"bert-base-uncased": "bert", "roberta-large": "roberta", "google/reformer-crime-and-punishment": "reformer", "gpt2": "gpt2"}
# a network and runs of a second in place of the papers'
SMALL = {
    "backbone.name": "test_resnet",
    "backbone.weights": "none",
    "data.image_size": "32",
    "epochs": "1",
    "epoch_steps": "1",
    "batch.size": "8",
    "guidance.classifier": "{name: test_resnet, weights: none}",
    "objective.s2sd.target_dims": "[32]",
    "device": "cpu",
}
CLASSES = SMALL | {"matched_classes": "2", "few_shot.support": "random", "few_shot.shots": "[2]", "few_shot.steps": "[2]"}
CLASSES |= {"few_shot.episodes": "2", "few_shot.batch_size": "8"}
LABELS = SMALL | {"data.queries": "4", "xe.epochs": "1", "rl.epochs": "1", "min_count": "1"}
LABELS |= {f"decoder.{name}": "8" for name in ("hidden", "embedding", "attention")}


def vectors(words: Sequence[str]) -> str:
    rows = np.random.default_rng(0).normal(size=(len(words), 8))
    return "".join(f"{word} {' '.join(f'{value:.3f}' for value in row)}\n" for word, row in zip(words, rows, strict=True))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All datasets, a few images a class, and the files of language models; not to be changed."""
    folder = tmp_path_factory.mktemp("papers") / "data"
    start = read_splits("cars196-oodml").named("start")
    cars = sorted({*start.train, *start.test})
    write_cars196(folder / "cars196", cars, [number for number in range(1, len(cars) + 1) for _ in range(4)])
    classes = [f"{number:03}.{name.replace(' ', '_')}" for number, name in enumerate(BIRDS, start=1)]
    write_cub200(folder / "cub200", classes, [number for number in range(1, len(classes) + 1) for _ in range(4)])
    sides = {"train": range(1, 15), "test": range(15, 29)}
    kinds = ("bicycle", "coffee_maker")
    write_online_products(
        folder / "online-products", {side: [(n, 1 + n % 2, kinds[n % 2]) for n in own for _ in range(3)] for side, own in sides.items()}
    )
    write_mpii_pose(folder / "mpii-pose", {part: [f"{number:03}" for number in range(36)] for part in ("trn", "val")})
    rooms = {part: [(f"{part}_{number}", "bedroom", 4) for number in range(36)] for part in ("training", "validation")}
    write_lsun_rooms(folder / "lsun-rooms", rooms)
    write_coco_captions(folder / "coco-captions", ["train"] * 36 + ["val"] * 6 + ["test"] * 16)
    write_deepfashion(folder / "deepfashion")
    write_movie_posters(folder / "movie-posters")
    write_synthetic_cars(folder / "synthetic-cars")
    words = sorted({"sentence", "of", *map(str, range(60)), *(word.lower() for name in (*BIRDS, *cars) for word in name.split())})
    for file in ("glove.txt", "fasttext.vec"):
        (folder / file).write_text(vectors(words), encoding="utf-8")
    (folder / "cub200" / "hierarchy.csv").write_text("child,parent\n" + "".join(f"{name},{name.split()[1]}s\n" for name in BIRDS))
    for dataset, word in (("cub200", "bird"), ("cars196", "car")):
        root = folder / dataset
        images = [path.relative_to(root).as_posix() for path in root.rglob("*.jpg")]
        (root / "captions.csv").write_text("path,caption\n" + "".join(f"{path},a red {word}\n" for path in images), encoding="utf-8")
    for name, kind in MODELS.items():
        save_transformers(folder / name, kind)
    shutil.copyfile(save_timm(folder / "timm") / "model.safetensors", folder / "swav_resnet50.safetensors")
    return folder


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a tiny CLIP that knows the words of all notions, of more dimensions than the paper's 128."""
    texts = [prompt.lower() for notion in list_notions() if not notion.joined for prompt in notion.prompts]
    words = sorted({word for text in (*texts, *map(str.lower, BIRDS)) for word in re.findall(r"\w+|[^\w\s]+", text)})
    return f"local-dir:{save_clip(tmp_path_factory.mktemp('clip') / 'tiny', words=words, dim=160)}"


def headings(task_headings: Sequence[str], paper: str) -> set[tuple[str, str]]:
    return {(paper, heading) for heading in task_headings}


def test_every_table_and_figure_of_the_pages_has_a_task_and_every_task_a_heading() -> None:
    pages = {(page, heading) for page, text in PAGES.items() for heading in re.findall(r"^## ((?:Table|Figure|Section).+)$", text, re.MULTILINE)}
    measured = set().union(*(headings(task.headings, task.paper) for task in TASKS))
    assert len(pages) > 30
    assert measured | set(HERE) == pages
    assert not measured & set(HERE)
    assert len({task.name for task in TASKS}) == len(TASKS)


def test_what_is_not_testable_here_has_a_task() -> None:
    untestable = set()
    for paper in NOTEBOOKS:
        found = claims(paper).query("verdict == 'not testable here'")["place"]
        untestable |= headings(list(found), paper.replace(" ", "-"))
    assert len(untestable) > 3
    assert untestable <= {(task.paper, heading) for task in TASKS for heading in task.headings}


def test_tasks_need_what_is_published_and_call_every_study_of_a_paper(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {name for task in TASKS for name in task.datasets if named_dataset(name).layout is None} == set()
    assert {name for task in TASKS for name in task.files} == set(command.FILES)
    called = set()

    def reached(name: str) -> StudyConfig:
        called.add(name)
        raise InputError("reached")

    monkeypatch.setattr(studies, "read_study", reached)
    for task in TASKS:
        if task.name.startswith(("language", "log-ratio", "oodml-shifts", "oodml-capacity", "oodml-few")):
            with pytest.raises(InputError, match="reached"):
                task.measure(Session(data, tmp_path))
    papers = {name for name in shipped_studies() if name.startswith(("language-table", "log-ratio", "oodml"))}
    assert called == papers - {"language-table-2"}  # its rows are those of S1
    assert read_study("language-table-2").rows.keys() == read_study("language-table-s1").rows.keys()


@pytest.mark.parametrize("dataset", ["cub200", "cars196", "online-products"])
def test_a_study_on_another_dataset_is_set_as_the_presets_of_that_dataset(dataset: str, data: Path, tmp_path: Path) -> None:
    study, left_out = studies.study_on(Session(data, tmp_path), "language-table-s1", dataset)
    found = row_configs(study)
    assert left_out == []
    own = {"Multisimilarity": "multisimilarity", "Margin, β = 1.2": "margin", "Multisimilarity + S2SD": "s2sd"}
    for row in list(found)[:9]:
        group, _, kind = re.match(r"(.*?)( \+(ELG|PLG).*)?$", row).groups()  # type: ignore[union-attr]
        preset = f"lg-{dataset.replace('online-products', 'sop')}-{own[group]}{f'-{kind.lower()}' if kind else ''}"
        assert set(difference(found[row], read_config(preset))) <= {"name", "note", "data.source"}, row
        assert found[row].data.source == f"{dataset}:{data / dataset}"


def test_files_in_the_folder_and_the_width_of_the_encoder_reach_the_rows(data: Path, tmp_path: Path, clip: str) -> None:
    session = Session(data, tmp_path, clip, 1, {"epochs": 1, "few_shot.steps": [2]})
    assert row_configs(studies.study_on(session, "language-table-4", "cub200")[0])["CLIP-style"].backbone.dim == 160
    study, left_out = studies.study_on(session, "language-table-3", "cub200")
    found = row_configs(study)
    assert (left_out, study.seeds) == ([], (0,))
    assert found["+BERT"].guidance.language == (f"transformers:{data / 'bert-base-uncased'}",)  # type: ignore[union-attr]
    assert found["+CLIP-L"].guidance.language == (f"clip:{clip}",)  # type: ignore[union-attr]
    assert {(config.epochs, config.few_shot) for config in found.values()} == {(1, None), (0, None)}
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "resnet50.tv_in1k.safetensors").write_bytes(b"")
    study, left_out = studies.study_on(Session(bare, tmp_path), "language-table-3", "cars196")
    assert left_out == ["Left out: +FastText, for want of fasttext.vec.", "Left out: +GloVe, for want of glove.txt."]
    assert {config.backbone.weights for config in row_configs(study).values()} == {str(bare / "resnet50.tv_in1k.safetensors")}


def line(data: Path, out: Path, clip: str, changes: dict[str, str], only: Sequence[str]) -> list[str]:
    words = [str(data), "-e", clip, "--out", str(out), "--seeds", "1"]
    return [
        *words,
        *(word for key, value in changes.items() for word in ("--set", f"{key}={value}")),
        *(w for name in only for w in ("--only", name)),
    ]


def check_pages(out: Path, only: Sequence[str]) -> None:
    for task in (task for task in TASKS if task.paper in only or task.name in only):
        page, runs = (out / f"{task.name}.md").read_text(encoding="utf-8"), pd.read_csv(out / f"{task.name}.csv")
        assert len(runs), task.name
        assert page.startswith(f"# {task.paper}: {', '.join(task.headings)} "), task.name
        assert "\n| --- |" in page, task.name
        assert "Left out: " not in page, task.name


def test_indirect(data: Path, tmp_path: Path, clip: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = ("raw", "random-transform", "pca", "exact", "other-words")
    monkeypatch.setattr(notions, "_METHODS", quick)
    monkeypatch.setattr(notions, "embedding_sizes", partial(embedding_sizes, methods=quick[:4], sizes=(2, 128)))
    monkeypatch.setattr(notions, "prompt_counts", partial(prompt_counts, methods=quick[:4], counts=(10, 150)))
    status, printed, errors = run("papers", *line(data, tmp_path / "out", clip, {}, ["indirect"]))
    assert status == 0, errors
    assert "16 of 16 tasks are finished" in printed
    check_pages(tmp_path / "out", ["indirect"])
    assert (tmp_path / "out" / "indirect-figure-2-cars196.png").is_file()
    page = (tmp_path / "out" / "indirect-table-2-cars196.md").read_text(encoding="utf-8")
    here, paper = (next(row for row in page.splitlines() if row.startswith(f"| Cars196 car model | MAP@R | {side} |")) for side in ("here", "paper"))
    assert len(re.findall(r"0\.\d{3}", here)) >= 4  # the raw encoder and methods
    assert "| 0.374 ± 0.000 |" in paper
    supervised = (tmp_path / "out" / "indirect-section-5.md").read_text(encoding="utf-8")
    assert "| CUB200 bird species | Jun et al. | 128 | paper | 0.676 |" in supervised


def cut(rows: int, splits: tuple[str, ...] = ()) -> Callable[[str], StudyConfig]:
    """Studies of the first rows, with those that need something of their own, and of some splits."""

    def small(name: str) -> StudyConfig:
        study = read_study(name)
        special = "BERT|GPT2|FastText|WordNet|HierMatch|CLIP-style|Caption|Dense$|DiVA|S2SD$|CLIP, raw|SwAV|margin$|flat target"
        kept = [row for number, row in enumerate(study.rows) if number < rows or re.search(special, row)]
        only = splits if study.splits == "cars196-oodml" else ()
        return study.model_copy(update={"rows": {row: study.rows[row] for row in kept}, "only": only})

    return small


def test_language_guidance(data: Path, tmp_path: Path, clip: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "read_study", cut(2))
    status, printed, errors = run("papers", *line(data, tmp_path / "out", clip, CLASSES, ["language-guidance"]))
    assert status == 0, errors
    assert "19 of 19 tasks are finished" in printed
    check_pages(tmp_path / "out", ["language-guidance"])
    page = (tmp_path / "out" / "language-table-2-cars196.md").read_text(encoding="utf-8")
    assert re.search(r"\n\| Multisimilarity \+ELG \|[^|]+\|[^|]+\|[^|]+\| 85.3 ± 0.1 \|", page)
    first = (tmp_path / "out" / "language-table-1-cub200.md").read_text(encoding="utf-8")
    assert re.search(r"\n\| ResNet50-512 S2SD\+PLG \|.*\| 71\.4", first)


def test_log_ratio(data: Path, tmp_path: Path, clip: str, run: Run) -> None:
    status, printed, errors = run("papers", *line(data, tmp_path / "out", clip, LABELS, ["log-ratio"]))
    assert status == 0, errors
    assert "4 of 4 tasks are finished" in printed
    check_pages(tmp_path / "out", ["log-ratio"])
    assert len(pd.read_csv(tmp_path / "out" / "log-ratio-table-1-coco-captions.csv")) == 8  # decoders, features, stages


def test_oodml(data: Path, tmp_path: Path, clip: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "read_study", cut(1, ("start", "removal 66")))
    for name in ("cub200", "online-products"):
        monkeypatch.setitem(shift_splits.BUILT, name, {"per_step": 2, "count": 2})
    status, printed, errors = run("papers", *line(data, tmp_path / "out", clip, CLASSES, ["oodml"]))
    assert status == 0, errors
    assert "13 of 13 tasks are finished" in printed
    check_pages(tmp_path / "out", ["oodml"])
    assert "Gained by few shots" in (tmp_path / "out" / "oodml-few-shot-cub200.md").read_text(encoding="utf-8")
    assert "| removal 66 | 123.03 |" in (tmp_path / "out" / "oodml-figure-1-cars196.md").read_text(encoding="utf-8")


FAST = ["indirect-table-1-cub200", "indirect-table-1-cars196"]


def test_what_lacks_is_said_with_its_place_and_skipped(data: Path, tmp_path: Path, clip: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cub200").symlink_to(data / "cub200")
    words = line(tmp_path / "data", tmp_path / "out", clip, {}, FAST)
    status, printed, errors = run("papers", *words)
    assert status == 0
    assert "1 of 2 tasks are finished" in printed
    assert "skipped indirect-table-1-cars196: cars196 is not in" in errors
    assert "cars196: Cars196, published at https://ai.stanford.edu/~jkrause/cars/car_dataset.html" in errors
    page = (tmp_path / "out" / "indirect-table-1-cub200.md").read_text(encoding="utf-8")
    assert "| CUB200 bird species | 56 | 14 | 100 | 100 | 100 |" in page
    status, printed, _ = run("papers", *words, "--list", "--format", "csv")
    assert "indirect,Figure 1 and Table 1,indirect-table-1-cub200,cub200,finished\n" in printed
    assert "indirect,Figure 1 and Table 1,indirect-table-1-cars196,cars196,lacks cars196\n" in printed

    def again(*_: object) -> None:
        pytest.fail("a finished task runs again")

    monkeypatch.setattr(command, "run_task", again)
    assert run("papers", *words)[0] == 0


def test_all_are_listed_without_any_data(tmp_path: Path, run: Run) -> None:
    status, printed, _ = run("papers", str(tmp_path), "--list", "--format", "csv")
    assert status == 0
    assert printed.count("\n") == 1 + sum(len(task.headings) for task in TASKS) + len(HERE)
    assert "can run" not in printed
    assert "python benchmarks/indirect_fit.py" in printed


def test_a_task_that_fails_ends_with_status_1_after_all_others_and_is_tried_again(data: Path, tmp_path: Path, clip: str, run: Run) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cub200").symlink_to(data / "cub200")
    (tmp_path / "data" / "cars196").mkdir()
    words = line(tmp_path / "data", tmp_path / "out", clip, {}, [*FAST])
    status, printed, errors = run("papers", *words)
    assert (status, "1 of 2 tasks are finished" in printed) == (1, True)
    assert "indirect-table-1-cars196 failed: There is no Cars196 in " in errors
    (tmp_path / "data" / "cars196").rmdir()
    (tmp_path / "data" / "cars196").symlink_to(data / "cars196")
    status, printed, _ = run("papers", *words)
    assert (status, "2 of 2 tasks are finished" in printed) == (0, True)


def test_runs_that_fail_or_lack_a_file_leave_the_others_and_are_tried_again(data: Path, tmp_path: Path, clip: str, run: Run) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "cub200").symlink_to(data / "cub200")
    monkey = pytest.MonkeyPatch()
    monkey.setattr(studies, "read_study", lambda name: _of_rows(read_study(name), ("Baseline", "+BERT", "+FastText")))
    words, page = (
        line(tmp_path / "data", tmp_path / "out", clip, CLASSES, ["language-table-3-cub200"]),
        tmp_path / "out" / "language-table-3-cub200.md",
    )
    try:
        status, _, errors = run("papers", *words)
        assert (status, "1 of 2 runs failed: +BERT, seed 0" in errors) == (1, True), errors
        text = page.read_text(encoding="utf-8")
        assert "Left out: +FastText, for want of fasttext.vec." in text
        assert "\n| Baseline |" in text
        shutil.copytree(data / "bert-base-uncased", tmp_path / "data" / "bert-base-uncased")
        shutil.copyfile(data / "fasttext.vec", tmp_path / "data" / "fasttext.vec")
        before = next((tmp_path / "out" / "runs").rglob("baseline-0/report.json")).stat().st_mtime_ns
        assert run("papers", *words)[0] == 0
        assert next((tmp_path / "out" / "runs").rglob("baseline-0/report.json")).stat().st_mtime_ns == before
        assert "Left out: " not in page.read_text(encoding="utf-8")
    finally:
        monkey.undo()


def _of_rows(study: StudyConfig, rows: Sequence[str]) -> StudyConfig:
    return study.model_copy(update={"rows": {row: study.rows[row] for row in rows}})


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "There is no folder 'nowhere'; pass one with a subfolder for each dataset"),
        (["--only", "resnet"], "There is no paper or task 'resnet'; choose from indirect, language-guidance, log-ratio, oodml"),
        (["-e", "nonsense"], "The encoder 'nonsense' has no known form"),
        (["-e", "local-dir:nowhere", "--only", FAST[0]], "nowhere"),
        (["-e", "none.safetensors"], "The weight file 'none.safetensors' is not there; pass a .safetensors file of ViT-B/32"),
        (["-e", "old.pt"], "The weight file 'old.pt' is no .safetensors file"),
        (["--set", "seed=3"], "'seed' cannot be set"),
        (["--set", "guidance.omeega=3"], "'guidance.omeega' cannot be set"),
    ],
)
def test_what_is_wrong_is_refused_before_any_work(
    words: list[str], said: str, data: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.pt").write_bytes(b"")
    status, _, errors = run("papers", *([] if words == ["nowhere"] else [str(data)]), *words)
    assert (status, said in " ".join(errors.split())) == (2, True), errors
    assert not list(tmp_path.rglob("*.md"))


def test_results_of_other_settings_are_not_mixed(data: Path, tmp_path: Path, clip: str, run: Run) -> None:
    words = line(data, tmp_path / "out", clip, {}, FAST[:1])
    assert run("papers", *words)[0] == 0
    status, _, errors = run("papers", *line(data, tmp_path / "out", clip, {}, FAST), "--set", "epochs=2")
    assert (status, "has results with changes {}, not {'epochs': 2}; pass another folder by --out." in errors) == (2, True)


def test_a_weight_file_is_an_encoder(tmp_path: Path, clip: str) -> None:
    folder = Path(clip.removeprefix("local-dir:"))
    assert command.clip_name(str(folder / "open_clip_model.safetensors"), tmp_path) == clip
    (tmp_path / "mine.safetensors").write_bytes(b"weights")
    name = command.clip_name(str(tmp_path / "mine.safetensors"), tmp_path / "out")
    assert name == f"local-dir:{tmp_path / 'out' / 'clip'}"
    assert (tmp_path / "out" / "clip" / "open_clip_model.safetensors").read_bytes() == b"weights"
    assert '"quick_gelu": true' in (tmp_path / "out" / "clip" / "open_clip_config.json").read_text()
