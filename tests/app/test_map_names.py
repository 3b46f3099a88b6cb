"""Names on the maps of Explore: the controls, the address, what the map is sent, and that nothing waits for words to be read."""

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import streamlit as st

from app_page import Page
from likeness.clusters import ClusterName, ClusterNames, Clusters
from likeness.errors import InputError
from parts import map_names
from worlds import halves, names_of


@pytest.fixture
def namer(app: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Stands in for the clusters and their names: two halves of the rows, called by the words that were passed, once `go` is set."""
    found = SimpleNamespace(go=threading.Event(), vocabularies=[], clustered=0)
    found.go.set()

    def cluster(space: Any) -> Clusters:
        found.clustered += 1
        return halves(space)

    def name_clusters(space: Any, clusters: Clusters, vocabulary: Any = None, progress: Any = None) -> ClusterNames:
        found.vocabularies.append(vocabulary)
        progress(0, 2)
        found.go.wait(600)
        progress(2, 2)
        return names_of(*(vocabulary or ("first noun", "second noun"))[:2])

    monkeypatch.setattr("likeness.clusters.cluster", cluster)
    monkeypatch.setattr("likeness.clusters.name_clusters", name_clusters)
    yield found
    found.go.set()


def _sent(app: Page) -> Any:
    return app.sent("map")["panels"][0]["names"]


def _words(app: Page) -> list[str]:
    return [entry["name"] for entry in _sent(app)["entries"]]


def test_clusters_are_named_in_the_background_where_that_is_asked_for(app: Page, namer: SimpleNamespace) -> None:
    assert _sent(app.run()) is None
    assert namer.clustered == 0
    assert "names" not in app.query_params
    namer.go.clear()
    assert _sent(app.fill("segmented_control", "names-", "clusters")) is None  # the map is there already
    assert app.query_params["names"] in ("clusters", ["clusters"])
    namer.go.set()
    sent = _sent(app.wait(map_names.KIND))
    assert (sent["kind"], len(sent["labels"])) == ("clusters", 1)
    assert [(entry["name"], entry["count"]) for entry in sent["entries"]] == [("first noun", 1000), ("second noun", 1000)]
    app.run()
    assert namer.vocabularies == [None]  # once, however often the page is drawn
    app.fill("text_input", "words-", "red car, , blue   car;red car").wait(map_names.KIND)  # words of one's own take their place
    assert (namer.vocabularies, namer.clustered) == ([None, ("red car", "blue car")], 1)
    assert _words(app) == ["red car", "blue car"]
    app.fill("text_input", "words-", "red").says("Enter at least two words")
    assert _words(app) == ["first noun", "second noun"]


def test_what_colors_the_map_gives_names_at_once(app: Page, namer: SimpleNamespace) -> None:
    sent = _sent(app.visit(names="groups"))
    assert (sent["kind"], sent["labels"]) == ("groups", [])
    assert set(_words(app)) == {"convertible", "hatchback", "pickup", "sedan", "suv", "van"}
    assert sum(entry["count"] for entry in sent["entries"]) == 2000
    assert _sent(app.set("color", "distance")) is None
    app.says("These colors have no names")
    assert namer.clustered == 0


def test_names_that_are_none_or_fail_are_told(app: Page, namer: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise InputError("Pass other words.")

    nameless = ClusterNames(((ClusterName("", 0.5, ()), ClusterName("", 0.5, ())),), "words")
    for names, found, said in (
        ("stars](x)", fail, "which is not here"),
        ("clusters", fail, "Pass other words."),
        ("clusters", lambda *args, **options: nameless, "No word distinguishes these clusters"),
    ):
        monkeypatch.setattr("likeness.clusters.name_clusters", found)
        st.cache_resource.clear()
        visitor = app.fresh("layout").visit(names=names).wait(map_names.KIND).says(said)
        assert found is not fail or _sent(visitor) is None


def test_names_from_the_table_are_those_of_the_labels_that_it_has_now(app: Page, namer: SimpleNamespace) -> None:
    from likeness.space import Space
    from server.jobs import jobs

    table = {"labels": {"breed": ["beagle", "collie", "collie", "beagle"]}}
    spaces = [Space(np.eye(4, dtype=np.float32), **table), Space(np.eye(4, dtype=np.float32), labels={"breed": ["poodle"] * 4})]
    assert spaces[0].key == spaces[1].key
    made = [map_names._job(space, ()) for space in (*spaces, spaces[0])]
    assert made[0] is made[2]
    assert made[0] is not made[1]
    assert all(job.wait(600) for job in jobs().all(map_names.KIND))
