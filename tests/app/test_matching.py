"""How many images match, in Explore without a browser: answers, what is said and selected, and states in which nothing can be."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from likeness.cutoffs import SpaceMatches, other_prompts
from likeness.data import add_dataset, new_entry, read_cars
from likeness.notions import get_notion
from pages.explore.match_answers import Answers


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def _said(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.success, app.warning, app.error, app.subheader)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def _press(app: AppTest, label: str) -> AppTest:
    app = next(button for button in app.button if button.label == label).click().run()
    assert not app.exception
    return app


def _asked(app: AppTest) -> int:
    body = next(each.proto.body for each in app.get("html") if 'class="asked"' in each.proto.body)
    return int(body.split("/")[3].split('"')[0])


def _open(app: AppTest, **asked: str) -> AppTest:
    app.query_params.update(asked)
    app.run()
    assert not app.exception
    return _press(app, "How many match?")


class TestAnswers:
    def test_yes_and_no_follow_the_finder_and_end_in_a_promise(self, app: AppTest) -> None:
        _open(app, text="a red car", a="Car color", b="None")
        view = app.session_state["view"]
        color = view.frame["car_color"]
        found = SpaceMatches(view.a, "a red car", other_prompts(get_notion("car color"), "a red car"))
        assert "guess from the scores alone" in _said(app)
        assert f"{len(found.cut_off().rows):,} match" in _said(app)
        answers: dict[int, bool] = {}
        for _ in range(30):
            row = _asked(app)
            assert row == int(found.next_to_ask(answers)[0])
            answers[row] = bool(color.iloc[row] == "red")
            _press(app, "Yes" if answers[row] else "No")
        cut = found.cut_off(answers)
        assert cut.promise
        assert cut.promise.sentence in _said(app)
        assert f"30 answers: {sum(answers.values())} yes" in _said(app)
        _press(app, "Select the matches")
        rows = app.session_state["rows"]
        assert rows.tolist() == sorted(cut.corrected(answers).tolist())
        assert (color.iloc[rows] == "red").mean() > 0.9
        _press(app, f"Select the {len(cut.promise.rows):,} promised")
        assert app.session_state["rows"].tolist() == sorted(cut.promise.rows.tolist())

    def test_they_survive_a_change_of_page_and_are_of_one_query_and_space(self, app: AppTest) -> None:
        _open(app, text="a red car", a="Car color", b="None")
        first = _asked(app)
        _press(_press(app, "Yes"), "No")
        asked = _asked(app)
        assert "2 answers: 1 yes, 1 no." in _said(app)
        app.switch_page("pages/notions/page.py").run()
        app.switch_page("pages/explore/page.py").run()
        assert "2 answers: 1 yes, 1 no." in _said(app)
        assert _asked(app) == asked
        app.text_input(key="text").input("a blue car").run()
        assert "asked about first" in _said(app)
        app.text_input(key="text").input("a red car").run()
        assert "2 answers" in _said(app)
        app.selectbox(key="a").select("Raw encoder").run()
        assert "asked about first" in _said(app)
        app.selectbox(key="a").select("car color").run()
        _press(_press(app, "Undo"), "Undo")
        assert _asked(app) == first
        assert next(button for button in app.button if button.label == "Undo").disabled

    def test_an_image_as_the_query_is_not_asked_about(self, app: AppTest) -> None:
        _open(app, query="7", a="Car color", b="None")
        for _ in range(6):
            assert _asked(app) != 7
            _press(app, "Yes")
        _press(app, "Select the matches")
        assert 7 not in app.session_state["rows"]
        _press(app, "Back to the neighbors")
        assert "How many match?" in {button.label for button in app.button}

    def test_filters_leave_what_is_asked_about(self, app: AppTest) -> None:
        _open(app, text="a red car", a="Car color", b="None")
        _press(app, "Yes")
        frame = app.session_state["view"].frame
        app.session_state["filter_body_type"] = ["suv"]
        app.run()
        assert app.session_state["view"].hidden is not None
        assert frame["body_type"].iloc[_asked(app)] == "suv"

    def test_two_spaces_have_a_choice_and_two_sessions_their_own_answers(self, app: AppTest) -> None:
        _open(app, text="a red car", a="Raw encoder", b="Car color")
        _press(app, "Yes")
        assert "1 answer: 1 yes, 0 no." in _said(app)
        other = AppTest.from_file(str(Path(__file__).resolve().parents[2] / "app" / "main.py"), default_timeout=600)
        other.query_params["layout"] = "PCA"
        _open(other, text="a red car", a="Raw encoder", b="Car color")
        assert "asked about first" in _said(other)


class TestStates:
    def test_a_space_that_reads_no_text_says_so(self, app: AppTest, tmp_path: Path) -> None:
        import likeness as lk
        from shared import cached

        app.run()
        view = app.session_state["view"]
        vectors = lk.Space(view.base.vectors, view.base.table, name="Vectors")
        cached.keep(view.entry.id, vectors)
        app.session_state["text"] = "a red car"
        app.run()
        assert not app.exception
        assert "reads a text" in _said(app)
        _press(app, "How many match?")
        assert "No space shown here reads" in _said(app)

    @pytest.mark.parametrize("count", [1, 2])
    def test_too_few_images_are_not_divided(self, app: AppTest, tmp_path: Path, count: int) -> None:
        (tmp_path / "few").mkdir()
        for number in range(count):
            shutil.copy(read_cars().paths()[number], tmp_path / "few" / f"{number}.webp")
        entry = new_entry("Few", str(tmp_path / "few"), "cars")
        add_dataset(entry)
        _open(app, dataset="Few", text="a red car")
        assert "too few images" in _said(app)

    def test_three_images_can_all_be_answered(self, app: AppTest, tmp_path: Path) -> None:
        (tmp_path / "three").mkdir()
        for number in range(3):
            shutil.copy(read_cars().paths()[number], tmp_path / "three" / f"{number}.webp")
        add_dataset(new_entry("Three", str(tmp_path / "three"), "cars"))
        _open(app, dataset="Three", text="a red car")
        for _ in range(3):
            _press(app, "No")
        assert "Every image is answered." in _said(app)
        assert "0 match" in _said(app)


class TestKept:
    def test_an_image_is_found_by_its_path_where_rows_have_moved(self) -> None:
        answers = Answers()
        answers.add(0, "a.png", True)
        answers.add(2, "c.png", False)
        answers.add(1, "b.png", False)
        assert answers.by_row(pd.Series(["a.png", "b.png", "c.png"])) == {0: True, 2: False, 1: False}
        assert answers.by_row(pd.Series(["x.png", "c.png", "a.png"])) == {2: True, 1: False}
        answers.add(0, "a.png", False)
        assert list(answers.by_row(pd.Series(["a.png", "b.png", "c.png"])).items()) == [(2, False), (1, False), (0, False)]
        answers.undo()
        answers.undo()
        assert answers.by_row(pd.Series(["a.png", "b.png", "c.png"])) == {2: False}
        answers.clear()
        assert not len(answers)
        assert np.array_equal(list(answers.by_row(pd.Series(["a.png"]))), [])
