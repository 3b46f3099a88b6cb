"""Every operation of the API by the client that openapi-python-client makes, as its user writes it: `use_client.py ADDRESS TOKEN` prints JSON."""

import json
import sys
from io import BytesIO
from typing import TypeVar

import httpx
from made import AuthenticatedClient
from made.api.images import list_datasets, show_dataset, show_image, thumbnail
from made.api.labels import edit_labels, image_labels, list_labels, undo_labels
from made.api.notions import fit_notion, list_notions, show_notion
from made.api.search import neighbors, search, search_by_image
from made.api.status import status
from made.models import EditLabels, FitNotion, NotionText, Problem, Search, SearchWhere, Term
from made.types import File

Answer = TypeVar("Answer")


def sound(answer: Answer | Problem | None) -> Answer:
    """An answer that is no error."""
    if answer is None or isinstance(answer, Problem):
        raise SystemExit(f"refused: {answer}")
    return answer


client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2], timeout=httpx.Timeout(600), httpx_args={"trust_env": False})
(entry,) = sound(list_datasets.sync(client=client)).datasets
cars = entry.id
red = Search(terms=[Term(text="a red car")], k=4, attributes=True, where=SearchWhere.from_dict({"body_type": ["suv"]}))
texts = sound(search.sync(cars, client=client, body=red)).hits
picture = sound(thumbnail.sync(cars, 11, client=client)).payload.read()
by_picture = sound(search_by_image.sync(cars, client=client, body=File(payload=BytesIO(picture)), k=1)).hits
words = NotionText(aspects=["red", "green", "blue"], templates=["a {} car"])
edit = sound(edit_labels.sync(cars, client=client, body=EditLabels(rows=[hit.row for hit in texts], tag="from python")))
wrong = neighbors.sync(cars, 10**6, client=client)
assert isinstance(wrong, Problem)
found = {
    "status": sound(status.sync(client=client)).may_edit,
    "images": sound(show_dataset.sync(cars, client=client)).images,
    "file": sound(show_image.sync(cars, 3, client=client)).file,
    "texts": [hit.row for hit in texts],
    "types": sorted({str(hit.attributes["body_type"]) for hit in texts if hit.attributes}),
    "picture": picture[8:12].decode(),
    "by picture": [hit.row for hit in by_picture],
    "neighbors": [hit.row for hit in sound(neighbors.sync(cars, 3, client=client, k=4, notion="car color")).hits],
    "notion": sound(show_notion.sync(sound(list_notions.sync(client=client, dataset=cars)).notions[0].name, client=client)).name,
    "dim": sound(fit_notion.sync(cars, client=client, body=FitNotion(notion=words))).dim,
    "labeled": [image.row for image in sound(image_labels.sync(cars, client=client)).images],
    "labels": [[label.name, label.images] for label in sound(list_labels.sync(cars, client=client)).labels],
    "undone": sound(undo_labels.sync(cars, client=client)).images == edit.images,
    "wrong": wrong.detail,
}
print(json.dumps(found))
