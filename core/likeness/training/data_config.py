"""Config of the images of a run."""

from typing import Literal

from pydantic import Field, model_validator

from likeness.defaults import DATASET
from likeness.io import FrozenConfig
from likeness.labels import LabelsConfig


class DataConfig(FrozenConfig):
    """Images, labels and the split of a run.

    Attributes:
        source: argument of `likeness.data.read_dataset`.
        path_column, caption_column: of a CSV or Parquet file; None: detected.
        attribute: the class of an image; of several attributes the combination ("red pickup").
        label_files: CSV files of path and label; each adds an attribute with the file's name. Images missing in one are not used.
        split: "classes": the first classes in natural order are for training, the others for testing; "official": the split of a paper's dataset,
            "cub200:FOLDER"; "file": by a file of splits; "images": without classes, for continuous labels: by the column `split` of the table
            ("train", "test", and "query" for test images that are queries, also beside "gallery"), otherwise the last images are for testing.
        splits, shift: the file of splits, or the name of a shipped one, and the name of a split in it (`likeness splits`).
        tuning: tests on the classes that the split holds out for tuning, after training without them; "validation": holds them out for validation
            and tests on the split's test classes, as the few-shot runs of ooDML's scripts.
        train_classes: share of the training classes, for split "classes".
        validation: share (below 1) or number of training classes held out for the schedule and the choice of the best weights; whole classes, since
            test classes are unseen, too. With split "images", of training images. 0.15 in the papers.
        select_on_test: chooses the best weights by the test classes, as the papers' code, which inflates the scores. Otherwise by validation classes;
            without any, the last weights are kept.
        image_size: side in pixels of the network's input.
        crops: source of random crops. "square": 16 to 100 % of the center square; "whole": 8 to 100 % of the whole image, as in the papers' code.
            Evaluation always uses the middle of the center square.
        frame: part of an image that is used: "square", its center; "whole", all of it, squeezed to a square, as label distances of layouts require.
        kept: side in pixels to which that part is scaled; evaluation uses its middle `image_size` pixels. None: 8/7 of those, like 256 and 224 in the
            papers.
        subset, per_class: maximum number of images, drawn at random, the same for every seed; and of each class.
        labels: continuous labels, for objectives such as "log-ratio" and for evaluation.
        shuffled: control that permutes the continuous labels of training images at random, or the names of training classes if these are the labels:
            remaining gains are not due to the labels.
        test_images: share or number of test images, the last ones (split "images").
        queries: number of queries among the test images, evenly spaced; the others are the gallery. None: a fifth. If all are queries, each searches
            all others.
        query_attribute: attribute whose value "query" makes a test image, or one for validation, a query; it searches the others of its part, the
            gallery, as In-Shop Clothes is evaluated. None: by classes, each image searches all others. For split "images" see there.
        camera_attribute: attribute such as the camera: a query does not rank images of its own class and camera, as Market-1501 is evaluated.
    """

    source: str = DATASET
    path_column: str | None = None
    caption_column: str | None = None
    attribute: str | tuple[str, ...] = "class"
    label_files: tuple[str, ...] = ()
    split: Literal["classes", "official", "file", "images"] = "classes"
    splits: str | None = None
    shift: str | None = None
    tuning: bool | Literal["validation"] = False
    train_classes: float = Field(default=0.5, gt=0, lt=1)
    validation: float = Field(default=0.0, ge=0)
    select_on_test: bool = False
    image_size: int = Field(default=224, ge=16, le=1024)
    crops: Literal["square", "whole"] = "square"
    frame: Literal["square", "whole"] = "square"
    kept: int | None = Field(default=None, ge=16, le=2048)
    subset: int | None = Field(default=None, ge=6)
    per_class: int | None = Field(default=None, ge=2)
    labels: LabelsConfig | None = None
    shuffled: bool = False
    test_images: float = Field(default=0.25, gt=0)
    queries: int | None = Field(default=None, ge=1)
    query_attribute: str | None = None
    camera_attribute: str | None = None

    @property
    def holds_out(self) -> bool:
        """Whether images are held out for validation: some of those for training, or the tuning classes of a split."""
        return self.validation > 0 or self.tuning == "validation"

    @model_validator(mode="after")
    def _split_named(self) -> "DataConfig":
        if self.kept is not None and self.kept < self.image_size:
            raise ValueError(f"kept {self.kept} is less than image_size {self.image_size}, but the network's input is cut from what is kept")
        if self.subset is not None and self.split == "official":
            raise ValueError("subset draws from all images, but split official uses the split of a paper unchanged; remove subset")
        if self.crops == "whole" and (self.frame, self.kept) != ("square", None):
            raise ValueError("crops whole cuts from the whole image; remove frame and kept")
        if self.shuffled and self.labels is None:
            raise ValueError("shuffled permutes continuous labels, but there are none; set labels, or guidance.control for names of classes")
        if self.select_on_test and self.validation:
            raise ValueError("validation and select_on_test both choose the best weights; set only one")
        if self.tuning == "validation" and (self.validation or self.select_on_test):
            raise ValueError("tuning validation chooses the best weights; set validation to 0 and select_on_test to false")
        if self.split == "images" and self.per_class is not None:
            raise ValueError("per_class needs classes, but split images has none")
        if self.query_attribute and (self.split == "images" or self.queries is not None):
            other = "split images takes them from the column split" if self.split == "images" else "queries spreads them evenly"
            raise ValueError(f"query_attribute names the queries, but {other}; remove query_attribute")
        if self.camera_attribute and self.split == "images":
            raise ValueError("camera_attribute leaves out images of a query's class, but split images has none; remove camera_attribute")
        given = self.splits is not None and self.shift is not None
        if self.split == "file" and not given:
            raise ValueError("split file needs splits (the file) and shift (the name of a split in it)")
        if self.split != "file" and (self.splits is not None or self.shift is not None or self.tuning):
            raise ValueError(f"splits, shift and tuning need split file, not {self.split}")
        return self
