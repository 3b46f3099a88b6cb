"""The page Train without a browser: fields and text that say the same, what is refused, what a start begins, what the preview tells."""

import os
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import streamlit as st
import yaml

from app_page import Page
from likeness import training
from likeness.errors import InputError
from likeness.language import class_similarities, imagenet_names
from likeness.progress import Progress
from likeness.training.config import RunConfig, as_yaml, config_from, presets, read_config, with_changes
from likeness.training.data.run_images import RunImages, run_images
from likeness.training.guidance.guidance import pseudolabels
from likeness.training.runs.run_folder import RunFolder, Status
from server.jobs import jobs
from worlds import dataset, draw, make_run

FIELD = "train_field_"


@pytest.fixture
def page(app: Page) -> Page:
    return app.open("train")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def photos(tmp_path: Path) -> str:
    """Four classes of three images each, in the catalog as Photos."""
    return dataset(draw(tmp_path / "photos", 12, ("ant", "bee", "cow", "dog"))).source


def _text(app: Page) -> str:
    return str(app.at("train_typed").value)


def _config(app: Page) -> RunConfig:
    return config_from(yaml.safe_load(_text(app)))


def _check_refused(app: Page, *said: str) -> None:
    warned = "\n".join(app.warnings)
    assert all(each in warned for each in said), warned
    assert app.at("train_start").disabled


def _check_ready(app: Page) -> None:
    assert (app.warnings, app.at("train_start").disabled) == ([], False)


def _change(app: Page, changes: dict[str, Any]) -> Page:
    return app.set("train_typed", as_yaml(with_changes(_config(app), changes)))


def _field(app: Page, place: str) -> Any:
    return app.at(FIELD + place)


def _set(app: Page, place: str, value: Any) -> Page:
    field = _field(app, place)
    if field.type == "selectbox" and field.proto.accept_new_options:
        field.options.append(field.format_func(value))  # as typed
    field.set_value(value).run()
    return app


# What the text has after a field got this value, where it is more than the value at the field's own place.
FIELDS: list[tuple[str, Any, dict[str, Any] | None]] = [
    ("data.train_classes", 0.7, None),
    ("data.attribute", ["body_type"], {"data.attribute": "body_type", "batch.per_class": 24}),
    ("data.attribute", ["car_color", "background_color"], None),
    ("backbone.name", "vit_small_patch16_224", {"backbone.name": "vit_small_patch16_224", "data.image_size": 224}),
    ("backbone.name", "no_such_network", None),
    ("backbone.name", "clip:cars", {"backbone.name": "clip:cars", "data.image_size": 96}),
    ("backbone.head_only", False, None),
    ("objective.name", "margin", None),
    ("objective.s2sd", True, {"objective.s2sd": {}}),
    ("objective.s2sd", False, {"objective.s2sd": None}),
    ("guidance.gamma", 0.0, None),
    ("guidance.language", ["minilm", "bert"], None),
    ("guidance.primer", "A drawing of a {}", None),
    ("batch.size", 48, None),
    ("optimizer.rate", 0.01, None),
]


def test_the_preset_that_needs_nothing_is_open_and_a_field_is_written_into_the_text_and_nothing_else_is(page: Page) -> None:
    assert _config(page) == read_config("shipped-cars-elg")
    assert (page.at("train_field_name").value, page.at("train_start").disabled) == ("shipped-cars-elg", False)
    assert _field(page, "data.attribute").value == ["car_color", "body_type"]
    page.says(read_config("shipped-cars-elg").note)
    for place, value, written in FIELDS:
        before = _config(page)
        _set(page, place, value)
        assert _config(page) == with_changes(before, written or {place: value})
        assert _field(page, place).value == value
        assert all("is the only one of its class" in each for each in page.warnings)


UNFIT = {
    "name: a\n  b: c": "not valid YAML near line 2",
    "name: \x07": "not valid YAML",
    "name: 2024-13-45": "not valid YAML",
    "# nothing\n": "is empty",
    "- name: a": "mapping of keys",
    "guidance: {omga: 3}": "'guidance.omga'",
    "1: 2": "Keys should be strings",
    "objective: {name: my-own}": "There is no objective 'my-own'",
}


def test_the_text_is_shown_in_the_fields_also_that_of_a_preset_and_what_does_not_fit_is_told_and_kept(page: Page) -> None:
    def opened() -> list[bool]:
        return [each.proto.expanded for each in page.expander if each.label == "All settings as text"]

    assert opened() == [False]
    for text, said in UNFIT.items():
        _check_refused(page.set("train_typed", text), said)
        assert (_text(page), page.has(f"{FIELD}epochs"), opened()) == (text, False, [True])
    _check_ready(page.set("train_typed", as_yaml(read_config("shipped-cars-elg"))))
    typed = {"data.attribute": "body_type", "data.train_classes": 0.6, "backbone.name": "vit_tiny_patch16_224", "objective.name": "proxyanchor"}
    _change(page, typed | {"name": "typed", "objective.s2sd": {}, "guidance.primer": "This is {}", "epochs": 11})
    assert page.at("train_field_name").value == "typed"
    shown = [_field(page, place).value for place in (*typed, "epochs", "objective.s2sd", "guidance.primer")]
    assert shown == [["body_type"], 0.6, "vit_tiny_patch16_224", "proxyanchor", 11, True, "This is {}"]
    _change(page, {"backbone.weights": "none", "backbone.options": {"num_classes": 3}})
    _set(page, "backbone.name", "resnet18")  # another backbone forgets the weights and options of the one before
    assert (_config(page).backbone.weights, _config(page).backbone.options) == ("pretrained", {})
    for preset in [name for name in presets() if name.endswith(("-plg", "shipped-cars-elg"))]:
        config = read_config(preset)
        assert _config(page.set("train_preset", preset).says(config.note)) == config
        assert [_field(page, place).value for place in ("objective.name", "optimizer.rate")] == [config.objective.name, config.optimizer.rate]


def _guidance(page: Page, kind: str) -> Any:
    return _config(page.set(f"{FIELD}guidance", kind)).guidance


def test_guidance_is_none_class_names_or_pseudolabels_and_what_must_not_be_empty_stays(page: Page) -> None:
    before = _config(page)
    for place, value in (("data.attribute", []), ("guidance", None), ("guidance.language", []), ("batch.size", 97)):
        _set(page, place, value)
        assert _config(page) == before
        assert _field(page, place).value not in (value, [])
    assert "size 97 is not a multiple of per_class 4" in page.warnings[0]
    assert not page.at("train_start").disabled
    _check_ready(_set(page, "batch.size", 100))
    assert _config(page).batch.size == 100
    assert _guidance(page, "None") is None
    assert not page.has(f"{FIELD}guidance.omega")
    chosen = _guidance(page, "Class names")
    assert (chosen.kind, chosen.omega, chosen.language) == ("elg", 5.0, ("minilm",))
    assert not page.has(f"{FIELD}guidance.k")
    _set(page, "guidance.omega", 2.0)
    _guidance(page, "Pseudolabels")
    chosen = _config(_set(page, "guidance.k", 3)).guidance
    assert chosen is not None
    assert (chosen.kind, chosen.omega, chosen.k) == ("plg", 2.0, 3)


def test_labels_on_a_scale_take_the_place_of_classes_and_give_it_back(page: Page) -> None:
    numbers = _field(page, "data.labels").options[1]
    config = _config(page.set(f"{FIELD}data.labels", numbers))
    assert config.data.labels is not None
    assert (config.data.labels.kind, config.data.labels.columns) == ("angles", ("yaw", "elevation"))
    assert (config.data.split, config.objective.name, config.guidance, config.augment) == ("images", "log-ratio", None, "jitter")
    assert (config.batch.anchors, config.batch.drawn) == ("all", 16)
    assert not page.has(f"{FIELD}data.attribute") | page.has(f"{FIELD}batch.per_class")
    assert not page.says("1,500 images", "Of the 500", "100 are queries").warning
    _set(page, "objective.name", "dense-triplet")
    config = _config(_set(page, "data.test_images", 0.4))
    assert (config.objective.name, config.data.test_images) == ("dense-triplet", 0.4)
    config = _config(page.set(f"{FIELD}data.labels", "Classes"))
    assert (config.data.labels, config.data.split, config.objective.name, config.augment) == (None, "classes", "multisimilarity", True)
    assert page.has(f"{FIELD}data.attribute")


def test_captions_train_both_sides_of_a_clip(page: Page, tmp_path: Path) -> None:
    photos = draw(tmp_path / "photos", 12, ("ant", "bee", "cow", "dog"))
    files = sorted(photos.rglob("*.png"))
    rows = [{"path": str(file.relative_to(tmp_path)), "class": file.parent.name, "caption": f"number {place}"} for place, file in enumerate(files)]
    pd.DataFrame(rows).to_csv(tmp_path / "captions.csv", index=False)
    _change(page, {"data.source": dataset(tmp_path / "captions.csv").source, "data.attribute": "class", "batch.size": 4, "batch.per_class": 2})
    assert "Captions" in _field(page, "data.labels").options
    config = _config(page.set(f"{FIELD}data.labels", "Captions"))
    assert (config.objective.name, config.data.split, config.guidance) == ("image-text", "images", None)
    assert (config.backbone.name, config.backbone.text, config.backbone.dim, config.data.image_size) == ("clip:cars", "train", None, 96)
    assert (config.optimizer.clip, config.note) == (1, "")
    _check_ready(page.says("9 images with their captions for training, 3 for testing"))
    assert not page.has(f"{FIELD}backbone.head_only") | page.has(f"{FIELD}batch.per_class") | page.has(f"{FIELD}guidance")
    assert _config(_set(page, "backbone.text", True)).backbone.text == "keep"
    assert _config(_set(page, "objective.name", "image-text-sigmoid")).objective.name == "image-text-sigmoid"
    config = _config(page.set(f"{FIELD}data.labels", "Classes"))
    assert (config.objective.name, config.data.split, config.backbone.text) == ("multisimilarity", "classes", None)
    assert config.optimizer.clip is None
    assert page.has(f"{FIELD}data.attribute")


UNUSUAL: dict[str, list[dict[str, Any]]] = {
    "Classes": [
        {"epochs": 200_000, "optimizer.rate": 20, "seed": 2**32 - 1, "data.train_classes": 0.97},
        {"batch": {"size": 10_000, "per_class": 1000}, "optimizer.rate": 1e-10, "data.train_classes": 0.333},
        {"data.attribute": ["shelf"]},
        {"data.attribute": []},
        {"data.source": ""},
        {"data.source": "/no/such/folder", "data.split": "official"},
    ],
    "Class names": [
        {"guidance.omega": 5000, "guidance.gamma": -7, "guidance.primer": "no place for the name"},
        {"guidance.language": []},
        {"guidance.language": ["transformers:no-such-model"], "guidance.names": "shelf"},
    ],
    "Pseudolabels": [{"backbone.name": ""}, {"guidance.method": "devise"}, {"guidance.stop_gradient": False}, {"guidance": None}],
}


@pytest.mark.parametrize("tab", UNUSUAL)
def test_what_the_text_allows_the_fields_show_and_leave_as_it_is(page: Page, tab: str) -> None:
    page.session_state["train_tabs"] = tab
    begin = _config(page)
    for changes in UNUSUAL[tab]:
        expected = with_changes(begin, changes)
        page.set("train_typed", as_yaml(expected))
        assert not page.error
        for place, value in changes.items():
            if place != "guidance" and page.has(FIELD + place):
                assert _field(page, place).value == value
        _set(page, "backbone.dim", 32)
        assert _config(page) == with_changes(expected, {"backbone.dim": 32})
    expected = with_changes(begin, {"epochs": 2**60, "guidance.gamma": float("inf")})  # beyond what a field of numbers holds
    page.set("train_typed", as_yaml(expected))
    assert [each.value for each in page.text_input if each.label in ("Shift (gamma)", "Epochs")] == [str(2**60), "inf"]
    assert _config(_set(page, "seed", 2)) == with_changes(expected, {"seed": 2})


def test_a_run_that_could_not_begin_is_refused_with_the_reason(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = dataset(draw(tmp_path / "few", 8, ("ant", "bee"))).source
    _check_refused(_set(page.run(), "data.source", few), "has 2 classes", "two of each are needed")
    assert not page.dataframe
    _check_ready(_set(page, "data.source", "cars"))
    with monkeypatch.context() as patch:
        patch.setattr("likeness.training.data.pixels.free_bytes", lambda folder: 1_000)
        _check_refused(page.run(), "2,000 images of", "are free", "lower data.image_size")
    _check_ready(page.run())
    bare = dataset(draw(tmp_path / "bare", 4))
    unlabeled = page.fresh("layout").visit(open=bare.id).open("train")
    assert unlabeled.says("on the page Label", "one folder per class").at("train_start").disabled


def test_runs_under_way_have_cards_with_a_link_to_their_curves(page: Page, runs: Path) -> None:
    make_run(runs / "going", Status("running", 1, 4, pid=os.getpid()))
    make_run(runs / "done", Status("finished", 4, 4))
    page.run().says("**going**  :material/play_circle: Running  :gray[1 of 4 steps").hides("**done**")
    assert [link.proto.query_string for link in page.links] == ["watch=going"]


def test_a_name_makes_a_folder_that_is_free(page: Page, runs: Path) -> None:
    for name in ("cars", "cars-2", "shipped-cars-elg"):
        RunFolder(runs / name).create(_config(page))
    for name in ("a/b", "a\\b", ".hidden", "..", "n" * 300):
        _check_refused(page.set("train_field_name", name), "Enter a name")
        assert _config(page).name == name
    _check_refused(page.set("train_field_name", "cars"), "such as cars-3")
    _check_ready(page.set("train_field_name", "cars-3"))
    _check_ready(page.set("train_preset", "shipped-cars-elg"))
    assert _config(page).name == "shipped-cars-elg-2"
    page.set("train_field_name", "  ")
    assert _config(page).name == page.at("train_field_name").value == "run"
    _check_refused(_change(page, {"name": ""}), "Enter a name")


def test_a_run_can_be_begun_from_and_keeps_its_settings(page: Page, runs: Path) -> None:
    before, run = _config(page), RunFolder(runs / "mine")
    config = with_changes(before, {"name": "mine", "epochs": 3})
    run.create(config)
    assert "Run mine" not in page.run().at("train_preset").options  # it has no weights
    run.best.write_bytes(b"")
    (run.path / "config.yaml").write_text("epoch: 3")
    page.run().at("train_preset").select("run mine").run()
    (warning,) = page.warnings
    assert "mine" in warning
    assert "'epoch'" in warning
    assert _config(page) == before
    (run.path / "config.yaml").write_text(as_yaml(config))
    page.set("train_preset", "shipped-cars-elg").set("train_preset", "run mine")
    assert _config(page) == with_changes(config, {"name": "mine-2"})


def test_an_edit_outlives_a_reload_and_a_visit_to_another_page(page: Page, cache: Path) -> None:
    assert "config" not in page.query_params
    edited = with_changes(read_config("shipped-cars-elg"), {"epochs": 12})
    _set(page, "epochs", 12).open("runs").open("train")
    assert _config(page) == edited
    again = page.fresh().open("train")
    assert _config(again) == edited
    again.set("train_typed", "epochs: [")
    assert _text(again.fresh().open("train")) == "epochs: ["
    (cache / "outside.yaml").write_text(as_yaml(edited))
    for token in ("../outside", "", "a" * 400):  # a link to a config that is not here begins with the preset
        assert _config(page.fresh().open("train", config=token)) == read_config("shipped-cars-elg")


def test_start_begins_the_run_that_is_shown_unless_that_fails(page: Page, runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[tuple[Path, RunConfig | None]] = []

    def begin(run: RunFolder, config: RunConfig | None = None) -> int:
        if not runs.parent.joinpath("room").exists():
            raise InputError(f"The folder '{run.name}' cannot be written; make room.")
        begun.append((run.path, config))
        run.create(config or run.config())
        run.report_status(Status("running", 0, 0, "Starting", os.getpid()))
        return os.getpid()

    with monkeypatch.context() as patch:
        patch.setattr(training, "start_run", begin)
        page.click("train_start")
        assert page.toasts == ["The folder 'shipped-cars-elg' cannot be written; make room."]
        runs.parent.joinpath("room").touch()
        _set(page, "epochs", 2)
        shown = _config(page.set("train_field_name", "first try"))
        page.click("train_start").says("**first try**  :material/play_circle: Running")
    assert begun == [(runs / "first try", shown)]
    assert (page.at("train_start").disabled, page.warnings) == (True, [])
    page.click("act_first try")
    assert RunFolder(runs / "first try").stop_requested()
    assert not page.set("train_field_name", "second try").at("train_start").disabled
    shutil.rmtree(runs)
    runs.write_text("a file where the folder of runs should be")
    assert "cannot be written" in page.run().click("train_start").toasts[0]


def test_the_preview_counts_classes_and_images_and_language_says_which_are_most_alike(page: Page) -> None:
    frame = page.dataframe[0].value
    assert frame["Part"].value_counts().to_dict() == {"trains": 51, "tests": 51}
    assert frame["Images"].sum() == 2000
    trained = int(frame.loc[frame["Part"] == "trains", "Images"].sum())
    page.says(f"{trained:,} images of 51 classes", f"{2000 - trained:,} of 51 other classes")
    page.says(f"{trained // 96} steps of 96 images: 24 classes with 4")
    assert frame["picture 0"].str.startswith("./thumbnails/cars/").all()
    _change(page, {"data.validation": 0.2}).says("of 10 classes for validation, ")
    assert page.dataframe[0].value["Part"].value_counts().to_dict() == {"trains": 41, "validates": 10, "tests": 51}
    _change(page, {"data.attribute": "shelf"}).says("no attribute 'shelf'; it has")
    page.session_state["train_tabs"] = "Class names"
    _change(page, {"data.attribute": "body_type", "data.validation": 0})
    assert len(page.charts) == 1
    names = sorted(page.session_state["view"].frame["body_type"].unique())[:3]
    similarities = class_similarities([name.replace("_", " ") for name in names], ("minilm",), "A photo of a {}")
    near = np.unravel_index(np.triu(similarities, 1).argmax(), similarities.shape)
    page.says(f"Most similar: **{names[near[0]]}** and **{names[near[1]]}** ({np.triu(similarities, 1).max():.3g})")
    _guidance(page, "None")
    assert not page.charts
    page.session_state["train_tabs"] = "Pseudolabels"
    page.run().says("no ImageNet classifier")
    assert not page.has("make_pseudolabels")


def test_the_preview_follows_the_images_until_their_folder_is_gone(photos: str, page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    _set(page, "data.source", photos)
    assert _config(page).data.attribute == "class"
    frame = page.dataframe[0].value
    assert frame["Class"].tolist() == ["ant", "bee", "cow", "dog"]
    assert frame["Part"].tolist() == ["trains", "trains", "tests", "tests"]
    assert frame["Images"].tolist() == [3, 3, 3, 3]
    assert not page.has(f"{FIELD}data.labels")  # without labels on a scale, there are classes alone
    page.session_state["train_tabs"] = "Pseudolabels"
    _set(page, "backbone.name", "resnet18").click("make_pseudolabels").wait("pseudolabels")
    assert "resnet18" in page.errors[0]  # whose weights cannot be had
    assert "Try again" in page.labels
    page.session_state["train_tabs"] = "Classes"
    shutil.rmtree(photos)
    st.cache_resource.clear()
    page.run()
    assert (len(page.error), len(page.dataframe)) == (0, 0)
    assert len(_set(page, "data.source", "cars").dataframe) == 1


@pytest.fixture
def classified(photos: str, page: Page, tmp_path: Path) -> Page:
    """Pseudolabels of Photos, by a small classifier whose weights lie in a file."""
    import timm
    from safetensors.torch import save_file

    save_file(timm.create_model("test_resnet").state_dict(), tmp_path / "classifier.safetensors")
    classifier = {"name": "test_resnet", "weights": str(tmp_path / "classifier.safetensors")}
    _set(page, "data.source", photos)
    _guidance(page, "Pseudolabels")
    _change(page, {"guidance.classifier": classifier, "data.image_size": 32, "guidance.k": 5})
    page.session_state["train_tabs"] = "Pseudolabels"
    page.run()
    return page


def test_pseudolabels_are_shown_for_each_class_that_trains_and_can_be_stopped(classified: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    going, end = threading.Event(), threading.Event()

    def slow(config: RunConfig, images: RunImages, progress: Progress) -> None:
        while not end.wait(0.01):
            progress(1, 10_000, "Computing pseudolabels")
            going.set()

    with monkeypatch.context() as patch:
        patch.setattr(training, "pseudolabels", slow)
        classified.click("make_pseudolabels")
        assert going.wait(600)
        classified.run().press("Stop")
        (job,) = jobs().all("pseudolabels")
        assert job.wait(600)
    assert not classified.run().error
    assert not classified.dataframe
    classified.press("Try again").wait("pseudolabels")
    for k in (5, 1):
        if k == 1:  # as many as asked for
            _change(classified, {"guidance.k": k}).click("make_pseudolabels").wait("pseudolabels")
        labels = pseudolabels(_config(classified), run_images(_config(classified).data, 0))
        assert labels.shape == (2, k)
        frame = classified.dataframe[0].value
        assert frame["Class"].tolist() == ["ant", "bee"]
        assert frame["Pseudolabels"].tolist() == [", ".join(imagenet_names()[each] for each in row) for row in labels]
        assert frame["picture 0"].str.startswith("./thumbnails/").all()
