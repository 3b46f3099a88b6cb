"""The query as a bar of chips, pictures and words, each with a sign and a weight; pictures are dropped on it."""

from collections.abc import Mapping

from likeness.errors import InputError
from parts import neighbors
from parts.component import message, renderer
from parts.neighbors import Query
from parts.selection import Term
from parts.view import View
from server import query_pictures
from server.addresses import address

_KEY = "query_bar"


def query_bar(view: View, query: Query) -> None:
    """Draws the bar. Where the field for text holds the only chip, a button offers to add further words."""
    data = {
        "chips": [_chip(view, term) for term in query.all_terms],
        "holds_text": bool(query.text),
        "reads_text": any(space.embed_texts is not None for space in view.spaces),
    }
    renderer(_KEY, "icons", _KEY)(key=_KEY, data=data, on_done_change=lambda: take_in(view, query, message(_KEY, "done")))


def _chip(view: View, term: Term) -> dict[str, object]:
    """Words, or the name of a picture with its address; a weight below 0 for what is taken away."""
    label, picture = str(term.value), ""
    if term.kind == "row":
        label, picture = str(view.frame["path"].iloc[int(term.value)]).rsplit("/", 1)[-1], view.thumbnails.format(row=term.value)
    elif term.kind == "picture":
        picture = address(f"/queries/{term.value}")
        try:
            label = query_pictures.find(str(term.value)).name
        except InputError:
            label = "A picture that is gone"
    return {"label": label, "picture": picture, "weight": term.weight}


def take_in(view: View, query: Query, event: Mapping[str, object]) -> None:
    """What was done with the bar: "add" a row that was dropped, "keep" the words of the field, or "remove", "turn" (the sign) or "weigh" (the next
    weight) the chip of an index. What it can't have sent is ignored."""
    action, place, row = event.get("action"), event.get("index"), event.get("row")
    terms = list(query.all_terms)
    if action == "add" and type(row) is int and 0 <= row < len(view.frame):
        neighbors.add("row", row)
    elif action == "keep" and query.text:
        neighbors.keep_text()
    elif type(place) is int and 0 <= place < len(terms):
        new = {"remove": [], "turn": [terms[place].turned], "weigh": [terms[place].weighed]}
        if action in ("remove", "turn") or (action == "weigh" and len(terms) > 1):
            neighbors.change([*terms[:place], *new[str(action)], *terms[place + 1 :]])
