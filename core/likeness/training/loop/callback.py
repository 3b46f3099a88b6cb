"""Logging, evaluation, checkpoints and stopping of a run, in all its processes.

Lightning's ModelCheckpoint does not replace `RunCallback._save`: it moves the file from the system's temporary folder, and across file systems that
is a copy, which a kill or a full disk can leave incomplete in place of the last good checkpoint. Nor does it save on a requested stop, and the best
weights are a safetensors file of the network alone.
"""

import signal
import threading
import time
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np
import pandas as pd
import torch
from lightning import Callback, LightningModule, Trainer
from numpy.typing import NDArray

from likeness.arrays import unit_rows
from likeness.errors import InputError
from likeness.evaluation import DistanceMetric, find_metric, image_text_hits, structure_metrics
from likeness.io import CheckpointFile, cause_of, read_weights, write_weights
from likeness.losses import MATRYOSHKA_DIMS
from likeness.progress import Progress
from likeness.samplers import HardClassBatches
from likeness.training.data.outputs import backbone_outputs, embed_rows
from likeness.training.dist_context import DistContext
from likeness.training.loop.loggers import log_row
from likeness.training.loop.module import RunModule
from likeness.training.loop.prepare import ReadyRun
from likeness.training.loop.scores import continuous_bounds, continuous_scores, first_recall, matched_recall, scores
from likeness.training.loop.step_figures import PendingSteps, StepFigures, mean_figures
from likeness.training.network.adapters import load_plain_state, plain_state
from likeness.training.network.backbones import size_note
from likeness.training.network.embedding_network import EmbeddingNetwork
from likeness.training.network.spherical_map import MAP_KEYS, SphericalMap, fit_spherical_map
from likeness.training.runs.query_figures import query_intervals, record_queries
from likeness.training.runs.run_encoder import weights_metadata
from likeness.training.runs.run_folder import CHECKPOINTS, RunFolder, Status, checkpoint_figures

Embeddings = NDArray[np.float32]
# seconds between two updates of the run's status
_STATUS_SECONDS = 0.5


class RunCallback(Callback):
    """Logs, evaluates, saves and stops a run.

    Each process embeds its part of the images. Only the main process scores and writes; the others receive its results and errors. Processes agree on
    stopping when losses are fetched, on CPUs after every step.

    `owner` is the process id in the run's status, `seconds` the time of earlier parts of the run.
    """

    def __init__(self, ready: ReadyRun, run: RunFolder, dist: DistContext, owner: int, seconds: float, progress: Progress) -> None:
        self.run, self.dist, self.owner, self.progress = run, dist, owner, progress
        self.config, self.images, self.inputs, self.epoch = ready.module.config, ready.images, ready.inputs, ready.module.epoch
        self.data = ready.data
        self.total = self.config.epochs * self.epoch
        # shown in the run's status with every step
        self.note = " ".join(filter(None, [size_note(ready.module.network, self.config.data.image_size), self.images.lone_note]))
        self.step, self.stopped, self._before, self._begun = 0, False, seconds, time.perf_counter()
        self._best: float | None = None
        self._untrained: float | None = None
        self._fallen = ""
        self._reported, self._start, self._terminated = 0.0, 0, False
        self.checkpoints = CheckpointFile(self.run.checkpoint)
        self._pending, self._batches = PendingSteps(self.dist.is_distributed), list[StepFigures]()
        self._known_distances: dict[bytes, NDArray[np.float32]] = {}
        self._tested: tuple[int, Embeddings] | None = None  # step and test embeddings of the last evaluation

    def begin(self, start: int) -> None:
        """Starts or resumes at this step; a run killed before its first checkpoint starts again with the untrained network."""
        self.note = " ".join(filter(None, [self.note, self.checkpoints.note]))
        self.step, self._start, self._begun = start, start, time.perf_counter()
        if not self.dist.is_main:
            return
        self.run.drop_metrics_after(start or -1)
        measured = self.run.metrics()
        self._best = self._selection(checkpoint_figures(measured, self.config.selection_metric, "best"))
        first: dict[Any, float] = measured.iloc[0].dropna().to_dict() if len(measured) else {}
        self._untrained = self._selection(first)
        self._report_status()

    def seconds(self) -> float:
        """Training time, including earlier parts of the run."""
        return self._before + time.perf_counter() - self._begun

    def on_train_start(self, trainer: Trainer, module: LightningModule) -> None:
        """Evaluates the untrained network. All processes start at the same step, and on SIGTERM stop after the same step."""
        if self.dist.is_distributed:
            self._agree(trainer)
        assert isinstance(module, RunModule)
        if self._start == 0:
            self._refresh_batches(module, trainer)
            row = self._first_row() | self._measure(module, trainer)
            self._untrained = self._selection(row)
            if self.dist.is_main:
                self._record([row], trainer)

    def _agree(self, trainer: Trainer) -> None:
        self._begun = time.perf_counter()  # without the start of the other processes
        if trainer.strategy.reduce_boolean_decision(trainer.strategy.broadcast(self._start) != self._start, all=False):
            raise InputError(
                f"The processes see different checkpoints in '{self.run.path}'; a run's folder must be on a disk shared by all machines."
            )
        if threading.current_thread() is threading.main_thread():  # Lightning's own handler waits for the other processes inside the signal handler
            signal.signal(signal.SIGTERM, lambda number, frame: setattr(self, "_terminated", True))

    def on_train_batch_end(self, trainer: Trainer, module: LightningModule, outputs: Any, batch: Any, number: int) -> None:
        """After each step. Losses are fetched from the device later, but before evaluations and checkpoints."""
        assert isinstance(module, RunModule)
        assert module.figures is not None
        self._batches.append(module.figures)
        if len(self._batches) < self.config.batch.accumulate:
            return
        module.after_step()
        self.step = trainer.global_step
        row = {"step": self.step, "epoch": self.step / self.epoch, "rate": module.step_rate, "seconds": round(self.seconds(), 2)}
        due = self._pending.add(row, mean_figures(self._batches))
        self._batches.clear()
        evaluates = self.step % (self.config.evaluate_every * self.epoch) == 0 or self.step == self.total
        saves = evaluates or self.step % self.config.checkpoint_every == 0
        if due or saves:
            self._take(module, trainer, evaluates)
        if self.step % self.epoch == 0 and self.step < self.total:
            self._refresh_batches(module, trainer)
        if due or saves or not self.dist.is_distributed:
            self.stopped = self._should_stop(trainer) and self.step < self.total
        if saves or self.stopped:
            self._take(module, trainer, evaluates=False)
            self._save(trainer)
        if self.dist.is_main and time.perf_counter() - self._reported > _STATUS_SECONDS:
            self._reported = time.perf_counter()
            self._report_status()
        if self.stopped or (evaluates and ends_early(self.config.stop_early, module.without_best)):
            trainer.should_stop = True

    def _take(self, module: RunModule, trainer: Trainer, evaluates: bool) -> None:
        """Logs the steps since the last fetch, the last one with its evaluation."""
        rows, wrong = self._pending.take()
        if evaluates and not wrong:
            rows[-1] |= self.evaluate(module, trainer)
            self._fallen = self._below_untrained(rows[-1])
        if self.dist.is_main:
            self._record(rows, trainer)
        if wrong:
            raise InputError(wrong)

    def _first_row(self) -> dict[str, float]:
        return {"step": 0, "epoch": 0.0, "seconds": round(self.seconds(), 2)}

    def _record(self, rows: list[dict[str, float]], trainer: Trainer) -> None:
        for row in rows:
            self.run.append_metrics(row)
            for logger in trainer.loggers:
                log_row(logger, row)
        self.progress(self.step, self.total, "Training")

    def _below_untrained(self, figures: dict[str, float]) -> str:
        """A sentence if the network is worse than before training, else ""."""
        before, now = self._untrained, self._selection(figures)
        metric = find_metric(self.config.selection_metric)
        if before is None or now is None or not metric.better(before, now):
            return ""
        judged = "validation" if self.config.data.holds_out else "test"
        text = f"{metric.title} of the {judged} images is worse than before training ({now:.3g}, it was {before:.3g});"
        way = "`likeness runs mix` finds weights between, and" if self.config.backbone.dim is None and self.config.data.holds_out else "a"
        return f"{text} {way} lower optimizer.rate may help."

    def _report_status(self) -> None:
        self.run.report_status(Status("running", self.step, self.total, self.whole_note, self.owner, self.seconds()))

    @property
    def whole_note(self) -> str:
        """What a person should know of the run, in sentences."""
        return f"{self._fallen} {self.note}".strip()

    def _should_stop(self, trainer: Trainer) -> bool:
        requested = self._terminated or (self.dist.is_main and self.run.stop_requested())
        return trainer.strategy.reduce_boolean_decision(requested, all=False) if self.dist.is_distributed else requested

    def measure_untrained(self, module: RunModule) -> None:
        """Evaluates a run without steps, in one process; again if it was killed before its report."""
        self.run.drop_metrics_after(-1)
        self._best = None
        self.run.append_metrics(self._first_row() | self.evaluate(module))

    def evaluate(self, module: RunModule, trainer: Trainer | None = None) -> dict[str, float]:
        """Evaluates the weights and keeps them if they are the best so far; validation images control the learning rate."""
        scores = self._measure(module, trainer, keep_best=True)
        if len(self.images.validation):
            module.step_plateau(scores[f"validation_{self.config.selection_metric}"])
        return scores

    def _measure(self, module: RunModule, trainer: Trainer | None, keep_best: bool = False) -> dict[str, float]:
        """Scores of the test and the validation images; with a trainer by all processes."""
        test = self._embed(module, self.images.test, trainer)
        self._tested = self.step, test
        validation = self._embed(module, self.images.validation, trainer) if len(self.images.validation) else None

        def compute() -> dict[str, float]:
            found, queries = self._figures(module, test, validation)
            best = self._keep_best(module.judged, test, found) if keep_best else {}
            reached = {"untrained": self.step == 0, "best": bool(best), "last": True}
            record_queries(self.run, self.images, queries, [name for name, now in reached.items() if now])
            return found | best

        return self._broadcast(trainer, compute)

    def _embed(self, module: RunModule, rows: NDArray[np.int64], trainer: Trainer | None) -> Embeddings:
        """Embeddings of these rows; each process computes its part. The last row is repeated to give all parts the same size."""
        size = self.config.data.image_size
        if trainer is None or not self.dist.is_distributed:
            return embed_rows(module.judged, self._inputs(module), rows, size)
        padded = rows[np.minimum(np.arange(-(-len(rows) // self.dist.world_size) * self.dist.world_size), len(rows) - 1)]
        part = embed_rows(module.judged, self._inputs(module), padded[self.dist.part(len(padded))], size)
        whole: Embeddings = module.gather(torch.from_numpy(part).to(module.device)).cpu().numpy()[: len(rows)]
        return whole

    def _refresh_batches(self, module: RunModule, trainer: Trainer) -> None:
        """Measures the classes anew that are near each other, if batches are drawn by them; all processes use the main one's."""
        batches = self.data.batches
        if isinstance(batches, HardClassBatches):
            batches.refresh(self._embed(module, self.images.train, trainer))
            batches.neighbors = trainer.strategy.broadcast(batches.neighbors)

    def on_load_checkpoint(self, trainer: Trainer, module: LightningModule, checkpoint: dict[str, Any]) -> None:
        if isinstance(self.data.batches, HardClassBatches):
            self.data.batches.neighbors = checkpoint["near_classes"].numpy()

    def _inputs(self, module: RunModule) -> Any:
        """Inputs of evaluation: the images on the device, if they are the same."""
        return self.inputs if module.images is None or self.config.data.crops == "whole" else module.images

    def _broadcast(self, trainer: Trainer | None, compute: Callable[[], dict[str, float]]) -> dict[str, float]:
        """Computes in the main process; all processes return its result or raise its error."""
        if trainer is None or not self.dist.is_distributed:
            return compute()
        scores: dict[str, float] = {}
        message = ""
        if self.dist.is_main:
            try:
                scores = compute()
            except InputError as error:
                message = str(error)
        scores, message = trainer.strategy.broadcast((scores, message))
        if message:
            raise InputError(message)
        return scores

    def _figures(self, module: RunModule, test: Embeddings, validation: Embeddings | None) -> tuple[dict[str, float], list[pd.DataFrame]]:
        found, scored = self._scores(module, test, self.images.test, self.images.queries)
        return found | (self._validated(module, validation) if validation is not None else {}), scored

    def validation_figures(self, module: RunModule) -> dict[str, float]:
        """The figures of the validation images, in one process; none without such images."""
        rows = self.images.validation
        return self._validated(module, self._embed(module, rows, None)) if len(rows) else {}

    def _validated(self, module: RunModule, validation: Embeddings) -> dict[str, float]:
        rows, queries = self.images.validation, self.images.validation_queries
        if not len(queries):  # the same share of queries as among the test images
            count = len(rows) * len(self.images.queries) // max(1, len(self.images.test))
            queries = rows[np.arange(count) * len(rows) // max(1, count)]
        found, _ = self._scores(module, validation, rows, queries)
        return {f"validation_{name}": value for name, value in found.items()}

    def _keep_best(self, network: EmbeddingNetwork, test: Embeddings, found: dict[str, float]) -> dict[str, float]:
        """Saves the weights if they are the best so far, or always if there is no selection; `best_of` then holds their score."""
        selection = self._selection(found)
        assert selection is not None
        chosen = len(self.images.validation) > 0 or self.config.data.select_on_test
        if chosen and not find_metric(self.config.selection_metric).better(selection, self._best):
            return {}
        self._best = selection
        self._save_weights(network, None if network.unit else fit_spherical_map(test), found)
        return {"best_of": selection}

    def _selection(self, figures: dict[str, float]) -> float | None:
        name = self.config.selection_metric
        return figures.get(f"validation_{name}", figures.get(name))

    def _scores(
        self, module: RunModule, embeddings: Embeddings, rows: NDArray[np.int64], queries: NDArray[np.int64]
    ) -> tuple[dict[str, float], list[pd.DataFrame]]:
        """The figures, and those of each query, by the row number of its image."""
        found, scored = dict[str, float](), list[pd.DataFrame]()
        module.check_finite(float(np.square(embeddings, dtype=np.float64).sum()))
        if self.config.data.split != "images":
            # on the training GPU, if there is one, where evaluations take a fraction of the time
            here = torch.from_numpy(embeddings).to(module.device)
            metric: DistanceMetric = "cosine" if self.config.unit_embeddings else "euclidean"
            asking = self._class_queries(rows)
            seen = None if self.images.cameras is None else self.images.cameras[rows]
            means, by_image = scores(here, self.images.labels[rows], metric, asking, seen)
            found |= means
            scored.append(by_image.set_axis(rows if asking is None else rows[asking]))
        if module.captions is not None and module.judged.text is not None:
            texts, owners = module.captions.embedded(rows, module.judged.text)
            by_texts, by_images = image_text_hits(embeddings, texts, owners)
            found |= {str(name): float(hits.mean()) for side in (by_texts, by_images) for name, hits in side.items()}
            scored += [by_texts.set_axis(rows[owners]), by_images.set_axis(rows)]
        if self.images.distances is not None:
            is_query = np.isin(rows, queries)
            itself = np.arange(len(rows)) if is_query.all() else None
            others = ~is_query if itself is None else is_query
            label_distances = self._label_distances(rows[is_query], rows[others])
            by_query = continuous_scores(label_distances, embeddings[is_query], embeddings[others], itself)
            found |= {str(name): float(values.mean()) for name, values in by_query.items()}
            scored.append(by_query.set_axis(rows[is_query]))
        return found, scored

    def _class_queries(self, rows: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """The mask of the queries for evaluation by classes; None if each image searches all others."""
        is_query = np.isin(rows, [*self.images.queries, *self.images.validation_queries])
        return is_query if self.config.data.query_attribute and is_query.any() else None

    def final(self, module: RunModule) -> dict[str, Any]:
        """Scores of the last and of the best weights on the test images, in one process."""
        metrics, selection = self.run.metrics(), self.config.selection_metric
        found: dict[str, Any] = {each: checkpoint_figures(metrics, selection, each) for each in CHECKPOINTS}
        found = {each: {name: value for name, value in figures.items() if name != "epoch"} for each, figures in found.items() if figures}
        if "last" in found:
            bounded = self.images.distances is not None
            queries, gallery = self.images.queries, self.images.gallery
            own = np.arange(len(queries)) if bounded and len(queries) == len(self.images.test) else None
            bounds = continuous_bounds(self._label_distances(queries, gallery), own) if bounded else {}
            step, tested = self._tested or (None, None)
            at_end = bounds | self._measured_once(module.judged, tested if step == self.step else None)
            found["last"] |= at_end
            if "best" in found and found["best"]["step"] != found["last"]["step"]:
                at_end |= self._measured_once_at_best(module.judged)
            if "best" in found:
                found["best"] |= at_end
            found["intervals"] = query_intervals(self.run)
        return found

    def _measured_once(self, network: EmbeddingNetwork, tested: Embeddings | None = None) -> dict[str, float]:
        """What is measured of the last and the best weights alone; `tested` are the test embeddings where they are known."""
        from likeness.training.loop.few_shot import few_shot_of_run

        config, test, train, found = self.config, self.images.test, self.images.train, dict[str, float]()
        size = config.data.image_size
        if config.matched_classes is not None or config.objective.matryoshka is not None:
            rows, labels = embed_rows(network, self.inputs, test, size) if tested is None else tested, self.images.labels[test]
        if config.matched_classes is not None:
            found["matched_recall_at_1"] = matched_recall(rows, labels, config.matched_classes)
        if config.objective.matryoshka is not None:
            dims, queries = config.objective.matryoshka.get("dims", MATRYOSHKA_DIMS), self._class_queries(test)
            found |= {f"recall_at_1_in_{dim}d": first_recall(unit_rows(rows[:, :dim], "The embeddings"), labels, queries) for dim in dims}
        if config.structure:
            measured = structure_metrics(embed_rows(network, self.inputs, train, size), self.images.labels[train])
            found |= {f"structure_{name}": value for name, value in measured.items()}
        if config.few_shot is not None:
            features = self.inputs[test] if config.backbone.head_only else backbone_outputs(network, self.inputs, test, size)
            found |= few_shot_of_run(network, features, self.data, config, self.progress)
        return found

    def _measured_once_at_best(self, network: EmbeddingNetwork) -> dict[str, float]:
        if self.config.matched_classes is None and not self.config.structure and self.config.few_shot is None:
            return {}
        last = {name: value.clone() for name, value in network.state_dict().items()}
        load_plain_state(network, read_weights(self.run.best))  # the file also contains the spherical map
        try:
            return self._measured_once(network)
        finally:
            network.load_state_dict(last)

    def _label_distances(self, queries: NDArray[np.int64], gallery: NDArray[np.int64]) -> NDArray[np.float32]:
        key = queries.tobytes()
        if key not in self._known_distances:
            assert self.images.distances is not None
            self._known_distances[key] = self.images.distances.between(queries, gallery)
        return self._known_distances[key]

    def on_save_checkpoint(self, trainer: Trainer, module: LightningModule, checkpoint: dict[str, Any]) -> None:
        """Adds what batches are drawn by, and rejects values that could be written but never read again."""
        if isinstance(self.data.batches, HardClassBatches) and self.data.batches.neighbors is not None:
            checkpoint["near_classes"] = torch.from_numpy(self.data.batches.neighbors)
        for name, state in checkpoint.get("callbacks", {}).items():
            content = BytesIO()
            try:
                torch.save(state, content)
                content.seek(0)
                torch.load(content, weights_only=True)
            except Exception as error:  # pickling a user's object can raise anything
                raise InputError(
                    f"The state of the callback {name} does not fit a checkpoint; use tensors, numbers, texts and lists of these."
                ) from cause_of(error)

    def _save(self, trainer: Trainer) -> None:
        """Writes a checkpoint atomically: called by all processes, written by the main one."""
        try:
            trainer.save_checkpoint(self.checkpoints.partial)
            if self.dist.is_main:
                self.run.sync_metrics()
                self.checkpoints.take_partial()
        finally:
            if self.dist.is_main:
                self.checkpoints.partial.unlink(missing_ok=True)

    def _save_weights(self, network: EmbeddingNetwork, spherical_map: SphericalMap | None, found: dict[str, float]) -> None:
        extra = {} if spherical_map is None else dict(zip(MAP_KEYS, spherical_map, strict=True))
        write_weights(self.run.best, plain_state(network) | extra, weights_metadata(network, self.config, {"step": self.step} | found))


def ends_early(stop_early: int | None, without_best: int) -> bool:
    """Whether a run ends early, after so many evaluations without improvement on the validation images."""
    return stop_early is not None and without_best >= stop_early
