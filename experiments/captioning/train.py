"""Trains a captioning model from config to report: cross-entropy, then self-critical training; resumes at any step."""

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.captioning.captioned import Captioned
from experiments.captioning.config import CaptioningConfig
from experiments.captioning.folder import CaptioningFolder
from experiments.captioning.metrics import caption_scores
from experiments.captioning.metrics.relations import nltk_wordnet, porter_stemmer
from experiments.captioning.speaking import describe
from experiments.captioning.tokenizer import tokenize
from experiments.captioning.training import Training
from likeness.errors import InputError
from likeness.progress import Progress, no_progress
from likeness.training import Status


@dataclass(frozen=True)
class Features:
    """Features (n, l, f) of all images of a table, with their name and the identity of the network that gave them."""

    name: str
    identity: str
    grid: NDArray[np.float16]


def train_captioner(
    config: CaptioningConfig, captioned: Captioned, features: Features, folder: Path | str, progress: Progress | None = None
) -> dict[str, Any] | None:
    """Trains or resumes the captioning model of this config on these features in this folder.

    Killed at any moment and called again, it ends with the weights of an undisturbed run (on the same machine): batches and draws are functions
    of the seed and the step, and a checkpoint holds the rest.

    Args:
        config: what to do.
        captioned: images and sentences.
        features: of `grid_features`, for the rows of `captioned.table`.
        folder: where the model lies or will lie.
        progress: called with (done, total, what is being done).

    Returns:
        The report, also in report.json: model, features, words (size of the vocabulary), steps, seconds, and for "xe" and, where there is that
        stage, "rl" the step of the best weights with their scores (`caption_scores`) on the images of "validation" and "test". None where a stop
        was asked for.

    Raises:
        InputError: features of other images, another model in the folder or one that is being trained, a loss that is not finite, no nltk. The
            status then says so, and the last checkpoint stays.
        KeyboardInterrupt: as it came, after a checkpoint was written.
    """
    if len(features.grid) != len(captioned.table):
        raise InputError(f"There are features of {len(features.grid)} images and captions of {len(captioned.table)}; use the same table for both.")
    wordnet = _checked_language(config)
    place = CaptioningFolder(folder)
    place.create(config, {"name": features.name, "identity": features.identity})
    done, before = place.report(), place.standing.status()
    if done is not None:
        return done
    if before.state == "running" and before.pid != os.getpid():
        raise InputError(f"The captioning model in '{folder}' is being trained already (process {before.pid}); stop it first.")
    place.standing.clear_stop()
    try:
        return _train(config, captioned, features, place, before.seconds, wordnet, progress or no_progress)
    except BaseException as error:
        stopped = isinstance(error, KeyboardInterrupt | SystemExit)
        message = str(error) if isinstance(error, InputError) else "Interrupted; run the command again to resume." if stopped else repr(error)
        now = place.standing.status()
        with contextlib.suppress(OSError):
            place.standing.report_status(Status("stopped" if stopped else "failed", now.step, now.total, message, 0, now.seconds))
        raise


def _checked_language(config: CaptioningConfig) -> Any:
    """Checks before training what the final scores need: the stemmer, and WordNet if synonyms count."""
    porter_stemmer()
    return nltk_wordnet() if config.synonyms else None


def _train(
    config: CaptioningConfig, captioned: Captioned, features: Features, place: CaptioningFolder, before: float, wordnet: Any, progress: Progress
) -> dict[str, Any] | None:
    from experiments.captioning.random_state import kept_random_state

    begun = time.perf_counter()

    def seconds() -> float:
        return before + time.perf_counter() - begun

    with kept_random_state():
        training = Training(config, captioned, features.grid, place, seconds, progress)
        if not training.run():
            place.standing.report_status(Status("stopped", training.step, training.total, "", 0, seconds()))
            return None
        figures: dict[str, Any] = {"name": config.name, "model": config.decoder.kind, "features": features.name}
        figures |= {"words": len(training.vocabulary), "steps": training.total}
        for stage in (stage.name for stage in training.stages if stage.epochs):
            figures[stage] = {"step": training.best_step[stage]} | _measured(config, captioned, features, training, stage, wordnet, progress)
    place.standing.write_report(figures | {"seconds": round(seconds(), 1)})
    place.standing.report_status(Status("finished", training.total, training.total, "", 0, seconds()))
    return place.report()


def _measured(
    config: CaptioningConfig, captioned: Captioned, features: Features, training: Training, stage: str, wordnet: Any, progress: Progress
) -> dict[str, dict[str, float]]:
    """Scores on the validation and test images, by the best weights of a stage; saves the test captions."""
    training.place.load_best(stage, training.captioner)
    found = {}
    for number, name in enumerate(("validation", "test")):
        progress(number, 2, f"Measuring on {name} images")
        rows: NDArray[np.int64] = getattr(captioned, name)
        said = describe(training.captioner, features.grid, rows, training.vocabulary, config.longest, config.beam)
        written = [[sentence for sentence in captioned.captions[row] if tokenize(sentence)] for row in rows]
        found[name] = caption_scores(said, written, wordnet=wordnet)
    paths = captioned.table.frame["path"].iloc[rows]
    triples = zip(paths, said, written, strict=True)
    training.place.write_captions(stage, [{"path": path, "caption": one, "references": own} for path, one, own in triples])
    return found
