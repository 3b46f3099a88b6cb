"""The agreement of spaces with language, measured in the background: shared by all who ask the same."""

import hashlib

from access import resolve_language
from background import Job, run_in_background
from likeness.evaluation import Semantics, semantics
from likeness.space import Space
from likeness.studies import SemanticClasses


def measure(space: Space, classes: SemanticClasses, language: tuple[str, ...], neighbors: int) -> Job:
    """The job whose result is the `Semantics` of a space.

    Args:
        space: whose agreement.
        classes: the images that take part, and what they are.
        language: language models.
        neighbors: retrieved for each image.
    """

    def work(job: Job) -> Semantics:
        from likeness.language import class_similarities

        similarities = class_similarities(classes.names, [resolve_language(name) for name in language])
        return semantics(space.vectors[classes.rows], classes.labels, similarities, classes.names, neighbors=neighbors, progress=job.report_or_stop)

    digest = hashlib.sha256(classes.rows.tobytes() + classes.labels.tobytes()).hexdigest()
    key = (space.key, digest, tuple(classes.names), language, neighbors)
    return run_in_background("semantics", key, f"Comparing {space.name} with language", work)
