"""What happens around the steps of a run: it is measured, evaluated, saved and stopped, by all its processes together."""

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from lightning import Callback, LightningModule, Trainer
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.evaluation import structure_metrics
from likeness.progress import Progress
from likeness.training.config import RunConfig
from likeness.training.data.embeddings import embeddings
from likeness.training.data.outputs import stored_outputs
from likeness.training.data.run_images import RunImages
from likeness.training.loop.module import RunModule
from likeness.training.loop.place import Place
from likeness.training.loop.scores import continuous_bounds, continuous_scores, matched_recall, scores
from likeness.training.network.lift import Lift, lift_of
from likeness.training.network.network import EmbeddingNetwork
from likeness.training.runs.run_folder import RunFolder, Status

Embeddings = NDArray[np.float32]
# Seconds between two writings of how the run stands.
_STATUS_SECONDS = 0.5


class Work(NamedTuple):
    """What a run works on, and who does it.

    Attributes:
        config, run, images: of the run.
        inputs: of all images, kept pixels or features.
        place: which of the run's processes this is.
        owner: the process that the run's status names.
    """

    config: RunConfig
    run: RunFolder
    images: RunImages
    inputs: Any
    place: Place
    owner: int


class Watch(Callback):
    """Measures, evaluates, saves and stops a run.

    Where several processes train, each embeds its part of the images; the first one alone scores them and writes, and all others have what
    it found, its errors included. Whether to stop is agreed upon after every step.
    """

    def __init__(self, work: Work, epoch: int, seconds: float, progress: Progress) -> None:
        self.progress = progress
        self.config, self.run, self.images, self.inputs, self.place, self.owner = work
        self.epoch, self.total = epoch, self.config.epochs * epoch
        self.step, self.stopped, self._before, self._begun = 0, False, seconds, time.perf_counter()
        self._best, self._told, self._start, self._terminated = -1.0, 0.0, 0, False

    def begin(self, start: int) -> None:
        """Takes up at this step."""
        self.step, self._start, self._begun = start, start, time.perf_counter()
        if not self.place.first:
            return
        self.run.forget_after(start)
        done = self.run.metrics()
        if "best_of" in done:
            self._best = float(done["best_of"].dropna().max()) if done["best_of"].notna().any() else -1.0
        self._tell()

    def seconds(self) -> float:
        """Spent in training, earlier parts of the run included."""
        return self._before + time.perf_counter() - self._begun

    def on_train_start(self, trainer: Trainer, module: LightningModule) -> None:
        """Several processes: that they begin at one step, and that a request of the system to end stops them all at one."""
        if not self.place.together:
            return
        self._begun = time.perf_counter()  # the others were coming up
        if trainer.strategy.reduce_boolean_decision(trainer.strategy.broadcast(self._start) != self._start, all=False):
            raise InputError(f"The processes see different checkpoints in '{self.run.path}'; a run's folder must lie on a disk of all machines.")
        if threading.current_thread() is threading.main_thread():  # Lightning's own handler waits for the other processes inside of the handler
            signal.signal(signal.SIGTERM, lambda number, frame: setattr(self, "_terminated", True))

    def on_train_batch_end(self, trainer: Trainer, module: LightningModule, outputs: Any, batch: Any, number: int) -> None:
        """After each step."""
        assert isinstance(module, RunModule)
        self.step = trainer.global_step
        row = {"step": self.step, "epoch": self.step / self.epoch, "rate": module.rate(), "seconds": round(self.seconds(), 2)} | module.losses
        if self.step % (self.config.evaluate_every * self.epoch) == 0 or self.step == self.total:
            row |= self._evaluate(module, trainer)
        if self.place.first:
            self.run.append_metrics(row)
            self.progress(self.step, self.total, "Training")
            if trainer.logger:
                trainer.logger.log_metrics({name: value for name, value in row.items() if name not in ("step", "seconds")}, self.step)
        self.stopped = self._asked_to_stop(trainer) and self.step < self.total
        if self.stopped or self.step % self.config.checkpoint_every == 0 or self.step == self.total or self.config.judged_by in row:
            self._save(trainer)
        if self.place.first and time.perf_counter() - self._told > _STATUS_SECONDS:
            self._told = time.perf_counter()
            self._tell()
        if self.stopped:
            trainer.should_stop = True

    def _tell(self) -> None:
        self.run.report_status(Status("running", self.step, self.total, "", self.owner, self.seconds()))

    def _asked_to_stop(self, trainer: Trainer) -> bool:
        asked = self._terminated or (self.place.first and self.run.stop_requested())
        return trainer.strategy.reduce_boolean_decision(asked, all=False) if self.place.together else asked

    def measure_untrained(self, module: RunModule) -> None:
        """Of a run without steps, by one process; a second time, where it was killed before its report, as the first."""
        self.run.forget_after(-1)
        self._best = -1.0
        self.run.append_metrics({"step": 0, "epoch": 0.0, "seconds": round(self.seconds(), 2)} | self._evaluate(module))

    def _evaluate(self, module: RunModule, trainer: Trainer | None = None) -> dict[str, float]:
        """Scores of the test images, and of those held out, by which the rate may fall; with a trainer by all processes."""
        held = self.images.validation
        test = self._seen(module, self.images.test, trainer)
        validation = self._seen(module, held, trainer) if len(held) else None
        found = self._for_all(trainer, lambda: self._judged(module, test, validation))
        if validation is not None:
            module.judge(found[f"validation_{self.config.judged_by}"])
        return found

    def _seen(self, module: RunModule, rows: NDArray[np.int64], trainer: Trainer | None) -> Embeddings:
        """Embeddings of these rows; each process makes its part of them, the last ones some twice where they can't be divided."""
        size = self.config.data.image_size
        if trainer is None or not self.place.together:
            return embeddings(module.network, self.inputs, rows, size)
        padded = rows[np.minimum(np.arange(-(-len(rows) // self.place.processes) * self.place.processes), len(rows) - 1)]
        part = embeddings(module.network, self.inputs, padded[self.place.part(len(padded))], size)
        whole: Embeddings = module.whole(torch.from_numpy(part).to(module.device)).cpu().numpy()[: len(rows)]
        return whole

    def _for_all(self, trainer: Trainer | None, work: Callable[[], dict[str, float]]) -> dict[str, float]:
        """What the first process finds, or the error that it meets, in all of them."""
        if trainer is None or not self.place.together:
            return work()
        found: dict[str, float] = {}
        wrong = ""
        if self.place.first:
            try:
                found = work()
            except InputError as error:
                wrong = str(error)
        found, wrong = trainer.strategy.broadcast((found, wrong))
        if wrong:
            raise InputError(wrong)
        return found

    def _judged(self, module: RunModule, test: Embeddings, validation: Embeddings | None) -> dict[str, float]:
        found = self._scores(module, test, self.images.test, self.images.queries)
        judged = found[self.config.judged_by]
        if validation is not None:
            held = self.images.validation
            # as many queries of them as of the test images
            share = len(held) * len(self.images.queries) // max(1, len(self.images.test))
            scored = self._scores(module, validation, held, held[np.arange(share) * len(held) // max(1, share)])
            found |= {f"validation_{name}": value for name, value in scored.items()}
            judged = scored[self.config.judged_by]
        if judged > self._best:
            self._best = judged
            found["best_of"] = judged
            _save_weights(module.network, self.run.best, None if module.network.unit else lift_of(test))
        return found

    def _scores(self, module: RunModule, seen: Embeddings, rows: NDArray[np.int64], queries: NDArray[np.int64]) -> dict[str, float]:
        found = dict[str, float]()
        module.check_finite(float(np.square(seen, dtype=np.float64).sum()))
        if self.config.data.split != "images":
            found |= scores(seen, self.images.labels[rows], "cosine" if self.config.unit_embeddings else "euclidean")
        if self.images.distances is not None:
            asks = np.isin(rows, queries)
            found |= continuous_scores(self.images.distances.between(rows[asks], rows[~asks]), seen[asks], seen[~asks])
        return found

    def final(self, module: RunModule) -> dict[str, Any]:
        """Figures of the last and of the best weights on the test classes, by one process."""
        measured = self.run.metrics()
        judged = self.config.judged_by
        evaluated = measured.dropna(subset=[judged]) if judged in measured else measured.iloc[:0]
        names = [name for name in evaluated.columns if name not in ("step", "epoch", "rate", "seconds", "best_of") and not name.startswith("loss")]
        best = evaluated[evaluated["best_of"].notna()].iloc[-1] if len(evaluated) else None
        told = {"last": evaluated.iloc[-1], "best": best} if len(evaluated) else {}
        found = {which: {"step": int(row["step"])} | {name: float(row[name]) for name in names} for which, row in told.items() if row is not None}
        if found:
            found["last"] |= self._bounds()
            found["last"] |= self._matched(module.network) | self._structure(module.network) | self._few_shot(module.network)
        return found

    def _bounds(self) -> dict[str, float]:
        if self.images.distances is None:
            return {}
        return continuous_bounds(self.images.distances.between(self.images.queries, self.images.gallery))

    def _matched(self, network: EmbeddingNetwork) -> dict[str, float]:
        if self.config.matched_classes is None:
            return {}
        rows = self.images.test
        seen = embeddings(network, self.inputs, rows, self.config.data.image_size)
        return {"matched_recall_at_1": matched_recall(seen, self.images.labels[rows], self.config.matched_classes)}

    def _structure(self, network: EmbeddingNetwork) -> dict[str, float]:
        if not self.config.structure:
            return {}
        rows = self.images.train
        found = structure_metrics(embeddings(network, self.inputs, rows, self.config.data.image_size), self.images.labels[rows])
        return {f"structure_{name}": value for name, value in found.items()}

    def _few_shot(self, network: EmbeddingNetwork) -> dict[str, float]:
        if self.config.few_shot is None:
            return {}
        from likeness.training.loop.few_shot import few_shot_scores

        rows, size = self.images.test, self.config.data.image_size
        features = self.inputs[rows] if self.config.backbone.head_only else stored_outputs(network, self.inputs, rows, size, keep=False)
        return few_shot_scores(network, features, self.images.labels[rows], self.config.few_shot, self.progress)

    def _save(self, trainer: Trainer) -> None:
        """By all processes, of which the first one writes."""
        temporary = self.run.path / ".checkpoint.partial"
        try:
            trainer.save_checkpoint(temporary)
            if self.place.first:
                os.replace(temporary, self.run.checkpoint)
        finally:
            if self.place.first:
                temporary.unlink(missing_ok=True)


def _save_weights(network: EmbeddingNetwork, file: Path, lift: Lift | None) -> None:
    from safetensors.torch import save

    from likeness.io.files import write_atomic

    beside = {} if lift is None else {f"lift.{name}": value for name, value in lift._asdict().items()}
    write_atomic(file, save({name: value.contiguous() for name, value in (network.state_dict() | beside).items()}))
