"""The pages without a browser: what stands on them, and what bad input is answered with."""

from app_page import Page


def test_a_first_visit_shows_the_shipped_images_in_the_raw_encoders_space(app: Page) -> None:
    app.run()
    assert [app.at(key).value for key in ("dataset", "a")] == ["cars", "Raw encoder"]
    assert app.subheader[0].value == "2,000 images"
    app.set("b", "background color")
    assert app.session_state["color"] == "background_color"  # the map is colored by the notion's labels
    assert "Agreement" in app.texts
    assert app.set("text", "a red car").subheader[0].value == "Images for “a red car”"
    app.set("text", "").multiselect(key="filter_body_type").select("van").run()
    view = app.session_state["view"]
    left = int((view.frame["body_type"] == "van").sum())
    assert int((~view.hidden).sum()) == left
    assert app.subheader[0].value == f"{left:,} images match the filters"


def test_an_address_that_says_nothing_opens_a_notion_beside_the_raw_encoder(app: Page) -> None:
    app.query_params.pop("layout")
    app.run()
    assert [app.selectbox(key=key).value for key in ("a", "b", "color")] == ["Raw encoder", "car color", "car_color"]
    assert "right by **car color**. Two car images are similar if both cars have the same color." in app.texts
    assert app.control("text_input", "template_").value == "a {} car"


def test_the_template_is_edited_beside_the_maps(app: Page) -> None:
    app.run().set("b", "car color")
    before = app.session_state["view"].b
    app.control("text_input", "template_").input("a {} dragon in the sun").run()
    assert app.selectbox(key="b").value == "My edits"
    assert app.session_state["view"].b.key != before.key
    assert "The encoder does not know dragon and reads a blank instead." in app.texts
    app.control("text_input", "template_").input("no place for a color").run()
    assert "write {} exactly once" in app.texts
    assert app.selectbox(key="b").value == "My edits"
    app.open("notions")
    assert app.control("text_area", "templates").value == "a {} dragon in the sun"


def test_a_missing_folder_is_answered_in_a_sentence(app: Page) -> None:
    app.open("your_images").set("folder", "/no/such/folder").click("begin_folder")
    assert "There is no" in app.error[0].value


def test_of_many_filters_the_first_stand_open_and_all_take_effect(app: Page) -> None:
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


def test_the_page_notions_fits_judges_and_names_a_bad_notion_in_place(app: Page) -> None:
    assert "There is no notion “gone” here. Choose another one below." in app.open("notions", notion="gone").warnings
    app.visit(notion="car color")
    assert app.control("selectbox", "picked").value == "car color"
    assert "notion" not in app.query_params
    assert "17 prompts" in app.texts
    assert [metric.label for metric in app.metric] == ["MAP@R", "Precision@1", "R-precision"]
    for field, value, said in (
        ("templates", "a car", "write {} exactly once"),
        ("templates", "", "has no template"),
        ("aspects_", "", "has no aspects"),
        ("aspects_", "red", "only one aspect"),
        ("aspects_", "red\nred\nblue", "red"),
    ):
        app.fill("text_area", field, value)
        assert said in app.texts
        assert "prompts, " in app.texts  # the map stays
        app.press("Undo")
        assert "17 prompts" in app.texts
