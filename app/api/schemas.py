"""Requests and responses of the operations: they validate requests, and define the OpenAPI document and the MCP tools."""

import re
from typing import Annotated, Any, Literal

from fastapi import Body, Path
from pydantic import AfterValidator, Base64Bytes, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, WithJsonSchema, model_validator

MOST_HITS, MOST_TERMS, MOST_EDITED, MOST_LISTED = 200, 8, 10_000, 1_000
Scalar = str | int | float | bool
OCTETS = "application/octet-stream"
BINARY = {"type": "string", "format": "binary"}  # generators of clients know it; few know OpenAPI 3.1's way to say it


class Schema(BaseModel):
    """Base model without extra keys or NaN."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


def _unicode(text: str) -> str:
    text.encode()  # raises for a lone surrogate: a UnicodeEncodeError is a ValueError
    return text


def _integer(given: Any) -> Any:
    """An integer as it is, and in an address its digits: true is no 1, and 3.0 no 3."""
    if type(given) is not int and not (isinstance(given, str) and re.fullmatch("-?[0-9]{1,15}", given)):
        raise ValueError("pass an integer")
    return given


Integer = Annotated[int, BeforeValidator(_integer)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300), AfterValidator(_unicode)]
Long = Annotated[str, StringConstraints(max_length=2_000), AfterValidator(_unicode)]
FileName = Annotated[str, StringConstraints(min_length=1, max_length=1_000), AfterValidator(_unicode)]
DatasetId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Row = Annotated[Integer, Field(ge=0, lt=10**12)]

InDataset = Annotated[DatasetId, Path(description="Id of a dataset, as `list_datasets` returns it.")]
OfRow = Annotated[Row, Path(description="Number of the image in its dataset, from 0.")]
OfNotion = Annotated[Text, Path(description="Name of a notion, as `list_notions` returns it.")]
_FILE = "The file of a picture, such as a JPEG; its own Content-Type, such as image/jpeg, fits as well."
Picture = Annotated[bytes, Body(media_type=OCTETS), WithJsonSchema(BINARY | {"description": _FILE})]


class Form(Schema, strict=True):
    """A request in JSON, where "3" is no 3."""


class NotionText(Form):
    """What "similar" means, in words: every aspect in every template."""

    templates: list[Text] = Field(default=["a photo of {}"], min_length=1, max_length=20, description="Sentences, each with exactly one {}.")
    aspects: list[Text] = Field(min_length=2, max_length=2_000, description="What varies, such as red, green and blue.")
    dim: Integer | None = Field(default=None, ge=1, le=4_096, description="Dimensions of its space; by default as many as its prompts suggest.")


class HitOptions(Schema):
    """How many images to return, and which details."""

    k: Integer = Field(default=10, ge=1, le=MOST_HITS, description="How many images to return at most.")
    attributes: bool = Field(default=False, description="Whether to return the images' attributes, too.")
    why: bool = Field(default=False, description="Whether to say what each image shares with the query, which must be a single one.")


class NearestOptions(HitOptions):
    """Which space to search, and what to return."""

    notion: Text | None = Field(default=None, description="Name of the notion whose space to search; by default the encoder's space.")


class Term(Form):
    """One part of a query: exactly one of text, row and image."""

    text: Text | None = Field(default=None, description='A text, such as "a red car".')
    row: Row | None = Field(default=None, description="Number of an image of the dataset.")
    image: Annotated[Base64Bytes, Field(strict=False)] | None = Field(default=None, description="A picture file in base64.")
    weight: float = Field(default=1.0, ge=-100, le=100, description="How much it counts; negative for what images should not be like.")

    @model_validator(mode="after")
    def _one(self) -> "Term":
        if sum(each is not None for each in (self.text, self.row, self.image)) != 1:
            raise ValueError("pass exactly one of text, row and image")
        if self.weight == 0:
            raise ValueError("pass a weight above or below 0, or remove the term")
        return self


class Search(HitOptions, Form):
    """A query of one or more terms."""

    terms: list[Term] = Field(min_length=1, max_length=MOST_TERMS, description="The parts of the query, combined by their weights.")
    notion: Text | NotionText | None = Field(
        default=None, description="The notion whose space to search, by name or in words; by default the encoder's space."
    )
    where: dict[Text, list[Scalar]] = Field(
        default={},
        max_length=10,
        description='Keep only images with one of these values of an attribute, labels made here included: {"car_color": ["red"]}.',
    )

    @model_validator(mode="after")
    def _single(self) -> "Search":
        if self.why and len(self.terms) > 1:
            raise ValueError("several terms have no common reason; pass one term, or leave out why")
        return self


class NotionFilter(Schema):
    """Which notions to list."""

    dataset: DatasetId | None = Field(default=None, description="Only notions that fit the images of this dataset.")


class FitNotion(Form):
    """The notion to fit."""

    notion: Text | NotionText = Field(description="A notion, by name or in words.")


class LabelPage(Schema):
    """Which part of the list to return."""

    after: Integer = Field(default=-1, ge=-1, lt=10**12, description="Only images after this row: `next` of the previous answer.")
    limit: Integer = Field(default=100, ge=1, le=MOST_LISTED, description="How many images to return at most.")


class EditLabels(Form):
    """One edit of labels: images, and exactly one of tag, attribute and note."""

    rows: list[Row] = Field(default=[], max_length=MOST_EDITED, description="Numbers of the images.")
    files: list[FileName] = Field(default=[], max_length=MOST_EDITED, description="Files of the images, as answers name them, in place of rows.")
    tag: Text | None = Field(default=None, description="A tag to add or remove.")
    attribute: Text | None = Field(default=None, description="An attribute to set to `value` or to remove.")
    value: Text | None = Field(default=None, description="The value of the attribute.")
    note: Long | None = Field(default=None, description="A note for the images; an empty one removes theirs.")
    remove: bool = Field(default=False, description="Whether to remove the tag or attribute.")

    @model_validator(mode="after")
    def _one(self) -> "EditLabels":
        if bool(self.rows) == bool(self.files):
            raise ValueError("pass either rows or files")
        if sum(each is not None for each in (self.tag, self.attribute, self.note)) != 1:
            raise ValueError("pass exactly one of tag, attribute and note")
        if (self.value is not None) != (self.attribute is not None and not self.remove):
            raise ValueError("an attribute takes a value, unless it is removed; tags and notes take none")
        if self.remove and self.note is not None:
            raise ValueError("pass an empty note to remove one")
        return self


class Status(Schema):
    """The server, and what you may do."""

    version: str
    shared: bool = Field(description="Whether other people use the server, too.")
    account: str | None = Field(description="Your account, where there are accounts.")
    may_edit: bool = Field(description="Whether you may write labels and send pictures.")
    datasets: int = Field(description="How many datasets you can see.")
    requests_per_second: float = Field(description="Average request rate that is allowed.")
    computing: int = Field(description="Operations being computed now, for everyone.")
    most_computing: int


class Dataset(Schema):
    """Images in an encoder's space."""

    id: str = Field(description="Names the dataset in every other operation.")
    name: str
    encoder: str
    own: bool = Field(description="Whether you uploaded it, on a shared server.")


class Datasets(Schema):
    """All datasets that you may see."""

    datasets: list[Dataset]


class Attribute(Schema):
    """A column of a dataset's table."""

    name: str = Field(description="As `where` takes it.")
    kind: Literal["number", "text"]
    distinct: int = Field(description="How many different values there are.")
    examples: list[Scalar] = Field(description="The most frequent values.")


class DatasetDetails(Dataset):
    """A dataset, its attributes and the notions that fit it."""

    images: int = Field(description="How many; rows go from 0 to one less.")
    dim: int = Field(description="Dimensions of the encoder's space.")
    reads_text: bool = Field(description="Whether texts and notions can be used.")
    attributes: list[Attribute] = Field(description="Columns of the table, labels made here included.")
    notions: list[str]


class Image(Schema):
    """An image of a dataset."""

    row: int
    file: str = Field(description="Its file, relative to the dataset's folder.")
    thumbnail: str = Field(description="Address of a small picture of it on this server.")
    attributes: dict[str, Scalar | None] = Field(default={}, description="Its attributes, if you asked for them.")


class Hit(Image):
    """An image that was found."""

    similarity: float = Field(description="Cosine similarity; for several terms, how well the image fits all of them, from 0 to 1.")
    why: str = Field(default="", description="What it shares with the query and in what it differs, if you asked for it.")


class Presence(Schema):
    """Whether any image shows a text at all."""

    answer: Literal["here", "absent", "unclear", "unread"] = Field(description='"unclear": the encoder cannot tell; "unread": nor read the text.')
    p_value: float | None = Field(description="Chance of so low a score if two of the images showed it; null where nothing was measured.")
    false_alarm_rate: float = Field(description="Share of what is shown that is called absent, at most.")
    sentence: str


class Found(Schema):
    """The images found, the most similar first."""

    space: str = Field(description='The space that was searched: "encoder", or the name of the notion.')
    hits: list[Hit]
    note: str = Field(description="A note if the search is approximate or words are unknown.")
    presence: Presence | None = Field(description="Of a search by one text: whether anything matches.")


class NotionName(Schema):
    """A notion of the library."""

    name: str
    question: str = Field(description="What it means, in a sentence.")
    attribute: str | None = Field(description="The attribute that evaluates it, if images have it.")
    aspects: int
    own: bool = Field(description="Whether you saved it.")


class Notions(Schema):
    """Notions of the library, your own first."""

    notions: list[NotionName]


class Joined(Schema):
    """A notion joined with another."""

    weight: float = Field(description="Negative if the notion is taken away.")
    name: str


class NotionDetails(Schema):
    """A notion in full."""

    name: str
    question: str = Field(description="What it means, in a sentence.")
    attribute: str | None = Field(description="The attribute that evaluates it.")
    templates: list[str]
    aspects: list[str]
    dim: int | None = Field(description="Dimensions of its space, if set.")
    joined: list[Joined]


class Fitted(Schema):
    """A notion's space on a dataset, kept for later searches."""

    notion: str
    dim: int
    stability: float = Field(description="Agreement of the image similarities when the prompts are reworded: at most 1.")
    alignment: float = Field(description="How much the images vary along these prompts, from 0 to 1.")
    reads: bool = Field(description="Whether both are high enough to rely on the space.")
    verdict: str = Field(description="The reliability in one sentence.")
    unknown_words: list[str] = Field(description="Words that the encoder does not know.")
    cut: str = Field(description="Which prompts are too long for the encoder; empty if none is.")


class LabelCount(Schema):
    """A tag, an attribute value, or the notes."""

    name: str
    kind: Literal["tag", "attribute", "note"]
    value: str = Field(description="The attribute's value; empty for tags and notes.")
    images: int


class Labels(Schema):
    """The labels of a dataset's images."""

    version: int = Field(description="Number of the newest edit; it changes with every edit.")
    labels: list[LabelCount]


class LabeledImage(Schema):
    """An image and its labels."""

    row: int
    file: str
    tags: list[str]
    values: dict[str, str] = Field(description="Value by attribute.")
    note: str


class LabeledImages(Schema):
    """Labeled images, by rows."""

    version: int = Field(description="As in `list_labels`.")
    images: list[LabeledImage]
    next: int | None = Field(description="Pass it as `after` for more images; None at the end.")


class Edited(Schema):
    """The result of an edit."""

    edit: int = Field(description="Its number; 0 if nothing changed.")
    images: int = Field(description="How many images it changed.")
    skipped: int = Field(description="Images that an undo skipped, since others have changed them.")
    version: int = Field(description="As in `list_labels`.")


class Problem(Schema):
    """What went wrong (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str = Field(description="One sentence.")
