"""The pages without a browser: what stands on them, and what bad input is answered with."""

import pytest
from streamlit.testing.v1 import AppTest


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def test_a_first_visit_shows_the_shipped_images_in_the_raw_encoders_space(app: AppTest) -> None:
    app.run()
    assert not app.exception
    assert app.selectbox(key="dataset").value == "cars"
    assert app.selectbox(key="a").value == "Raw encoder"
    assert app.subheader[0].value == "2,000 images"


def test_an_address_that_says_nothing_opens_a_notion_beside_the_raw_encoder(app: AppTest) -> None:
    app.query_params.pop("layout")
    app.run()
    assert not app.exception
    assert [app.selectbox(key=key).value for key in ("a", "b", "color")] == ["Raw encoder", "car color", "car_color"]
    assert "right by **car color**. Two car images are similar if both cars have the same color." in _texts(app)
    assert _field(app, "text_input", "template_").value == "a {} car"


def test_the_template_is_edited_beside_the_maps(app: AppTest) -> None:
    app.run()
    app.selectbox(key="b").select("car color").run()
    before = app.session_state["view"].b
    _field(app, "text_input", "template_").input("a {} dragon in the sun").run()
    assert not app.exception
    assert app.selectbox(key="b").value == "My edits"
    assert app.session_state["view"].b.key != before.key
    assert "The encoder does not know dragon and reads a blank instead." in _texts(app)
    _field(app, "text_input", "template_").input("no place for a color").run()
    assert "write {} exactly once" in _texts(app)
    assert app.selectbox(key="b").value == "My edits"
    app.switch_page("pages/notions/page.py").run()
    assert _field(app, "text_area", "templates").value == "a {} dragon in the sun"


def test_a_link_opens_the_notion_that_it_names(app: AppTest) -> None:
    _notions(app)
    app.query_params["notion"] = "viewpoint"
    app.run()
    assert not app.exception
    assert _field(app, "selectbox", "picked").value == "viewpoint"
    assert "notion" not in app.query_params


def test_a_link_to_a_notion_that_is_gone_says_so(app: AppTest) -> None:
    app.query_params["notion"] = "gone"
    app.switch_page("pages/notions/page.py").run()
    assert not app.exception
    assert "There is no notion “gone” here. Choose another one below." in [each.value for each in app.warning]


def test_choosing_a_notion_colors_the_map_by_its_labels(app: AppTest) -> None:
    app.run()
    app.selectbox(key="b").select("background color").run()
    assert not app.exception
    assert app.session_state["color"] == "background_color"
    assert "Agreement" in _texts(app)


def test_filters_count_what_they_leave(app: AppTest) -> None:
    app.run()
    app.multiselect(key="filter_body_type").select("van").run()
    assert not app.exception
    frame = app.session_state["view"].frame
    left = int((frame["body_type"] == "van").sum())
    assert int((~app.session_state["view"].hidden).sum()) == left
    assert app.subheader[0].value == f"{left:,} images match the filters"


def test_a_text_search_shows_its_neighbors(app: AppTest) -> None:
    app.run()
    app.text_input(key="text").input("a red car").run()
    assert not app.exception
    assert app.subheader[0].value == "Images for “a red car”"


def _notions(app: AppTest) -> AppTest:
    app.run()
    return app.switch_page("pages/notions/page.py").run()


def _field(app: AppTest, kind: str, name: str):  # type: ignore[no-untyped-def]
    return next(element for element in getattr(app, kind) if str(element.key).startswith(name))


def test_the_notions_page_fits_and_judges(app: AppTest) -> None:
    _notions(app)
    assert not app.exception
    assert "17 prompts" in _texts(app)
    assert [metric.label for metric in app.metric] == ["MAP@R", "Precision@1", "R-precision"]


@pytest.mark.parametrize(
    ("field", "kind", "value", "said"),
    [
        ("templates", "text_area", "a car", "write {} exactly once"),
        ("templates", "text_area", "", "has no template"),
        ("aspects_", "text_area", "", "has no aspects"),
        ("aspects_", "text_area", "red", "only one aspect"),
        ("aspects_", "text_area", "red\nred\nblue", "red"),
    ],
)
def test_a_bad_notion_is_named_in_place_and_the_map_stays(app: AppTest, field: str, kind: str, value: str, said: str) -> None:
    _notions(app)
    _field(app, kind, field).input(value).run()
    assert not app.exception
    assert said in _texts(app)
    assert "prompts, " in _texts(app)


def test_undo_takes_an_edit_back(app: AppTest) -> None:
    _notions(app)
    _field(app, "text_area", "aspects_").input("red\nblue\ngreen").run()
    assert "3 prompts" in _texts(app)
    next(button for button in app.button if button.label == "Undo").click().run()
    assert "17 prompts" in _texts(app)


def test_a_missing_folder_is_answered_in_a_sentence(app: AppTest) -> None:
    app.run()
    app.switch_page("pages/your_images/page.py").run()
    app.text_input(key="folder").input("/no/such/folder").run()
    app.button(key="begin_folder").click().run()
    assert not app.exception
    assert "There is no" in app.error[0].value


def test_of_many_filters_the_first_stand_open_and_all_take_effect(app: AppTest) -> None:
    app.run()
    filters = [str(each.key) for each in (*app.sidebar.multiselect, *app.sidebar.slider) if str(each.key).startswith("filter_")]
    (more,) = [each for each in app.sidebar.get("popover") if each.proto.popover.label.endswith(" more")]
    inside = [str(each.key) for each in (*more.get("multiselect"), *more.get("slider"))]
    assert len(filters) - len(inside) == 4
    name = str(more.get("multiselect")[0].key)
    value = app.multiselect(key=name).options[0].rsplit(" (", 1)[0]
    app.multiselect(key=name).select(value).run()
    view = app.session_state["view"]
    assert (view.hidden == (view.frame[name.removeprefix("filter_")].astype(str) != value).to_numpy()).all()
