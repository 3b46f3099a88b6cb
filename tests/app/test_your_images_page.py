"""Your images without a browser: a dataset of the paper."""

import io
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from background import jobs
from fake_hub import FakeHub
from foreign_files import exif, jpeg, write_video
from likeness.data import add_dataset, list_datasets, new_entry, read_dataset
from shared import cached
from small_caltech101 import serve_caltech101


@pytest.fixture
def birds(tmp_path: Path) -> Path:
    """Four images in the layout of CUB-200-2011."""
    root = tmp_path / "CUB 200"
    paths = [f"{folder}/{number}.jpg" for folder in ("001.Laysan_Albatross", "002.Shiny_Cowbird") for number in (1, 2)]
    for shade, path in enumerate(paths):
        (root / "images" / path).parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (20, 20), (60 * shade, 90, 200)).save(root / "images" / path)
    numbered = {"images": paths, "image_class_labels": [1, 1, 2, 2], "classes": ["001.Laysan_Albatross", "002.Shiny_Cowbird"]}
    for name, values in numbered.items():
        (root / f"{name}.txt").write_text("".join(f"{number} {value}\n" for number, value in enumerate(values, start=1)))
    return root


def _page(app: AppTest, source: str) -> AppTest:
    app.run()
    app.switch_page("pages/your_images/page.py").run()
    return app.text_input(key="folder").input(source).run()


def test_a_known_layout_is_told_how_to_get_its_labels(app: AppTest, birds: Path) -> None:
    _page(app, str(birds))
    assert f"Enter cub200:{birds} to read it with its labels" in app.info[0].value
    _page(app, str(birds / "images"))
    assert not app.info
    _page(app, f"cub200:{birds}")
    assert not app.info


def test_a_papers_dataset_joins_the_catalog_under_its_name(app: AppTest, birds: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(birds.parent)
    _page(app, "cub200/all:CUB 200")
    app.button(key="begin_folder").click().run()
    assert not app.exception
    end = time.monotonic() + 600
    while len(list_datasets()) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    entry = list_datasets()[1]
    assert (entry.name, entry.source) == ("CUB200 (all)", f"cub200/all:{birds}")


def test_photos_to_try_are_fetched_and_embedded_by_one_click(app: AppTest, hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = serve_caltech101(hub, tmp_path, monkeypatch)
    _page(app, "")
    assert "No photos at hand? **Caltech-101** has 8,677" in "\n".join(each.value for each in app.markdown)
    app.button(key="example_photos").click().run()
    assert not app.exception
    end = time.monotonic() + 600
    while len(list_datasets()) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    entry = list_datasets()[1]
    assert (entry.name, entry.source, entry.encoder) == ("Caltech-101", "caltech101", "photos")
    assert source.is_here
    assert sorted(cached.table(entry.id).frame["class"].unique()) == ["ant", "sunflower"]
    assert not [each for each in app.run().button if each.key == "example_photos"]  # it is listed now


def test_photos_that_have_to_be_fetched_can_be_named_as_a_folder_and_failures_say_what_to_do(
    app: AppTest, hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = serve_caltech101(hub, tmp_path, monkeypatch)
    hub.statuses["content"] = [404] * 20
    _page(app, "caltech101")
    app.button(key="begin_folder").click().run()
    assert not app.exception
    (job,) = jobs().all("embedding")
    job.wait(600)
    assert "answered with status 404" in str(job.error)
    assert f"Or put caltech-101.zip (0.0 MB, CC BY 4.0) from {source.page} into" in str(job.error)


def test_places_of_photos_are_read_where_the_form_says_so(app: AppTest, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for number in range(3):
        (tmp_path / "photos" / f"{number}.jpg").write_bytes(jpeg(exif=exif(f"2024:05:0{number + 1} 10:00:00", place=True)))
    for gps, columns in ((False, []), (True, ["latitude", "longitude"])):
        _page(app, str(tmp_path / "photos"))
        assert app.checkbox(key="gps").value is False
        if gps:
            app.checkbox(key="gps").check().run()
        app.button(key="begin_folder").click().run()
        assert not app.exception
        end = time.monotonic() + 600
        while sum(entry.gps == gps for entry in list_datasets()[1:]) < 1 and time.monotonic() < end:
            time.sleep(0.2)
        (entry,) = (entry for entry in list_datasets()[1:] if entry.gps == gps)
        assert cached.table(entry.id).attributes == ["taken", "year", "camera", *columns]


def test_filters_offer_the_seconds_of_videos_and_no_missing_ones(app: AppTest, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for number in range(3):
        (tmp_path / "photos" / f"{number}.jpg").write_bytes(jpeg())
    write_video(tmp_path / "photos" / "clip.mp4", shades=(0, 120, 240))
    entry = new_entry("photos", str(tmp_path / "photos"), "cars-small")
    add_dataset(entry)
    app.run()
    app.selectbox(key="dataset").set_value(entry.id).run()
    assert not app.exception
    assert app.multiselect(key="filter_second").options == ["0.0 (1)", "1.0 (1)", "2.0 (1)"]
    assert app.multiselect(key="filter_file").options == ["(none) (3)", "clip.mp4 (3)"]


@pytest.mark.parametrize("sees", [True, False])
def test_an_encoder_that_sees_nothing_in_the_images_is_said_so(app: AppTest, tmp_path: Path, sees: bool) -> None:
    (tmp_path / "photos").mkdir()
    shipped = read_dataset("cars").paths()
    for number in range(40):
        noise = Image.fromarray(np.random.default_rng(number).integers(0, 256, (40, 40, 3), dtype=np.uint8))
        (Image.open(shipped[number * 40]) if sees else noise).save(tmp_path / "photos" / f"{number}.png")
    _page(app, str(tmp_path / "photos"))
    app.selectbox(key="encoder_folder").set_value("cars").run()
    app.button(key="begin_folder").click().run()
    end = time.monotonic() + 600
    while len(list_datasets()) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    entry = list_datasets()[1]
    assert ("hardly tells these images apart" in entry.warning) != sees
    for page in ("your_images", "explore"):
        app.switch_page(f"pages/{page}/page.py").run()
        if page == "explore":
            app.selectbox(key="dataset").set_value(entry.id).run()
        assert not app.exception
        assert [warning.value for warning in app.warning] == ([] if sees else [entry.warning])


def test_a_missing_file_is_one_sentence(app: AppTest, birds: Path) -> None:
    (birds / "classes.txt").unlink()
    _page(app, f"cub200:{birds}")
    app.button(key="begin_folder").click().run()
    assert not app.exception
    assert "lacks 'classes.txt'; take it from the dataset published at https://www.vision.caltech.edu" in app.error[0].value


def test_an_upload_says_which_of_its_images_are_left_out(app: AppTest, progressive_jpeg: Callable[..., bytes]) -> None:
    app.run()
    app.switch_page("pages/your_images/page.py").run()
    files = [(f"{shade}.png", _png(shade), "image/png") for shade in (10, 90, 200)]
    app.get("file_uploader")[0].set_value([*files, ("scans.jpg", progressive_jpeg(8_000, 8_000, 256), "image/jpeg")]).run()
    app.button(key="begin_upload").click().run()
    assert not app.exception
    assert not app.error
    end = time.monotonic() + 600
    while len(list_datasets()) < 2 and time.monotonic() < end:
        time.sleep(0.2)
    while not app.success and time.monotonic() < end:
        app.run()
    assert "My images: 3 images are ready." in app.success[0].value
    assert [expander.label for expander in app.expander if "left out" in expander.label] == ["1 could not be read and were left out"]
    assert "is a JPEG of more than 31 scans" in app.dataframe[0].value["reason"].iloc[0]


def test_an_upload_of_nothing_but_hostile_images_is_one_sentence(app: AppTest, progressive_jpeg: Callable[..., bytes]) -> None:
    app.run()
    app.switch_page("pages/your_images/page.py").run()
    app.get("file_uploader")[0].set_value([("scans.jpg", progressive_jpeg(8_000, 8_000, 256), "image/jpeg")]).run()
    app.button(key="begin_upload").click().run()
    assert not app.exception
    assert "'scans.jpg' is a JPEG of more than 31 scans, which takes too long to decode" in app.error[0].value


def _png(shade: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (20, 20), (shade, 90, 200)).save(buffer, "PNG")
    return buffer.getvalue()


_ENCODER, _REPOSITORY = "timm:vit_small_patch16_dinov3.lvd1689m", "timm/vit_small_patch16_dinov3.lvd1689m"


@pytest.fixture
def served(hub: FakeHub, tmp_path: Path) -> FakeHub:
    """A hub that has one of the published encoders."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights!" * 10_000)
    hub.repositories[_REPOSITORY] = folder
    return hub


def _chosen(app: AppTest, source: Path) -> AppTest:
    _page(app, str(source))
    return app.selectbox(key="encoder_folder").select(_ENCODER).run()


def _ended(app: AppTest) -> AppTest:
    job = jobs().find("download", _ENCODER)
    assert job is not None
    assert job.wait(600)
    return app.run()


def test_an_encoder_is_downloaded_by_one_click_and_then_embeds(app: AppTest, birds: Path, served: FakeHub, tmp_path: Path) -> None:
    _chosen(app, birds)
    assert app.button(key="begin_folder").disabled
    said = " ".join(each.value for each in app.markdown)
    assert f"Not on this machine yet: 86 MB from the repository {_REPOSITORY} of the hub" in said
    assert f"into {tmp_path / 'hub'}, where" in said
    assert "License: DINOv3 · 256 x 256 pixels · no search by words" in [each.value for each in app.caption]
    app.button(key="download_folder").click().run()
    _ended(app)
    assert not app.exception
    assert "DINOv3 S/16 is on this machine." in app.success[0].value
    assert not app.button(key="begin_folder").disabled
    assert "download_folder" not in [button.key for button in app.button]


def test_a_download_that_fails_says_why_and_is_tried_again(app: AppTest, birds: Path, served: FakeHub) -> None:
    served.statuses["api"] = [401]
    _chosen(app, birds)
    app.button(key="download_folder").click().run()
    _ended(app)
    assert "refuses it (401)" in app.error[0].value
    assert app.button(key="begin_folder").disabled
    next(button for button in app.button if button.label == "Try again").click().run()
    _ended(app)
    assert not app.error
    assert not app.button(key="begin_folder").disabled


def test_a_download_that_is_stopped_goes_on(app: AppTest, birds: Path, served: FakeHub) -> None:
    served.hold_after = 40_000
    _chosen(app, birds)
    app.button(key="download_folder").click().run()
    assert served.holds.wait(600)
    app.run()
    assert app.button(key="download_folder").disabled  # under way
    next(button for button in app.button if button.label == "Stop").click()
    jobs().find("download", _ENCODER).stop()
    served.go_on.set()
    _ended(app)
    assert "stopped after" in " ".join(each.value for each in app.info)
    next(button for button in app.button if button.label == "Go on").click().run()
    _ended(app)
    assert not app.button(key="begin_folder").disabled
    assert any(each.startswith("bytes=") for each in served.ranges)


def test_its_speed_is_measured_without_a_download(app: AppTest, birds: Path, hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    from likeness.encoders import speed

    monkeypatch.setattr("pages.your_images.encoder_choice.measure_speed", lambda encoder: speed._remember(encoder.name, 12.0))
    _chosen(app, birds)
    app.button(key="speed_folder").click().run()
    job = jobs().find("speed", _ENCODER)
    assert job is None or job.wait(600)
    app.run()
    assert any("embeds 12 images a second on this machine" in each.value for each in app.caption)
    assert app.button(key="speed_folder").label == "Measure again"  # the machine may have been busy


def test_an_encoder_by_its_name_is_downloaded_with_the_images(app: AppTest, birds: Path, hub: FakeHub, tiny_timm: Path) -> None:
    hub.repositories["someone/named"] = tiny_timm
    _page(app, str(birds))
    app.selectbox(key="encoder_folder").select("other").run()
    app.text_input(key="encoder_name_folder").input("timm:hf-hub:someone/named").run()
    app.button(key="begin_folder").click().run()
    (job,) = jobs().all("embedding")
    assert job.wait(600)
    assert job.error is None
    assert job.result.vectors.shape[0] == 4
    assert [entry.encoder for entry in list_datasets()][1:] == ["timm:hf-hub:someone/named"]


def _wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 600
    while not condition() and time.monotonic() < end:
        time.sleep(0.2)
    assert condition()


def test_a_dataset_has_a_place_a_count_and_a_name_that_stays(app: AppTest, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    for number in range(3):
        (tmp_path / "photos" / f"{number}.jpg").write_bytes(jpeg())
    _page(app, str(tmp_path / "photos"))
    app.button(key="begin_folder").click().run()
    _wait(lambda: len(list_datasets()) == 2)
    entry = list_datasets()[1]
    app.run()
    lines = [each.value for each in app.markdown if each.value.startswith("**")]
    assert "**Synthetic Cars**  \n:small[:gray[shipped · 2,000 images · encoder cars]]" in lines
    assert any(f"{tmp_path}/photos · 3 images · encoder photos" in line for line in lines)
    assert not [button for button in app.button if str(button.key).endswith("_cars")]

    app.text_input(key=f"name_{entry.id}").input("Summer *2024*").run()
    app.button(key=f"rename_{entry.id}").click().run()
    assert not app.exception
    assert "Summer *2024*" in app.selectbox(key="dataset").options
    app.selectbox(key="dataset").set_value(entry.id).run()
    assert app.session_state["view"].base.table.name == "Summer *2024*"
    assert app.query_params["dataset"] == entry.id

    app.button(key="begin_folder").click().run()  # embedded again, it keeps the name
    _wait(lambda: all(job.finished for job in jobs().all("embedding")))
    assert list_datasets()[1].name == "Summer *2024*"

    app.text_input(key=f"name_{entry.id}").input(" ").run()
    app.button(key=f"rename_{entry.id}").click().run()
    assert list_datasets()[1].name == "Summer *2024*"
    assert "between 1 and 120 letters" in app.toast[0].value

    assert any("Remove **Summer" in each.value and "The images stay where they are" in each.value for each in app.markdown)
    app.button(key=f"remove_{entry.id}").click().run()
    assert not app.exception
    assert not any("stopped after" in each.value for each in app.info)
    assert len(list_datasets()) == 1
    assert len(list((tmp_path / "photos").iterdir())) == 3
