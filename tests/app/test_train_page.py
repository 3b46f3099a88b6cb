"""The page Train without a browser: fields and text that say the same, what is refused, what a start begins, what the preview tells."""

import os
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image
from streamlit.testing.v1 import AppTest

from background import jobs
from likeness import training
from likeness.data.catalog import add_dataset, new_entry
from likeness.errors import InputError
from likeness.language import class_similarities, imagenet_names
from likeness.progress import Progress
from likeness.training.config import RunConfig, as_yaml, config_from, presets, read_config, with_changes
from likeness.training.data.run_images import RunImages, run_images
from likeness.training.guidance.guidance import pseudolabels
from likeness.training.runs import background as background_runs
from likeness.training.runs.run_folder import RunFolder, Status

Begun = list[tuple[RunFolder, RunConfig | None]]
FIELD = "train_field_"


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/train/page.py").run()


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> Begun:
    """What was asked to begin; nothing trains."""
    asked: Begun = []

    def begin(run: RunFolder, config: RunConfig | None = None) -> int:
        asked.append((run, config))
        run.create(config or run.config())
        run.report_status(Status("running", 0, 0, "Starting", os.getpid()))
        return os.getpid()

    monkeypatch.setattr(training, "start_run", begin)
    return asked


@pytest.fixture
def photos(tmp_path: Path) -> str:
    """Four classes of three images each, in the catalog as Photos."""
    for number, name in enumerate(("ant", "bee", "cow", "dog")):
        (tmp_path / "photos" / name).mkdir(parents=True)
        for image in range(3):
            Image.new("RGB", (24, 24), (60 * number, 80 * image, 90)).save(tmp_path / "photos" / name / f"{image}.png")
    source = str((tmp_path / "photos").resolve())
    add_dataset(new_entry("Photos", source, "cars"))
    return source


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _warnings(app: AppTest) -> str:
    return "\n".join(element.value for element in app.warning)


def _text(app: AppTest) -> str:
    return str(app.text_area(key="train_typed").value)


def _config(app: AppTest) -> RunConfig:
    return config_from(yaml.safe_load(_text(app)))


def _type(app: AppTest, text: str) -> AppTest:
    app.text_area(key="train_typed").set_value(text).run()
    assert not app.exception
    return app


def _change(app: AppTest, changes: dict[str, Any]) -> AppTest:
    return _type(app, as_yaml(with_changes(_config(app), changes)))


def _field(app: AppTest, place: str) -> Any:
    return next(
        each for kind in ("selectbox", "multiselect", "number_input", "slider", "toggle") for each in app.get(kind) if each.key == FIELD + place
    )


def _has_field(app: AppTest, place: str) -> bool:
    return any(each.key == FIELD + place for kind in ("selectbox", "multiselect", "number_input", "slider") for each in app.get(kind))


def _set(app: AppTest, place: str, value: Any) -> AppTest:
    field = _field(app, place)
    if field.type == "selectbox" and field.proto.accept_new_options:
        field.options.append(field.format_func(value))  # as typed
    field.set_value(value).run()
    assert not app.exception
    return app


def _guide(app: AppTest, kind: str) -> AppTest:
    app.segmented_control(key=f"{FIELD}guidance").set_value(kind).run()
    assert not app.exception
    return app


def _start(app: AppTest) -> Any:
    return app.button(key="train_start")


def _open(app: AppTest, tab: str) -> AppTest:
    app.session_state["train_tabs"] = tab
    app.run()
    assert not app.exception
    return app


def test_a_first_visit_shows_the_preset_that_needs_nothing(page: AppTest) -> None:
    assert not page.exception
    assert _config(page) == read_config("shipped-cars-elg")
    assert page.text_input(key="train_name").value == "shipped-cars-elg"
    assert _field(page, "data.attribute").value == ["car_color", "body_type"]
    assert not _start(page).disabled
    assert read_config("shipped-cars-elg").note in _texts(page)


FIELDS: list[tuple[str, Any, dict[str, Any]]] = [
    ("data.train_classes", 0.7, {"data.train_classes": 0.7}),
    ("data.attribute", ["body_type"], {"data.attribute": "body_type", "batch.per_class": 24}),
    ("data.attribute", ["car_color", "background_color"], {"data.attribute": ["car_color", "background_color"]}),
    ("backbone.name", "vit_small_patch16_224", {"backbone.name": "vit_small_patch16_224", "data.image_size": 224}),
    ("backbone.name", "no_such_network", {"backbone.name": "no_such_network"}),
    ("backbone.name", "clip:cars", {"backbone.name": "clip:cars", "data.image_size": 96}),
    ("backbone.dim", 64, {"backbone.dim": 64}),
    ("backbone.head_only", False, {"backbone.head_only": False}),
    ("objective.name", "margin", {"objective.name": "margin"}),
    ("objective.s2sd", True, {"objective.s2sd": {}}),
    ("objective.s2sd", False, {"objective.s2sd": None}),
    ("guidance.omega", 2.5, {"guidance.omega": 2.5}),
    ("guidance.gamma", 0.0, {"guidance.gamma": 0.0}),
    ("guidance.language", ["minilm", "bert"], {"guidance.language": ["minilm", "bert"]}),
    ("guidance.primer", "A drawing of a {}", {"guidance.primer": "A drawing of a {}"}),
    ("epochs", 7, {"epochs": 7}),
    ("batch.size", 48, {"batch.size": 48}),
    ("batch.per_class", 2, {"batch.per_class": 2}),
    ("optimizer.rate", 0.01, {"optimizer.rate": 0.01}),
    ("seed", 3, {"seed": 3}),
]


def test_a_field_is_written_into_the_text_and_nothing_else_is(page: AppTest) -> None:
    for place, value, written in FIELDS:
        before = _config(page)
        _set(page, place, value)
        assert _config(page) == with_changes(before, written)
        assert _field(page, place).value == value
        assert all("is the only one of its class" in each.value for each in page.warning)


def test_the_text_is_shown_in_the_fields(page: AppTest) -> None:
    _change(
        page,
        {
            "name": "typed",
            "data.attribute": "body_type",
            "data.train_classes": 0.6,
            "backbone.name": "vit_tiny_patch16_224",
            "objective.name": "proxyanchor",
            "objective.s2sd": {},
            "guidance.primer": "This is {}",
            "epochs": 11,
        },
    )
    assert page.text_input(key="train_name").value == "typed"
    shown = {place: _field(page, place).value for place in ("data.attribute", "data.train_classes", "backbone.name", "objective.name", "epochs")}
    assert list(shown.values()) == [["body_type"], 0.6, "vit_tiny_patch16_224", "proxyanchor", 11]
    assert _field(page, "objective.s2sd").value is True
    assert _field(page, "guidance.primer").value == "This is {}"


def test_guidance_is_none_class_names_or_pseudolabels(page: AppTest) -> None:
    _guide(page, "None")
    assert _config(page).guidance is None
    assert not _has_field(page, "guidance.omega")
    assert "any two classes count as equally different" in _texts(page)
    _guide(page, "Class names")
    chosen = _config(page).guidance
    assert chosen is not None
    assert (chosen.kind, chosen.omega, chosen.language) == ("elg", 5.0, ("minilm",))
    assert not _has_field(page, "guidance.k")
    _set(page, "guidance.omega", 2.0)
    _guide(page, "Pseudolabels")
    chosen = _config(page).guidance
    assert chosen is not None
    assert (chosen.kind, chosen.omega) == ("plg", 2.0)
    _set(page, "guidance.k", 3)
    chosen = _config(page).guidance
    assert chosen is not None
    assert chosen.k == 3


def _learn_from(app: AppTest, what: str) -> AppTest:
    app.segmented_control(key=f"{FIELD}data.labels").set_value(what).run()
    assert not app.exception
    return app


def test_labels_on_a_scale_take_the_place_of_classes_and_give_it_back(page: AppTest) -> None:
    _learn_from(page, "Places on a scale")
    config = _config(page)
    assert config.data.labels is not None
    assert (config.data.labels.kind, config.data.labels.columns) == ("angles", ("yaw", "elevation"))
    assert (config.data.split, config.objective.name, config.guidance, config.augment) == ("images", "log-ratio", None, "jitter")
    assert (config.batch.anchors, config.batch.drawn) == ("all", 16)
    assert not _has_field(page, "data.attribute")
    assert not _has_field(page, "batch.per_class")
    assert not page.get("warning")
    assert "1,500 images train; of 500 others 100 are queries, which search among the remaining 400" in _texts(page)
    _set(page, "objective.name", "dense-triplet")
    _set(page, "data.test_images", 0.4)
    assert (_config(page).objective.name, _config(page).data.test_images) == ("dense-triplet", 0.4)
    _learn_from(page, "Classes")
    config = _config(page)
    assert (config.data.labels, config.data.split, config.objective.name, config.augment) == (None, "classes", "multisimilarity", True)
    assert _has_field(page, "data.attribute")


def test_images_without_such_labels_offer_classes_alone(photos: str, page: AppTest) -> None:
    _set(page, "data.source", photos)
    assert not any(each.key == f"{FIELD}data.labels" for each in page.segmented_control)


def test_what_must_not_be_empty_stays_as_it_was(page: AppTest) -> None:
    before = _config(page)
    for place in ("data.attribute", "guidance.language"):
        _set(page, place, [])
        assert _config(page) == before
        assert _field(page, place).value


def test_a_batch_that_does_not_fit_is_refused_in_a_sentence(page: AppTest) -> None:
    before = _config(page)
    _set(page, "batch.size", 97)
    assert "size 97 is no multiple of per_class 4" in _warnings(page)
    assert _config(page) == before
    assert _field(page, "batch.size").value == before.batch.size
    assert not _start(page).disabled
    _set(page, "batch.size", 100)
    assert not page.warning
    assert _config(page).batch.size == 100


def test_another_backbone_forgets_the_weights_and_options_of_the_one_before(page: AppTest) -> None:
    _change(page, {"backbone.weights": "none", "backbone.options": {"num_classes": 3}})
    _set(page, "backbone.name", "resnet18")
    assert (_config(page).backbone.weights, _config(page).backbone.options) == ("pretrained", {})


def test_a_preset_is_shown_as_it_is(page: AppTest) -> None:
    for preset in [name for name in presets() if name.endswith(("-plg", "margin", "shipped-cars-elg"))]:
        config = read_config(preset)
        page.selectbox(key="train_preset").select(preset).run()
        assert not page.exception
        assert _config(page) == config
        assert _field(page, "objective.name").value == config.objective.name
        assert _field(page, "optimizer.rate").value == config.optimizer.rate
        assert config.note in _texts(page)


UNFIT = [
    ("name: [", "The text is no YAML near line"),
    ("name: a\n  b: c", "The text is no YAML near line 2"),
    ("name: \x07", "The text is no YAML"),
    ("name: 2024-13-45", "The text is no YAML"),
    ("", "The text is empty, but a config is a mapping of keys such as data"),
    ("# nothing\n", "The text is empty"),
    ("12", "a config is a mapping of keys such as data"),
    ("- name: a", "a config is a mapping of keys such as data"),
    ("epoch: 3", "there is no key 'epoch'"),
    ("guidance: {omga: 3}", "there is no key 'guidance.omga'"),
    ("epochs: many", "epochs is 'many'"),
    ("epochs: -1", "epochs is -1"),
    ("batch: {size: 7, per_class: 2}", "size 7 is no multiple of per_class 2"),
    ("optimizer: {plateau: 3}", "optimizer.plateau needs data.validation above 0"),
    ("1: 2", "Keys should be strings"),
    ("objective: {name: my-own}", "There is no objective 'my-own'; choose from multisimilarity"),
]


def test_a_text_that_does_not_fit_is_told_and_kept(page: AppTest) -> None:
    for text, said in UNFIT:
        _type(page, text)
        assert said in _warnings(page)
        assert _text(page) == text
        assert _start(page).disabled
        assert not _has_field(page, "epochs")
    _type(page, as_yaml(read_config("shipped-cars-elg")))
    assert not page.warning
    assert not _start(page).disabled


UNUSUAL: dict[str, list[dict[str, Any]]] = {
    "Classes": [
        {"epochs": 200_000},
        {"batch": {"size": 10_000, "per_class": 1000}},
        {"optimizer.rate": 20},
        {"optimizer.rate": 1e-10},
        {"seed": 2**32 - 1},
        {"data.train_classes": 0.97},
        {"data.train_classes": 0.01},
        {"data.train_classes": 0.333},
        {"data.attribute": ["shelf"]},
        {"data.attribute": []},
        {"data.attribute": ["car_color", "car_color"]},
        {"data.source": ""},
        {"data.source": "/no/such/folder"},
        {"data.split": "official"},
    ],
    "What language says": [
        {"guidance.omega": 5000},
        {"guidance.gamma": -7},
        {"guidance.language": []},
        {"guidance.language": ["transformers:no-such-model"]},
        {"guidance.language": ["minilm", "minilm"]},
        {"guidance.primer": "no place for the name"},
        {"guidance.method": "devise"},
        {"guidance.names": "shelf"},
    ],
    "Pseudolabels": [{"backbone.name": ""}, {"guidance.method": "devise"}, {"guidance.stop_gradient": False}, {"guidance": None}],
}


@pytest.mark.parametrize("tab", UNUSUAL)
def test_what_the_text_allows_the_fields_show_and_leave_as_it_is(page: AppTest, tab: str) -> None:
    _open(page, tab)
    begin = _config(page)
    for changes in UNUSUAL[tab]:
        expected = with_changes(begin, changes)
        _type(page, as_yaml(expected))
        assert not page.error
        for place, value in changes.items():
            if _has_field(page, place):
                assert _field(page, place).value == value
        _set(page, "backbone.dim", 32)
        assert _config(page) == with_changes(expected, {"backbone.dim": 32})


def test_numbers_beyond_a_field_are_shown_as_they_are(page: AppTest) -> None:
    expected = with_changes(_config(page), {"epochs": 2**60, "guidance.gamma": float("inf")})
    _type(page, as_yaml(expected))
    assert [each.value for each in page.text_input if each.label in ("Shift (gamma)", "Epochs")] == ["inf", str(2**60)]
    _set(page, "seed", 2)
    assert _config(page) == with_changes(expected, {"seed": 2})


def test_a_name_that_makes_no_folder_is_refused(page: AppTest, runs: Path) -> None:
    runs.mkdir()
    for name in ("a/b", "a\\b", ".hidden", "..", "n" * 300):
        page.text_input(key="train_name").set_value(name).run()
        assert not page.exception
        assert "Give the run a name" in _warnings(page)
        assert _start(page).disabled
        assert _config(page).name == name


def test_without_a_name_a_run_is_called_run(page: AppTest) -> None:
    page.text_input(key="train_name").set_value("  ").run()
    assert not page.exception
    assert _config(page).name == page.text_input(key="train_name").value == "run"
    _change(page, {"name": ""})
    assert "Give the run a name" in _warnings(page)
    assert _start(page).disabled


def test_a_name_that_is_taken_is_told_with_a_free_one(page: AppTest, runs: Path) -> None:
    for name in ("cars", "cars-2"):
        RunFolder(runs / name).create(_config(page))
    page.text_input(key="train_name").set_value("cars").run()
    assert "There is already a run named cars. Choose another name, such as cars-3" in _warnings(page)
    assert _start(page).disabled
    page.text_input(key="train_name").set_value("cars-3").run()
    assert not page.warning
    assert not _start(page).disabled


def test_a_preset_whose_name_is_taken_gets_a_free_one(page: AppTest, runs: Path) -> None:
    RunFolder(runs / "shipped-cars-elg").create(_config(page))
    page.selectbox(key="train_preset").select("shipped-cars-elg").run()
    assert not page.exception
    assert _config(page).name == "shipped-cars-elg-2"
    assert not _start(page).disabled


def test_a_run_can_be_begun_from_and_keeps_its_settings(page: AppTest, runs: Path) -> None:
    config = with_changes(_config(page), {"name": "mine", "epochs": 3})
    run = RunFolder(runs / "mine")
    run.create(config)
    page.run()
    assert "Run mine" not in page.selectbox(key="train_preset").options  # it has no weights
    run.best.write_bytes(b"")
    page.run()
    page.selectbox(key="train_preset").select("run mine").run()
    assert not page.exception
    assert _config(page) == with_changes(config, {"name": "mine-2"})


def test_a_run_with_a_damaged_config_is_told_when_begun_from(page: AppTest, runs: Path) -> None:
    run, before = RunFolder(runs / "mine"), _config(page)
    run.create(before)
    run.best.write_bytes(b"")
    (run.path / "config.yaml").write_text("epoch: 3")
    page.run()
    page.selectbox(key="train_preset").select("run mine").run()
    assert not page.exception
    assert "mine" in _warnings(page)
    assert "there is no key 'epoch'" in _warnings(page)
    assert _config(page) == before


def _again(app: AppTest) -> AppTest:
    """The same URL, by someone who has not been here."""
    fresh = AppTest.from_file(app._script_path, default_timeout=600)
    for name, value in app.query_params.items():
        fresh.query_params[name] = value
    return fresh.switch_page("pages/train/page.py").run()


def test_a_reload_keeps_an_edit(page: AppTest) -> None:
    assert "config" not in page.query_params
    _set(page, "epochs", 12)
    again = _again(page)
    assert not again.exception
    assert _config(again) == with_changes(read_config("shipped-cars-elg"), {"epochs": 12})
    _type(again, "epochs: [")
    assert _text(_again(again)) == "epochs: ["


def test_a_link_to_a_config_that_is_not_here_begins_with_the_preset(page: AppTest, cache: Path) -> None:
    _set(page, "epochs", 12)
    (kept,) = (cache / "drafts").iterdir()
    kept.with_name("a.b" + kept.suffix).write_bytes(kept.read_bytes())
    (cache / kept.name).write_bytes(kept.read_bytes())
    for token in ("gone", f"../{kept.stem}", "a.b", "", "a" * 400):
        page.query_params["config"] = token
        again = _again(page)
        assert not again.exception
        assert _config(again) == read_config("shipped-cars-elg")


def test_an_edit_outlives_a_visit_to_another_page(page: AppTest) -> None:
    _set(page, "epochs", 12)
    page.switch_page("pages/runs/page.py").run()
    page.switch_page("pages/train/page.py").run()
    assert _config(page).epochs == 12
    assert "config" in page.query_params


def test_start_begins_the_run_that_is_shown(page: AppTest, begun: Begun, runs: Path) -> None:
    _set(page, "epochs", 2)
    page.text_input(key="train_name").set_value("first try").run()
    shown = _config(page)
    _start(page).click().run()
    assert not page.exception
    assert [(run.path, config) for run, config in begun] == [(runs / "first try", shown)]
    assert "**first try**  :material/play_circle: Running" in _texts(page)
    assert _start(page).disabled
    assert not page.warning
    page.button(key="act_first try").click().run()
    assert RunFolder(runs / "first try").stop_requested()
    page.text_input(key="train_name").set_value("second try").run()
    assert not _start(page).disabled


def test_a_run_is_a_process_of_its_own_that_reads_the_config_from_its_folder(page: AppTest, monkeypatch: pytest.MonkeyPatch, runs: Path) -> None:
    asked: list[list[str]] = []

    class Process:
        pid = os.getpid()

        def __init__(self, command: list[str], **options: object) -> None:
            asked.append(command)

    monkeypatch.setattr(background_runs.subprocess, "Popen", Process)
    monkeypatch.setattr(background_runs, "_started", [])  # else it would be asked about by whoever begins a process later
    _set(page, "epochs", 2)
    shown = _config(page)
    _start(page).click().run()
    assert not page.exception
    folder = runs / "shipped-cars-elg"
    assert asked[0][1:] == ["-P", "-m", "likeness", "train", str(folder / "config.yaml"), "--out", str(folder)]
    assert RunFolder(folder).config() == shown


def test_a_start_that_fails_is_told(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    def begin(run: RunFolder, config: RunConfig | None = None) -> int:
        raise InputError(f"The folder '{run.name}' cannot be written; make room.")

    monkeypatch.setattr(training, "start_run", begin)
    _start(page).click().run()
    assert not page.exception
    assert [toast.value for toast in page.toast] == ["The folder 'shipped-cars-elg' cannot be written; make room."]
    assert not _start(page).disabled


def test_runs_that_cannot_be_written_are_told(page: AppTest, runs: Path) -> None:
    runs.write_text("a file where the folder of runs should be")
    page.run()
    _start(page).click().run()
    assert not page.exception
    assert "cannot be written" in page.toast[0].value


def test_the_preview_counts_classes_and_images(page: AppTest) -> None:
    frame = page.dataframe[0].value
    assert (frame["Part"] == "trains").sum() == (frame["Part"] == "tests").sum() == 51
    assert frame["Images"].sum() == 2000
    trained = int(frame.loc[frame["Part"] == "trains", "Images"].sum())
    assert f"{trained:,} images of 51 classes train; {2000 - trained:,} of 51 other classes test" in _texts(page)
    assert f"{trained // 96} steps of 96 images: 24 classes, 4 images of each" in _texts(page)
    assert frame["picture 0"].str.startswith("./thumbnails/cars/").all()
    _change(page, {"data.validation": 0.2})
    assert "images of 41 classes train, " in _texts(page)
    assert "of 10 classes validate; " in _texts(page)
    assert page.dataframe[0].value["Part"].value_counts().to_dict() == {"trains": 41, "validates": 10, "tests": 51}


def test_the_preview_follows_the_images(photos: str, page: AppTest) -> None:
    _set(page, "data.source", photos)
    assert _config(page).data.attribute == "class"
    frame = page.dataframe[0].value
    assert frame["Class"].tolist() == ["ant", "bee", "cow", "dog"]
    assert frame["Part"].tolist() == ["trains", "trains", "tests", "tests"]
    assert frame["Images"].tolist() == [3, 3, 3, 3]


def test_language_says_which_classes_are_most_alike(page: AppTest) -> None:
    _change(page, {"data.attribute": "body_type"})
    _open(page, "What language says")
    assert len(page.get("plotly_chart")) == 1
    names = sorted(page.session_state["view"].frame["body_type"].unique())[:3]
    similarities = class_similarities([name.replace("_", " ") for name in names], ("minilm",), "A photo of a {}")
    near = np.unravel_index(np.triu(similarities, 1).argmax(), similarities.shape)
    assert f"Most alike: **{names[near[0]]}** and **{names[near[1]]}** ({np.triu(similarities, 1).max():.3g})" in _texts(page)


def test_without_guidance_there_is_nothing_that_language_says(page: AppTest) -> None:
    _guide(page, "None")
    _open(page, "What language says")
    assert not page.get("plotly_chart")
    assert "This run does not use language" in _texts(page)


def test_pseudolabels_need_a_backbone_with_a_classifier(page: AppTest) -> None:
    _open(page, "Pseudolabels")
    assert "This backbone has no ImageNet classifier" in _texts(page)
    assert not [button for button in page.button if button.key == "train_pseudolabels"]


def _finished(app: AppTest) -> AppTest:
    for job in jobs().all("pseudolabels"):
        assert job.wait(600)
    return app.run()


def test_weights_that_cannot_be_had_are_told_and_can_be_tried_again(photos: str, page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    _set(page, "data.source", photos)
    _set(page, "backbone.name", "resnet18")
    _open(page, "Pseudolabels")
    page.button(key="train_pseudolabels").click().run()
    _finished(page)
    assert not page.exception
    assert "resnet18" in page.error[0].value
    assert "Try again" in [button.label for button in page.button]


@pytest.fixture
def classified(photos: str, page: AppTest, tmp_path: Path) -> AppTest:
    """Pseudolabels of Photos, by a small classifier whose weights lie in a file."""
    import timm
    from safetensors.torch import save_file

    save_file(timm.create_model("test_resnet").state_dict(), tmp_path / "classifier.safetensors")
    classifier = {"name": "test_resnet", "weights": str(tmp_path / "classifier.safetensors")}
    _set(page, "data.source", photos)
    _guide(page, "Pseudolabels")
    _change(page, {"guidance.classifier": classifier, "data.image_size": 32})
    return _open(page, "Pseudolabels")


def _show(app: AppTest) -> AppTest:
    app.button(key="train_pseudolabels").click().run()
    assert not app.exception
    return app


def test_pseudolabels_are_shown_for_each_class_that_trains_as_many_as_asked_for(classified: AppTest) -> None:
    for k in (5, 1):
        _change(classified, {"guidance.k": k})
        _finished(_show(classified))
        labels = pseudolabels(_config(classified), run_images(_config(classified).data, 0))
        assert labels.shape == (2, k)
        frame = classified.dataframe[0].value
        assert frame["Class"].tolist() == ["ant", "bee"]
        assert frame["Taken for"].tolist() == [", ".join(imagenet_names()[each] for each in row) for row in labels]
        assert frame["picture"].str.startswith("./thumbnails/").all()


def test_pseudolabels_can_be_stopped_and_asked_for_again(classified: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness import training

    going = threading.Event()

    def slow(config: RunConfig, images: RunImages, progress: Progress) -> None:
        for done in range(10_000):
            progress(done, 10_000, "Computing pseudolabels")
            going.set()
            time.sleep(0.01)

    with monkeypatch.context() as patch:
        patch.setattr(training, "pseudolabels", slow)
        _show(classified)
        assert going.wait(600)
        classified.run()
        next(button for button in classified.button if button.label == "Stop").click().run()
        (job,) = jobs().all("pseudolabels")
        assert job.wait(600)
    classified.run()
    assert not classified.exception
    assert not classified.error
    assert not classified.dataframe
    next(button for button in classified.button if button.label == "Try again").click().run()
    _finished(classified)
    assert len(classified.dataframe[0].value) == 2


def test_a_dataset_whose_folder_is_gone_leaves_the_fields(photos: str, page: AppTest) -> None:
    import streamlit as st

    _set(page, "data.source", photos)
    shutil.rmtree(photos)
    st.cache_resource.clear()
    page.run()
    assert not page.exception
    assert not page.error
    assert "Nothing to show yet" in _texts(page)
    _set(page, "data.source", "cars")
    assert len(page.dataframe) == 1


def test_a_missing_attribute_is_named_with_those_there_are(page: AppTest) -> None:
    _change(page, {"data.attribute": "shelf"})
    assert "Nothing to show yet." in _texts(page)
    assert "has no attribute 'shelf'; it has" in _texts(page)


def test_the_text_is_open_while_it_does_not_fit(page: AppTest) -> None:
    def opened() -> list[bool]:
        return [each.proto.expanded for each in page.expander if each.label == "All settings as text"]

    assert opened() == [False]
    _type(page, "epoch: 3")
    assert opened() == [True]
