"""The query as chips of the bar, and what is done with them there."""

from collections.abc import Mapping

from likeness.errors import InputError
from parts import neighbors
from parts.neighbors import Query
from parts.query_bar import Chip
from parts.query_terms import Term
from parts.view import View
from server import query_pictures
from server.addresses import address


def chips(view: View, query: Query) -> list[Chip]:
    """A chip for each term."""
    return [_chip(view, term) for term in query.all_terms]


def _chip(view: View, term: Term) -> Chip:
    if term.kind == "text":
        return Chip(str(term.value), weight=term.weight)
    if term.kind == "row":
        name = str(view.frame["path"].iloc[int(term.value)]).rsplit("/", 1)[-1]
        return Chip(name, view.thumbnails.format(row=term.value), term.weight)
    try:
        name = query_pictures.find(str(term.value)).name
    except InputError:
        name = "A picture that is gone"
    return Chip(name, address(f"/queries/{term.value}"), term.weight)


def take_in(view: View, query: Query, event: Mapping[str, object]) -> None:
    """What was done with the bar; what it can't have sent is ignored."""
    action, number, row = event.get("action"), event.get("index"), event.get("row")
    terms = list(query.all_terms)
    if action == "add" and _is_number(row) and int(str(row)) < len(view.frame):
        add_row(int(str(row)))
    elif action == "keep" and query.text:
        neighbors.keep_text()
    elif _is_number(number) and int(str(number)) < len(terms):
        place = int(str(number))
        term = terms[place]
        if action == "remove":
            neighbors.change(terms[:place] + terms[place + 1 :])
        elif action == "turn":
            neighbors.change([*terms[:place], term.turned, *terms[place + 1 :]])
        elif action == "weigh" and len(terms) > 1:
            neighbors.change([*terms[:place], term.weighed, *terms[place + 1 :]])


def add_row(row: int) -> None:
    """One more image of the dataset for the query."""
    neighbors.add("row", row)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
