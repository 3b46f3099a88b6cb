"""All operations, in the order of the OpenAPI document."""

from api import datasets, labeling, notions, searching
from api.operation import PREFIX, Operation
from api.schemas import (
    DatasetDetails,
    Datasets,
    Edited,
    EditLabels,
    FitNotion,
    Fitted,
    Found,
    Image,
    ImageLabels,
    LabeledImages,
    Labels,
    ListNotions,
    NeighborsOf,
    Nothing,
    NotionDetails,
    Notions,
    OfDataset,
    OfImage,
    OfNotion,
    Search,
    SearchByImage,
    Status,
)
from api.status import status

_DATASET = f"{PREFIX}/datasets/{{dataset}}"
_LARGE = 32_000_000  # bytes of a query with pictures in it

OPERATIONS = (
    Operation("GET", f"{PREFIX}/status", Nothing, Status, status, "Status"),
    Operation("GET", f"{PREFIX}/datasets", Nothing, Datasets, datasets.list_datasets, "Images"),
    Operation("GET", _DATASET, OfDataset, DatasetDetails, datasets.show_dataset, "Images", computes=True),
    Operation("GET", f"{_DATASET}/images/{{row}}", OfImage, Image, datasets.show_image, "Images", computes=True),
    Operation("GET", f"{_DATASET}/images/{{row}}/neighbors", NeighborsOf, Found, searching.neighbors, "Search", computes=True),
    Operation("POST", f"{_DATASET}/search", Search, Found, searching.search, "Search", computes=True, most_bytes=_LARGE),
    Operation("POST", f"{_DATASET}/search/image", SearchByImage, Found, searching.search_by_image, "Search", computes=True, content=True),
    Operation("GET", f"{PREFIX}/notions", ListNotions, Notions, notions.list_notions, "Notions", computes=True),
    Operation("GET", f"{PREFIX}/notions/{{notion}}", OfNotion, NotionDetails, notions.show_notion, "Notions"),
    Operation("POST", f"{_DATASET}/notions/fit", FitNotion, Fitted, notions.fit_notion, "Notions", computes=True),
    Operation("GET", f"{_DATASET}/labels", OfDataset, Labels, labeling.list_labels, "Labels", computes=True),
    Operation("GET", f"{_DATASET}/labels/images", ImageLabels, LabeledImages, labeling.image_labels, "Labels", computes=True),
    Operation("POST", f"{_DATASET}/labels", EditLabels, Edited, labeling.edit_labels, "Labels", computes=True, writes=True),
    Operation("POST", f"{_DATASET}/labels/undo", OfDataset, Edited, labeling.undo_labels, "Labels", computes=True, writes=True),
)
