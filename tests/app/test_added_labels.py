"""Images without labels: colored by aspects, labeled by them, and what each page says of it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from likeness.data import SHIPPED_CARS, DatasetEntry, ImageTable, add_dataset, new_entry, read_cars
from likeness.errors import InputError
from likeness.io import parse_yaml, runs_dir
from likeness.notion_trust import Trust
from likeness.notions import Notion, get_notion, save_notion
from likeness.samplers import MPerClassBatches
from likeness.training import RunConfig, config_from, run_images
from parts import cached, maps
from parts.sidebar import ASPECTS
from server import added_labels
from worlds import ADA, BEN, copy_cars, dataset, draw_noise, serve, visit

COLORS = Notion("two colors", "a {} car", ("red", "blue"))
ADDED = "car_color_by_encoder"


@pytest.fixture
def photos(tmp_path: Path) -> DatasetEntry:
    """A dataset of 40 images and no label."""
    return dataset(copy_cars(tmp_path / "photos", range(40)))


@pytest.fixture
def noise(tmp_path: Path) -> DatasetEntry:
    """Forty images of noise for the encoder of photos."""
    return dataset(draw_noise(tmp_path / "noise", 40), "photos")


COLOR = f"{ASPECTS}setting"


def _open(app: Page, entry: DatasetEntry, page: str = "explore") -> Page:
    app.open(page, dataset=entry.name)
    assert app.session_state["view"].entry.id == entry.id
    return app


def _color(app: Page) -> str | None:
    color: str | None = app.session_state["view"].color
    return color


def _config(app: Page) -> RunConfig:
    return config_from(parse_yaml(app.at("train_typed").value, "It"))


def test_a_notion_colors_photos_without_labels_by_its_aspects(app: Page, photos: DatasetEntry, cache: Path) -> None:
    assert _color(_open(app, photos)) is None  # the starters are not for an encoder of cars
    view = app.set("a", "car color").session_state["view"]
    assert view.color == f"{ASPECTS}car color"
    assert view.frame[view.color].tolist() == view.base.best_aspects(get_notion("car color")).tolist()
    assert set(view.base.table.attributes) == set()
    app.says("guess, not a label", "The encoder reads this notion").hides("green", "check")  # marks of what is right are for labels
    save_notion(COLORS, folder=cache / "notions")  # for images of any kind: it comes before those for others, at once
    app = _open(app.fresh("layout"), photos)
    assert _color(app) == f"{ASPECTS}two colors"
    assert app.open("train").at("label_by").value == "two colors"
    app.session_state["saliency_samples"] = 2
    app.session_state["rows"] = np.array([3])
    assert app.open("saliency").wait("saliency").at("looked_at").value[0] == "two colors"


def test_photos_are_colored_by_the_starter_that_divides_them_and_by_another_at_a_click(
    app: Page, noise: DatasetEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    trust, draw = cached.trust, maps.draw
    app.session_state["color"] = COLOR
    with monkeypatch.context() as patch:
        patch.setattr(cached, "trust", lambda *given: (events.append("trust"), trust(*given))[1])
        patch.setattr(maps, "draw", lambda *given, **options: (events.append("map"), draw(*given, **options))[1])
        _open(app, noise)
        starters = [button.key for button in app.button if str(button.key).startswith("color_by_")]
        assert events == ["map", *["trust"] * (len(starters) + 1)]  # the maps do not wait for what can be relied on
        events.clear()
        app.run()
        assert events == ["map", *["trust"] * (len(starters) + 1)]
    assert _color(app.click("color_by_activity")) == f"{ASPECTS}activity"
    verdict = cached.trust(app.session_state["view"].base, get_notion("activity"))
    assert not verdict.reads
    app.says(verdict.sentence, "Not reliable in these images: ")
    other = app.fresh("layout")
    assert _color(_open(other, noise)) is None  # nothing is in them that words could tell apart
    assert "car color" not in other.at("a").options


def test_where_all_can_be_relied_on_a_line_says_so(app: Page, noise: DatasetEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cached, "notion_trust", lambda space, notion: Trust(0.9, 0.99, 0.9, True))
    app.session_state["color"] = COLOR
    _open(app, noise).says("can tell all of these apart")


@pytest.mark.parametrize(("warning", "color"), [("", f"{ASPECTS}indoors or outdoors"), ("It hardly tells them apart.", None)])
def test_what_divides_the_photos_is_chosen_unless_the_encoder_hardly_sees_them(
    app: Page, noise: DatasetEntry, monkeypatch: pytest.MonkeyPatch, warning: str, color: str | None
) -> None:
    monkeypatch.setattr("parts.cached.most_dividing", lambda space, notions: notions[1])
    cached.first_starter.clear()
    add_dataset(replace(noise, warning=warning))
    assert _color(_open(app, noise)) == color
    if color:  # labels are offered by the notion that colors the images
        assert f"{ASPECTS}{app.open('train').at('label_by').value}" == color
    cached.first_starter.clear()


def test_they_are_an_attribute_on_every_page(app: Page, photos: DatasetEntry) -> None:
    _open(app, photos)
    for page in ("train", "shifts", "semantics"):  # no page is empty without labels
        assert app.open(page).has("label_images")
    app.set("label_by", "car color").click("label_images")
    table = app.session_state["view"].base.table
    assert table.attributes == [ADDED]
    assert table.frame[ADDED].tolist() == app.session_state["view"].base.best_aspects(get_notion("car color")).tolist()
    for page in ("semantics", "shifts", "explore", "methods"):
        app.open(page).begin_work("splits").says("Use your own labels to evaluate it" if page != "methods" else "it would judge its own guesses")
    assert app.open("shifts").at("shift_classes").value == [ADDED]
    assert _color(app.open("explore")) == ADDED
    assert app.click("remove_labels").session_state["view"].base.table.attributes == []


def test_what_was_added_is_found_by_its_path_under_a_name_that_is_never_given_twice(photos: DatasetEntry, tmp_path: Path) -> None:
    table = ImageTable("Photos", tmp_path, pd.DataFrame({"path": ["a.png", 'b,"c.png']}))
    first = added_labels.add(photos, table, COLORS, ["red", "NA"])
    later = ImageTable("Photos", tmp_path, pd.DataFrame({"path": ['b,"c.png', "new.png", "a.png"]}))
    found = added_labels.attach(photos, later).frame["two_colors_by_encoder"]
    assert found.iloc[[0, 2]].tolist() == ["NA", "red"]
    assert pd.isna(found.iloc[1])
    added_labels.remove(photos, first)
    assert added_labels.names(photos) == []
    second = added_labels.add(photos, table, COLORS, ["blue", "red"])
    assert (first, second) == ("two_colors_by_encoder", "two_colors_by_encoder_2")
    assert added_labels.made_by_encoder([first, second, "by_encoder_a", "color"]) == [first, second]


def test_those_of_an_upload_go_with_it_and_nobody_labels_what_is_everyones(monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.data import absolute_source, read_dataset, save_uploads
    from server import visitor_data
    from server.access import owner_of, resolve_entry, shared_name, upload_limits
    from server.settings import UPLOADS
    from server.visitors import own_dir

    serve(monkeypatch, shared=True)
    visit(monkeypatch)
    with pytest.raises(InputError, match="Everyone on this server sees these images"):
        added_labels.add(SHIPPED_CARS, read_cars(), COLORS, ["red"] * 2000)
    root = save_uploads([("a.webp", read_cars().paths()[0].read_bytes())], "mine", own_dir() / UPLOADS, upload_limits()).root
    source = shared_name(absolute_source(str(root)))
    entry = new_entry("mine", source, "cars", owner=owner_of(source))
    add_dataset(entry)
    added_labels.add(entry, read_dataset(resolve_entry(entry)), COLORS, ["red"])
    assert len(list((own_dir() / "labels").rglob("*.csv"))) == 1
    visit(monkeypatch, BEN)
    with pytest.raises(InputError, match="These images are someone else's"):
        added_labels.remove(entry, "two_colors_by_encoder")
    visitor_data.remove_upload(entry, "a test")
    assert not list((own_dir().parent / ADA / "labels").rglob("*.csv"))


def test_training_opens_on_the_chosen_images_and_learns_from_their_labels_or_from_labels_by_aspects(
    app: Page, photos: DatasetEntry, tmp_path: Path, monkeypatch: Any
) -> None:
    begun: list[RunConfig] = []
    monkeypatch.setattr("likeness.training.start_run", lambda run, config=None: begun.append(config))
    (runs_dir() / "photos").mkdir(parents=True)
    config = _config(_open(app, photos).open("train").hides("has no attribute"))
    assert (config.data.source, config.name) == (photos.source, "photos-2")  # a name that is free
    classes = app.at("train_field_data.attribute")
    assert (classes.value, classes.disabled, classes.placeholder) == ([], True, "No labels yet")
    assert app.at("train_start").disabled
    app.set("label_by", "car color").click("label_images").says("Use your own labels to evaluate it").click("train_start")
    (config,) = begun
    assert config.data.attribute == ADDED
    images = run_images(config.data, config.seed)  # as the run's process reads them, without the app
    assert set(images.names) == set(app.session_state["view"].base.table.frame[ADDED])
    MPerClassBatches(images.labels[images.train], config.batch.size, config.batch.per_class)  # its batches can be filled
    entry = dataset(copy_cars(tmp_path / "birds", range(20), ("owl", "crow")), "photos")
    config = _config(_open(app.fresh("layout"), entry).open("train"))
    assert (config.data.source, config.data.attribute, config.data.split) == (entry.source, "class", "classes")
    assert (config.backbone.name, config.backbone.weights, config.data.image_size) == (
        "photos",
        "pretrained",
        224,
    )  # what embedded them is begun from
