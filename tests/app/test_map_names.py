"""Names on the maps of Explore: the controls, the address, what the map is sent, and that nothing waits for words to be read."""

import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app_page import Page
from likeness.clusters import ClusterName, ClusterNames, Clusters
from likeness.errors import InputError
from shared import map_names


@pytest.fixture
def namer(app: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    """Stands in for the clusters and their names: two halves of the rows, called by the words that were passed, once `go` is set."""
    found = SimpleNamespace(go=threading.Event(), vocabularies=[], clustered=0)
    found.go.set()

    def cluster(space: Any) -> Clusters:
        found.clustered += 1
        half = (np.arange(len(space)) >= len(space) // 2).astype(np.int64)
        return Clusters(half[:, None], np.ones((len(space), 1), bool), (np.array([-1, -1]),))

    def name_clusters(space: Any, clusters: Clusters, vocabulary: Any = None, progress: Any = None) -> ClusterNames:
        found.vocabularies.append(vocabulary)
        progress(0, 2)
        found.go.wait(600)
        progress(2, 2)
        words = vocabulary or ("first noun", "second noun")
        return ClusterNames((tuple(ClusterName(word, 0.9, (word,)) for word in words[:2]),), "words")

    monkeypatch.setattr("likeness.clusters.cluster", cluster)
    monkeypatch.setattr("likeness.clusters.name_clusters", name_clusters)
    yield found
    found.go.set()


def test_clusters_are_named_in_the_background_where_that_is_asked_for(app: Page, namer: SimpleNamespace) -> None:
    app.run()
    assert app.sent("map")["panels"][0]["names"] is None
    assert namer.clustered == 0
    assert "names" not in app.query_params
    namer.go.clear()
    app.run()
    app.control("segmented_control", "names-").set_value("Clusters").run()
    assert app.sent("map")["panels"][0]["names"] is None  # the map is there already
    assert app.query_params["names"] in ("clusters", ["clusters"])
    namer.go.set()
    app.wait(map_names.KIND)
    sent = app.sent("map")["panels"][0]["names"]
    assert (sent["kind"], [entry["name"] for entry in sent["entries"]]) == ("clusters", ["first noun", "second noun"])
    assert [entry["count"] for entry in sent["entries"]] == [1000, 1000]
    assert len(sent["labels"]) == 1
    assert "Names of clusters" in app.texts
    app.run()
    assert namer.vocabularies == [None]  # once, however often the page is drawn


def test_words_of_ones_own_take_the_place_of_nouns(app: Page, namer: SimpleNamespace) -> None:
    app.visit(names="clusters")
    app.control("text_input", "words-").set_value("red car, , blue   car;red car").run()
    app.wait(map_names.KIND)
    assert namer.vocabularies == [None, ("red car", "blue car")]
    assert namer.clustered == 1
    assert [entry["name"] for entry in app.sent("map")["panels"][0]["names"]["entries"]] == ["red car", "blue car"]
    app.control("text_input", "words-").set_value("red").run()
    assert "One word cannot tell clusters" in app.texts
    assert [entry["name"] for entry in app.sent("map")["panels"][0]["names"]["entries"]] == ["first noun", "second noun"]


def test_what_colors_the_map_gives_names_at_once(app: Page, namer: SimpleNamespace) -> None:
    app.visit(names="groups")
    sent = app.sent("map")["panels"][0]["names"]
    assert (sent["kind"], sent["labels"]) == ("groups", [])
    assert {entry["name"] for entry in sent["entries"]} == {"convertible", "hatchback", "pickup", "sedan", "suv", "van"}
    assert sum(entry["count"] for entry in sent["entries"]) == 2000
    assert "each where most of its images lie" in app.texts
    app.set("color", "distance")
    assert app.sent("map")["panels"][0]["names"] is None
    assert "has no names" in app.texts
    assert namer.clustered == 0


def test_an_address_with_other_names_is_told(app: Page, namer: SimpleNamespace) -> None:
    app.visit(names="stars](x)")
    assert any("There are no names" in each.value for each in app.warning)
    assert app.sent("map")["panels"][0]["names"] is None


def test_names_that_fail_are_told_in_a_sentence(app: Page, namer: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*args: Any, **options: Any) -> None:
        raise InputError("The encoder knows fewer than two of these words; pass others.")

    monkeypatch.setattr("likeness.clusters.name_clusters", fail)
    app.visit(names="clusters").wait(map_names.KIND)
    assert app.errors == ["The encoder knows fewer than two of these words; pass others."]
    assert app.sent("map")["panels"][0]["names"] is None


def test_clusters_without_any_name_say_what_to_do(app: Page, namer: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    nameless = ClusterNames(((ClusterName("", 0.5, ()), ClusterName("", 0.5, ())),), "words")
    monkeypatch.setattr("likeness.clusters.name_clusters", lambda *args, **options: nameless)
    app.visit(names="clusters").wait(map_names.KIND)
    assert "No word sets one cluster off" in app.texts


def test_names_from_the_table_are_those_of_the_labels_that_it_has_now(app: Page, namer: SimpleNamespace) -> None:
    import background
    from likeness.space import Space

    table = {"labels": {"breed": ["beagle", "collie", "collie", "beagle"]}}
    spaces = [Space(np.eye(4, dtype=np.float32), **table), Space(np.eye(4, dtype=np.float32), labels={"breed": ["poodle"] * 4})]
    assert spaces[0].key == spaces[1].key
    jobs = [map_names._job(space, ()) for space in (*spaces, spaces[0])]
    assert jobs[0] is jobs[2]
    assert jobs[0] is not jobs[1]
    assert all(job.wait(600) for job in background.jobs().all(map_names.KIND))
