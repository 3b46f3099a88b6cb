"""Your images without a browser: a dataset of the paper."""

import io
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from likeness.data import list_datasets


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
    assert f"Enter `cub200:{birds}` to read it with its labels" in app.info[0].value
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
