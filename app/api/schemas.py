"""What operations take and give. Requests are checked by these, and the OpenAPI document and the MCP tools are made from them."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Base64Bytes, BaseModel, ConfigDict, Field, StringConstraints, model_validator

MOST_HITS, MOST_TERMS, MOST_EDITED, MOST_LISTED = 200, 8, 10_000, 1_000
Scalar = str | int | float | bool


class Schema(BaseModel):
    """No other keys, no numbers that are none."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True)


def _unicode(text: str) -> str:
    text.encode()  # raises for half of a pair of surrogates: a UnicodeEncodeError is a ValueError
    return text


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300), AfterValidator(_unicode)]
Long = Annotated[str, StringConstraints(max_length=2_000), AfterValidator(_unicode)]
DatasetId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
Row = Annotated[int, Field(ge=0, lt=10**12)]


class Nothing(Schema):
    """No arguments."""


class OfDataset(Schema):
    """Names a dataset."""

    dataset: DatasetId
    """Id of a dataset, as `list_datasets` gives it."""


class OfImage(OfDataset):
    """Names an image."""

    row: Row
    """Number of the image in its dataset, from 0."""


class NotionText(Schema):
    """What "similar" means, in words: every aspect in every template."""

    templates: list[Text] = Field(default=["a photo of {}"], min_length=1, max_length=20)
    """Sentences, each with exactly one {}."""
    aspects: list[Text] = Field(min_length=2, max_length=2_000)
    """What varies, such as red, green and blue."""
    dim: int | None = Field(default=None, ge=1, le=4_096)
    """Dimensions of its space; by default as many as its prompts suggest."""


class Looking(Schema):
    """How to look for images."""

    k: int = Field(default=10, ge=1, le=MOST_HITS)
    """How many images, at most."""
    attributes: bool = False
    """Whether the images' attributes are given, too."""


class NeighborsOf(OfImage, Looking):
    """An image whose neighbors are wanted."""

    notion: Text | None = None
    """Name of the notion in whose space to look; by default the encoder's own space."""


class SearchByImage(OfDataset, Looking):
    """A picture from outside; it is read and forgotten."""

    notion: Text | None = None
    """Name of the notion in whose space to look; by default the encoder's own space."""


class Term(Schema):
    """One of what is searched for together: exactly one of text, row and image."""

    text: Text | None = None
    """A text, such as "a red car"."""
    row: Row | None = None
    """Number of an image of the dataset."""
    image: Base64Bytes | None = None
    """A picture from outside, its file in base64."""
    weight: float = Field(default=1.0, ge=-100, le=100)
    """How much it counts; below 0 for what images shall not be like."""

    @model_validator(mode="after")
    def _one(self) -> "Term":
        if sum(each is not None for each in (self.text, self.row, self.image)) != 1:
            raise ValueError("give exactly one of text, row and image")
        if self.weight == 0:
            raise ValueError("give a weight above or below 0, or leave the term out")
        return self


class Search(OfDataset, Looking):
    """What is searched for: one term, or several together."""

    terms: list[Term] = Field(min_length=1, max_length=MOST_TERMS)
    """What is searched for, together."""
    notion: Text | NotionText | None = None
    """The notion in whose space to look: by name, or in words; by default the encoder's own space."""
    where: dict[Text, list[Scalar]] = Field(default={}, max_length=10)
    """Attributes, labels made here included, and the values of which images have one: {"car_color": ["red"]}."""


class OfNotion(Schema):
    """Names a notion."""

    notion: Text
    """Name of a notion, as `list_notions` gives it."""


class ListNotions(Schema):
    """Which notions."""

    dataset: DatasetId | None = None
    """Only those that fit the images of this dataset."""


class FitNotion(OfDataset):
    """A notion and the images that it is fitted on."""

    notion: Text | NotionText
    """A notion: by name, or in words."""


class ImageLabels(OfDataset):
    """Which images' labels."""

    after: int = Field(default=-1, ge=-1, lt=10**12)
    """Only images of higher rows: the `next` of the answer before."""
    limit: int = Field(default=100, ge=1, le=MOST_LISTED)
    """How many images, at most."""


class EditLabels(OfDataset):
    """One edit of labels: images, and exactly one of tag, attribute and note."""

    rows: list[Row] = Field(default=[], max_length=MOST_EDITED)
    """Numbers of the images."""
    files: list[Annotated[str, StringConstraints(min_length=1, max_length=1_000), AfterValidator(_unicode)]] = Field(
        default=[], max_length=MOST_EDITED
    )
    """The images by their files, as answers give them, in place of rows."""
    tag: Text | None = None
    """A tag to give, or to remove."""
    attribute: Text | None = None
    """An attribute to give `value` of, or to remove."""
    value: Text | None = None
    """The value of the attribute."""
    note: Long | None = None
    """A note for the images; an empty one removes theirs."""
    remove: bool = False
    """Takes the tag or attribute from the images."""

    @model_validator(mode="after")
    def _one(self) -> "EditLabels":
        if bool(self.rows) == bool(self.files):
            raise ValueError("name the images, by rows or by files")
        if sum(each is not None for each in (self.tag, self.attribute, self.note)) != 1:
            raise ValueError("give exactly one of tag, attribute and note")
        if (self.value is not None) != (self.attribute is not None and not self.remove):
            raise ValueError("an attribute takes a value, unless it is removed; tags and notes take none")
        if self.remove and self.note is not None:
            raise ValueError("give an empty note to remove one")
        return self


class Status(Schema):
    """The server and what who asks may do there."""

    version: str
    """Of Likeness."""
    shared: bool
    """Whether other people use the server, too."""
    account: str | None
    """Who asks, where there are accounts."""
    may_edit: bool
    """Whether labels may be written and pictures brought."""
    datasets: int
    """How many there are for who asks."""
    requests_per_second: float
    """How many requests are answered, in the long run."""
    computing: int
    """Operations that are computed now, for all."""
    most_computing: int
    """At once, for all."""


class Dataset(Schema):
    """Images, seen through one encoder."""

    id: str
    """Names it in every other operation."""
    name: str
    """For people."""
    encoder: str
    """The encoder behind the vectors."""
    own: bool
    """Whether who asks uploaded them, on a shared server."""


class Datasets(Schema):
    """All datasets that who asks may see."""

    datasets: list[Dataset]
    """The shipped one first."""


class Attribute(Schema):
    """A column of a dataset's table."""

    name: str
    """As `where` takes it."""
    kind: Literal["number", "text"]
    """Numbers are compared as such."""
    distinct: int
    """How many different values there are."""
    examples: list[Scalar]
    """The most frequent values."""


class DatasetDetails(Dataset):
    """A dataset, its attributes and the notions that fit it."""

    images: int
    """How many; rows go from 0 to one less."""
    dim: int
    """Dimensions of the encoder's space."""
    reads_text: bool
    """Whether texts and notions can be used."""
    attributes: list[Attribute]
    """Columns of the table, labels made here included."""
    notions: list[str]
    """Names of the notions that fit."""


class Image(Schema):
    """An image of a dataset."""

    row: int
    """Its number."""
    file: str
    """Its file, below the dataset's folder."""
    thumbnail: str
    """Address of a small picture of it, to be written after that of the server."""
    attributes: dict[str, Scalar | None] | None = None
    """Its attributes, where they were asked for."""


class Hit(Image):
    """An image that was found."""

    similarity: float
    """Cosine similarity; of several terms how well all of them hold, from 0 to 1."""


class Found(Schema):
    """The images found, the most similar first."""

    space: str
    """In whose space was looked: "encoder", or the notion's name."""
    hits: list[Hit]
    """The images."""
    note: str = ""
    """A sentence, where the search is approximate or words are unknown."""


class NotionName(Schema):
    """A notion of the library."""

    name: str
    """As other operations take it."""
    question: str
    """What it means, in a sentence."""
    attribute: str | None
    """The attribute that judges it, where images have it."""
    aspects: int
    """How many it has."""
    own: bool
    """Whether who asks saved it."""


class Notions(Schema):
    """Notions of the library."""

    notions: list[NotionName]
    """Own ones first."""


class Joined(Schema):
    """A notion that is joined with another, or taken away from it."""

    weight: float
    """Below 0 where it is taken away."""
    name: str
    """Of the notion."""


class NotionDetails(Schema):
    """A notion in full."""

    name: str
    """Of the notion."""
    question: str
    """What it means, in a sentence."""
    attribute: str | None
    """The attribute that judges it."""
    templates: list[str]
    """Each with one {}."""
    aspects: list[str]
    """What varies."""
    dim: int | None
    """Dimensions of its space, where they are given."""
    joined: list[Joined]
    """Other notions in it."""


class Fitted(Schema):
    """A notion's space on a dataset; it is kept for the next searches."""

    notion: str
    """Name of the notion."""
    dim: int
    """Dimensions of its space."""
    stability: float
    """Whether other words for the same give the same neighbors: at most 1."""
    alignment: float
    """How far the images differ along these words, from 0 to 1."""
    reads: bool
    """Whether both are enough to rely on it."""
    verdict: str
    """The same in a sentence."""
    unknown_words: list[str]
    """Words that the encoder does not know."""
    cut: str
    """Says which prompts have more tokens than the encoder reads; empty where none has."""


class LabelCount(Schema):
    """A tag, a value of an attribute, or the notes."""

    name: str
    """Of the tag or attribute."""
    kind: Literal["tag", "attribute", "note"]
    """A tag has no values."""
    value: str
    """Of an attribute; else empty."""
    images: int
    """How many have it."""


class Labels(Schema):
    """What people and programs have said of a dataset's images here."""

    version: int
    """Number of the newest edit; another one means that something has changed."""
    labels: list[LabelCount]
    """Tags, then attributes by their values, then notes."""


class LabeledImage(Schema):
    """An image and its labels."""

    row: int
    """Its number."""
    file: str
    """Its file."""
    tags: list[str]
    """Names of its tags."""
    values: dict[str, str]
    """Attribute and value."""
    note: str
    """Its note; empty without one."""


class LabeledImages(Schema):
    """Images that have labels, by rows."""

    version: int
    """As in `list_labels`."""
    images: list[LabeledImage]
    """Those with a tag, a value or a note."""
    next: int | None
    """What to give as `after` for more; None at the end."""


class Edited(Schema):
    """What an edit did."""

    edit: int
    """Its number; 0 where nothing was left to do."""
    images: int
    """How many images it changed."""
    skipped: int
    """Of an undo: images that somebody has changed since, which stay."""
    version: int
    """As in `list_labels`."""


class ProblemDetails(Schema):
    """What went wrong (RFC 9457)."""

    type: str
    """Always about:blank."""
    title: str
    """The status in words."""
    status: int
    """Of HTTP."""
    detail: str
    """One sentence."""
