"""Images without labels: colored by aspects, labeled by them, and what each page says of it."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import added_labels
from app_page import Page
from background import jobs
from likeness.data import SHIPPED_CARS, DatasetEntry, ImageTable, add_dataset, new_entry, read_cars, remove_dataset
from likeness.errors import InputError
from likeness.io import parse_yaml, runs_dir
from likeness.notion_trust import Trust
from likeness.notions import Notion, get_notion, save_notion
from likeness.samplers import MPerClassBatches
from likeness.training import RunConfig, config_from, run_images
from shared import cached, maps
from shared.sidebar import ASPECTS
from worlds import ADA, BEN, copy_cars, dataset, draw_noise, serve, visit

COLORS = Notion("two colors", "a {} car", ("red", "blue"))


@pytest.fixture
def photos(tmp_path: Path) -> DatasetEntry:
    """A dataset of 40 images and no label."""
    return dataset(copy_cars(tmp_path / "photos", range(40)))


@pytest.fixture
def noise(tmp_path: Path) -> DatasetEntry:
    """Forty images of noise for the encoder of photos."""
    return dataset(draw_noise(tmp_path / "noise", 40), "photos")


def _open(app: Page, entry: DatasetEntry, page: str = "explore") -> Page:
    app.open(page, dataset=entry.name)
    assert app.session_state["view"].entry.id == entry.id
    return app


class TestColoring:
    def test_a_notion_colors_photos_without_labels_by_its_aspects(self, app: Page, photos: DatasetEntry) -> None:
        _open(app, photos)
        assert app.session_state["view"].color is None  # the starters are not for an encoder of cars
        app.set("a", "car color")
        view = app.session_state["view"]
        assert view.color == f"{ASPECTS}car color"
        assert view.frame[view.color].tolist() == view.base.best_aspects(get_notion("car color")).tolist()
        assert set(view.base.table.attributes) == set()
        assert "a guess, not a label. An image that shows none of them gets one, too." in app.texts
        assert "The encoder reads this notion in these images." in app.texts
        assert not re.search("green|check", app.texts)  # marks of what is right are for labels

    def test_a_notion_for_images_of_any_kind_colors_them_at_once(self, app: Page, photos: DatasetEntry, cache: Path) -> None:
        save_notion(COLORS, folder=cache / "notions")
        _open(app, photos)
        assert app.session_state["view"].color == f"{ASPECTS}two colors"

    def test_photos_are_colored_by_the_starter_that_divides_them_and_by_another_at_a_click(self, app: Page, noise: DatasetEntry) -> None:
        _open(app, noise)
        assert app.session_state["view"].color is None  # nothing is in them that words could tell apart
        assert "car color" not in app.selectbox(key="a").options
        app.set("color", f"{ASPECTS}setting")
        assert "Two photos are similar if they show the same setting" in app.texts
        app.click("color_by_activity")
        assert app.session_state["view"].color == f"{ASPECTS}activity"
        verdict = cached.trust(app.session_state["view"].base, get_notion("activity"))
        assert not verdict.reads
        assert verdict.sentence in app.texts
        assert "Not to be relied on with these images: " in app.texts

    def test_the_maps_do_not_wait_for_what_can_be_relied_on_and_then_it_stands_there_at_once(
        self, app: Page, noise: DatasetEntry, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        events: list[str] = []
        trust, draw = cached.trust, maps.draw
        monkeypatch.setattr(cached, "trust", lambda *given: (events.append("trust"), trust(*given))[1])
        monkeypatch.setattr(maps, "draw", lambda *given, **options: (events.append("map"), draw(*given, **options))[1])
        app.session_state["color"] = f"{ASPECTS}setting"
        _open(app, noise)
        starters = [button.key for button in app.button if str(button.key).startswith("color_by_")]
        assert events == ["map", *["trust"] * (len(starters) + 1)]
        events.clear()
        app.run()
        assert events == [*["trust"] * len(starters), "map", "trust"]  # the last one, of what is shown, stands below the map
        assert "Looking whether" not in app.texts

    def test_where_all_can_be_relied_on_a_line_says_so_and_what_that_means(
        self, app: Page, noise: DatasetEntry, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(cached, "notion_trust", lambda space, notion: Trust(0.9, 0.99, 0.9, True))
        app.session_state["color"] = f"{ASPECTS}setting"
        assert "The encoder reads all of these in these images. What it guesses can still be wrong." in _open(app, noise).texts

    @pytest.mark.parametrize(("warning", "color"), [("", f"{ASPECTS}indoors or outdoors"), ("It hardly tells them apart.", None)])
    def test_what_divides_the_photos_is_chosen_unless_the_encoder_hardly_sees_them(
        self, app: Page, noise: DatasetEntry, monkeypatch: pytest.MonkeyPatch, warning: str, color: str | None
    ) -> None:
        monkeypatch.setattr("shared.cached.most_dividing", lambda space, notions: notions[1])
        cached._first_starter.clear()
        add_dataset(replace(noise, warning=warning))
        assert _open(app, noise).session_state["view"].color == color
        cached._first_starter.clear()


class TestLabels:
    def test_they_are_an_attribute_on_every_page(self, app: Page, photos: DatasetEntry) -> None:
        _open(app, photos)
        app.open("semantics")
        assert "these images have no labels that would be classes" in app.texts
        app.set("label_by", "car color").click("label_images")
        table = app.session_state["view"].base.table
        assert table.attributes == ["car_color_by_encoder"]
        expected = app.session_state["view"].base.best_aspects(get_notion("car color"))
        assert table.frame["car_color_by_encoder"].tolist() == expected.tolist()
        assert "They cannot judge that encoder" in app.texts
        app.open("shifts")
        assert app.multiselect(key="shift_classes").value == ["car_color_by_encoder"]
        assert "They cannot judge that encoder" in app.texts
        app.open("compare")
        assert "the encoder would judge itself" in app.texts
        app.open("explore")
        assert app.session_state["view"].color == "car_color_by_encoder"
        assert "They cannot judge that encoder" in app.texts
        app.click("remove_labels")
        assert app.session_state["view"].base.table.attributes == []

    def test_what_was_added_is_found_by_its_path(self, photos: DatasetEntry, tmp_path: Path) -> None:
        table = ImageTable("Photos", tmp_path, pd.DataFrame({"path": ["a.png", 'b,"c.png']}))
        assert added_labels.add(photos, table, COLORS, ["red", "NA"]) == "two_colors_by_encoder"
        later = ImageTable("Photos", tmp_path, pd.DataFrame({"path": ['b,"c.png', "new.png", "a.png"]}))
        found = added_labels.attach(photos, later).frame["two_colors_by_encoder"]
        assert found.iloc[[0, 2]].tolist() == ["NA", "red"]
        assert pd.isna(found.iloc[1])

    def test_a_name_is_never_given_twice(self, photos: DatasetEntry, tmp_path: Path) -> None:
        table = ImageTable("Photos", tmp_path, pd.DataFrame({"path": ["a.png"]}))
        first = added_labels.add(photos, table, COLORS, ["red"])
        added_labels.remove(photos, first)
        assert added_labels.names(photos) == []
        assert added_labels.add(photos, table, COLORS, ["blue"]) == "two_colors_by_encoder_2"

    def test_those_of_an_encoder_are_told_from_others(self) -> None:
        assert added_labels.made_by_encoder(["a_by_encoder", "a_by_encoder_12", "by_encoder_a", "color"]) == ["a_by_encoder", "a_by_encoder_12"]

    def test_those_of_an_upload_go_with_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import visitor_data
        from access import owner_of, resolve_entry, shared_name, upload_limits
        from likeness.data import absolute_source, read_dataset, save_uploads
        from visitors import own_dir, own_uploads_dir

        serve(monkeypatch, shared=True)
        visit(monkeypatch)
        root = save_uploads([("a.webp", read_cars().paths()[0].read_bytes())], "mine", own_uploads_dir(), upload_limits()).root
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

    def test_nobody_labels_what_is_everyones(self, monkeypatch: pytest.MonkeyPatch) -> None:
        serve(monkeypatch, shared=True)
        visit(monkeypatch)
        with pytest.raises(InputError, match="Everyone on this server sees these images"):
            added_labels.add(SHIPPED_CARS, read_cars(), COLORS, ["red"] * 2000)


class TestFirstChoice:
    def test_a_notion_for_images_of_any_kind_comes_before_those_for_others(self, app: Page, photos: DatasetEntry, cache: Path) -> None:
        save_notion(COLORS, folder=cache / "notions")
        _open(app, photos)
        app.open("train")
        assert app.selectbox(key="label_by").value == "two colors"
        app.session_state["saliency_samples"] = 2
        app.session_state["rows"] = np.array([3])
        app.open("saliency")
        assert app.multiselect(key="looked_at").value[0] == "two colors"
        assert all(job.wait(600) for job in jobs().all("saliency"))


class TestTrain:
    def test_it_opens_on_the_chosen_images_under_a_name_that_is_free(self, app: Page, photos: DatasetEntry, tmp_path: Path) -> None:
        _open(app, photos)
        app.open("train")
        config = config_from(parse_yaml(app.text_area(key="train_typed").value, "It"))
        assert config.data.source == photos.source
        assert config.name == "photos"
        assert "Training learns from labels which images belong together, and these images have none yet." in app.texts
        assert "has no attribute" not in app.texts
        classes = app.multiselect(key="train_field_data.attribute")
        assert (classes.value, classes.disabled, classes.placeholder) == ([], True, "No labels yet")
        assert app.button(key="train_start").disabled
        (runs_dir() / "photos").mkdir(parents=True)
        app = _open(app.fresh("layout"), photos, "train")
        assert config_from(parse_yaml(app.text_area(key="train_typed").value, "It")).name == "photos-2"

    def test_it_learns_from_the_labels_that_the_images_have(self, app: Page, tmp_path: Path) -> None:
        entry = dataset(copy_cars(tmp_path / "birds", range(20), ("owl", "crow")))
        _open(app, entry).switch_page("pages/train/page.py").run()
        config = config_from(parse_yaml(app.text_area(key="train_typed").value, "It"))
        assert (config.data.source, config.data.attribute, config.data.split) == (entry.source, "class", "classes")
        assert "Training learns from labels" not in app.texts

    def test_labels_by_aspects_are_given_here_and_the_run_that_begins_learns_from_them(
        self, app: Page, photos: DatasetEntry, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        begun: list[RunConfig] = []
        monkeypatch.setattr("likeness.training.start_run", lambda run, config=None: begun.append(config))
        _open(app, photos).switch_page("pages/train/page.py").run()
        app.set("label_by", "car color").click("label_images")
        assert "They cannot judge that encoder" in app.texts
        app.click("train_start")
        (config,) = begun
        assert config.data.attribute == "car_color_by_encoder"
        images = run_images(config.data, config.seed)  # as the run's process reads them, without the app
        assert set(images.names) == set(app.session_state["view"].base.table.frame["car_color_by_encoder"])
        MPerClassBatches(images.labels[images.train], config.batch.size, config.batch.per_class)  # its batches can be filled

    def test_photos_begin_from_the_network_that_ships_for_them(self, app: Page, photos: DatasetEntry, tmp_path: Path) -> None:
        remove_dataset(photos.id)
        entry = dataset(Path(photos.source), "photos")
        _open(app, entry).switch_page("pages/train/page.py").run()
        config = config_from(parse_yaml(app.text_area(key="train_typed").value, "It"))
        assert (config.backbone.name, config.backbone.weights, config.data.image_size) == ("photos", "pretrained", 224)
