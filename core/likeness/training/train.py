"""A run from config to report: prepared, trained, evaluated, kept; stopped and resumed at any step."""

import contextlib
import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lightning import Callback, LightningModule, Trainer
from numpy.typing import NDArray
from torch.utils.data import DataLoader

from likeness.data.label_distances import nearest_labels
from likeness.errors import InputError
from likeness.evaluation import structure_metrics
from likeness.miners import ClassBatches, NeighbourBatches
from likeness.notions.threads import threads_for
from likeness.training.config import RunConfig
from likeness.training.language_side import build_guidance
from likeness.training.lift import Lift, lift_of
from likeness.training.memory import keep_memory
from likeness.training.module import RunModule, build_objective
from likeness.training.network import EmbeddingNetwork, build_network
from likeness.training.outputs import stored_outputs
from likeness.training.pixels import Pixels, load_pixels, middle
from likeness.training.run_data import Batches, Remaining
from likeness.training.run_folder import RunFolder, Status
from likeness.training.run_images import RunImages, run_images
from likeness.training.scores import continuous_bounds, continuous_scores, matched_recall, scores

Report = Callable[[str, int, int], None]
_EVALUATION_BATCH = 256
# Seconds between two writings of how the run stands.
_STATUS_SECONDS = 0.5


def train(config: RunConfig, folder: Path | str, report: Report | None = None) -> RunFolder:
    """Trains, or goes on with, the run of this config in this folder.

    Killed at any moment and called again, it ends with the weights of an undisturbed run (on the same machine): batches, crops and drawn
    tuples are functions of the seed and the step, and a checkpoint holds the rest.

    Args:
        config: what to do.
        folder: where the run lies or will lie.
        report: called with (what is done, done, total), to show progress.

    Returns:
        The run; its status is "finished", or "stopped" where a stop was asked for.

    Raises:
        InputError: anything in config or data that does not fit, a folder with another run, a loss that is not finite. The status then
            says so, and the last checkpoint stays.
    """
    run = RunFolder(folder)
    run.create(config)
    before = run.status()
    if before.pid != os.getpid():  # else begun by `processes.begin`, and asked to stop since, while this process came up
        run.clear_stop()
    if before.state == "running" and before.pid != os.getpid():
        raise InputError(f"The run in '{folder}' is running already (process {before.pid}); stop it first.")
    status = Status("running", before.step, before.total, "Reading images", os.getpid(), before.seconds)
    run.report_status(status)
    try:
        return _train(config, run, before, report or (lambda what, done, total: None))
    except InputError as error:
        run.report_status(_ended(run, str(error)))
        raise
    except OSError as error:
        told = f"Writing or reading failed: {error.strerror or error}; make room on the disk and resume the run."
        with contextlib.suppress(OSError):
            run.report_status(_ended(run, told))
        raise InputError(told) from error
    except (KeyboardInterrupt, SystemExit):  # Lightning answers an interruption by leaving the program
        now = run.status()
        run.report_status(Status("stopped", now.step, now.total, "Interrupted; resume the run to go on.", 0, now.seconds))
        raise KeyboardInterrupt from None
    except Exception as error:
        with contextlib.suppress(OSError):
            run.report_status(_ended(run, f"Ended by {type(error).__name__}: {error}"))
        raise


def _ended(run: RunFolder, message: str) -> Status:
    """Of a run that an error ended; what was asked to stop, while it read images say, has not failed."""
    now = run.status()
    return Status("stopped" if run.stop_requested() else "failed", now.step, now.total, message, 0, now.seconds)


def _train(config: RunConfig, run: RunFolder, before: Status, report: Report) -> RunFolder:
    images = run_images(config.data, config.seed)
    torch.manual_seed(config.seed)
    network = build_network(config.backbone)
    if not config.unit_embeddings:
        network.free_length(anew=config.backbone.dim is not None)
    inputs = _inputs(config, images, network, report, run.stop_requested)
    batches, epoch = _batches(config, images, report)
    objective = build_objective(config.objective, len(images.train_classes), network.head.out_features, network.feature_dim)
    guidance = build_guidance(config, images, report, network) if config.guidance else None
    if config.backbone.head_only:
        network.backbone = None
    module = RunModule(network, objective, guidance, config, epoch)
    watch = _Watch(run, images, inputs, config, epoch, before.seconds, report)
    _fit(config, run, module, Batches(inputs, images, batches, config.data.image_size, config.augment, config.seed, "view" in module.reads), watch)
    state = "stopped" if watch.stopped else "finished"
    if state == "finished":
        figures = watch.final(module)
        run.write_report({"name": config.name, "seconds": round(watch.seconds(), 1), "steps": watch.total} | figures)
    run.report_status(Status(state, watch.step, watch.total, "", 0, watch.seconds()))
    return run


def _batches(config: RunConfig, images: RunImages, report: Report) -> tuple[ClassBatches | NeighbourBatches, int]:
    """The batches, and how many make an epoch."""
    batch = config.batch
    if not config.objective.continuous:
        if config.data.split == "images":  # measured, not trained
            return ClassBatches([0, 0, 1, 1], 4, 2), 1
        return ClassBatches(images.labels[images.train], batch.size, batch.per_class, config.seed), max(1, len(images.train) // batch.size)
    assert images.distances is not None
    count = batch.pool or batch.nearest
    told = lambda done, total: report("Nearest labels", done, total)  # noqa: E731
    nearest = nearest_labels(images.distances, images.train, count, told, seed=config.seed)
    anchors = batch.size if batch.anchors == "all" else batch.drawn
    found = NeighbourBatches(nearest, batch.size, batch.nearest, batch.drawn, anchors, config.seed)
    return found, found.epoch


def _inputs(
    config: RunConfig, images: RunImages, network: EmbeddingNetwork, report: Report, should_stop: Callable[[], bool]
) -> "Pixels | NDArray[np.float32]":
    pixels = load_pixels(images.table, config.data.image_size, lambda done, total: report("Reading images", done, total), should_stop)
    if not config.backbone.head_only:
        return pixels
    everything = np.arange(len(images.table))
    return stored_outputs(network, pixels, everything, config.data.image_size, lambda done, total: report("Computing features", done, total))


def _fit(config: RunConfig, run: RunFolder, module: RunModule, data: Batches, watch: "_Watch") -> None:
    from lightning.pytorch.loggers import TensorBoardLogger

    resumed = run.checkpoint.is_file()
    start = _checked_step(run.checkpoint) if resumed else 0
    run.forget_after(start)
    watch.begin(start)
    loader = DataLoader(data, batch_size=None, sampler=Remaining(start, watch.total))
    with _quiet():
        trainer = Trainer(
            max_steps=watch.total,
            max_epochs=1,
            accelerator=config.device,
            devices=1,
            callbacks=[watch],
            logger=TensorBoardLogger(run.path, "tensorboard", version=""),
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            log_every_n_steps=1,
        )
        if start < watch.total:
            keep_memory()
            with threads_for(_multiply_adds(config, module)):
                trainer.fit(module, loader, ckpt_path=run.checkpoint if resumed else None, weights_only=True if resumed else None)
        elif resumed:
            module.load_state_dict(torch.load(run.checkpoint, weights_only=True)["state_dict"])
        else:
            watch.measure_untrained(module)


def _multiply_adds(config: RunConfig, module: RunModule) -> float:
    """Of a step's largest product; a whole backbone counts as large."""
    return config.batch.size * module.network.head.weight.numel() if config.backbone.head_only else float("inf")


def _checked_step(file: Path) -> int:
    try:
        return int(torch.load(file, weights_only=True)["global_step"])
    except (RuntimeError, KeyError, EOFError, ValueError, OSError) as error:
        raise InputError(f"The checkpoint '{file}' cannot be read ({error}); delete it to start the run anew.") from error


class _Watch(Callback):
    """Measures, evaluates, saves and stops a run."""

    def __init__(self, run: RunFolder, images: RunImages, inputs: Any, config: RunConfig, epoch: int, seconds: float, report: Report) -> None:
        self.report = report
        self.run, self.images, self.inputs, self.config, self.epoch = run, images, inputs, config, epoch
        self.total = config.epochs * epoch
        self.step, self.stopped, self._before, self._begun = 0, False, seconds, time.perf_counter()
        self._best, self._told = -1.0, 0.0

    def begin(self, start: int) -> None:
        """Takes up at this step."""
        self.step, self._begun = start, time.perf_counter()
        done = self.run.metrics()
        if "best_of" in done:
            self._best = float(done["best_of"].dropna().max()) if done["best_of"].notna().any() else -1.0
        self.run.report_status(Status("running", start, self.total, "", os.getpid(), self._before))

    def seconds(self) -> float:
        """Spent in training, earlier parts of the run included."""
        return self._before + time.perf_counter() - self._begun

    def on_train_batch_end(self, trainer: Trainer, module: LightningModule, outputs: Any, batch: Any, number: int) -> None:
        """After each step."""
        assert isinstance(module, RunModule)
        self.step = trainer.global_step
        row = {"step": self.step, "epoch": self.step / self.epoch, "rate": module.rate(), "seconds": round(self.seconds(), 2)} | module.losses
        if self.step % (self.config.evaluate_every * self.epoch) == 0 or self.step == self.total:
            row |= self._evaluate(module)
        self.run.append_metrics(row)
        self.report("Training", self.step, self.total)
        if trainer.logger:
            trainer.logger.log_metrics({name: value for name, value in row.items() if name not in ("step", "seconds")}, self.step)
        self.stopped = self.run.stop_requested() and self.step < self.total
        if self.stopped or self.step % self.config.checkpoint_every == 0 or self.step == self.total or self.config.judged_by in row:
            self._save(trainer)
        if time.perf_counter() - self._told > _STATUS_SECONDS:
            self._told = time.perf_counter()
            self.run.report_status(Status("running", self.step, self.total, "", os.getpid(), self.seconds()))
        if self.stopped:
            trainer.should_stop = True

    def measure_untrained(self, module: RunModule) -> None:
        """Of a run without steps; a second time, where it was killed before its report, as the first."""
        self.run.forget_after(-1)
        self._best = -1.0
        self.run.append_metrics({"step": 0, "epoch": 0.0, "seconds": round(self.seconds(), 2)} | self._evaluate(module))

    def _evaluate(self, module: RunModule) -> dict[str, float]:
        found = self._scores(module, self.images.test, self.images.queries)
        judged = found[self.config.judged_by]
        if len(held := self.images.validation):
            # as many queries of them as of the test images
            share = len(held) * len(self.images.queries) // max(1, len(self.images.test))
            scored = self._scores(module, held, held[np.arange(share) * len(held) // max(1, share)])
            found |= {f"validation_{name}": value for name, value in scored.items()}
            judged = scored[self.config.judged_by]
            module.judge(judged)
        if judged > self._best:
            self._best = judged
            found["best_of"] = judged
            _save_weights(module.network, self.run.best, self._lift(module.network))
        return found

    def _lift(self, network: EmbeddingNetwork) -> Lift | None:
        return None if network.unit else lift_of(embeddings(network, self.inputs, self.images.test, self.config.data.image_size))

    def _scores(self, module: RunModule, rows: NDArray[np.int64], queries: NDArray[np.int64]) -> dict[str, float]:
        seen, found = embeddings(module.network, self.inputs, rows, self.config.data.image_size), dict[str, float]()
        module.check_finite(float(np.square(seen, dtype=np.float64).sum()))
        if self.config.data.split != "images":
            found |= scores(seen, self.images.labels[rows], "cosine" if self.config.unit_embeddings else "euclidean")
        if self.images.distances is not None:
            asks = np.isin(rows, queries)
            found |= continuous_scores(self.images.distances.between(rows[asks], rows[~asks]), seen[asks], seen[~asks])
        return found

    def final(self, module: RunModule) -> dict[str, Any]:
        """Figures of the last and of the best weights on the test classes."""
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
        from likeness.training.few_shot import few_shot_scores

        rows, size = self.images.test, self.config.data.image_size
        features = self.inputs[rows] if self.config.backbone.head_only else stored_outputs(network, self.inputs, rows, size, keep=False)
        report = lambda done, total: self.report("Adapting to a few images", done, total)  # noqa: E731
        return few_shot_scores(network, features, self.images.labels[rows], self.config.few_shot, report)

    def _save(self, trainer: Trainer) -> None:
        temporary = self.run.path / ".checkpoint.partial"
        try:
            trainer.save_checkpoint(temporary)
            os.replace(temporary, self.run.checkpoint)
        finally:
            temporary.unlink(missing_ok=True)


def embeddings(network: EmbeddingNetwork, inputs: Any, rows: NDArray[np.int64], size: int) -> NDArray[np.float32]:
    """Embeddings (m, d) of rows of kept pixels or of features."""
    was, found = network.training, []
    network.eval()
    device = network.head.weight.device
    with torch.inference_mode():
        for start in range(0, len(rows), _EVALUATION_BATCH):
            taken = inputs[rows[start : start + _EVALUATION_BATCH]]
            shown = torch.from_numpy(taken) if taken.ndim == 2 else middle(taken, size)
            found.append(network(shown.to(device)).embeddings.float().cpu().numpy())
    network.train(was)
    return np.concatenate(found)


def _save_weights(network: EmbeddingNetwork, file: Path, lift: Lift | None) -> None:
    from safetensors.torch import save

    from likeness.files import write_atomic

    beside = {} if lift is None else {f"lift.{name}": value for name, value in lift._asdict().items()}
    write_atomic(file, save({name: value.contiguous() for name, value in (network.state_dict() | beside).items()}))


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Lightning tells of its own workings, meant for its own users."""
    loggers = [logging.getLogger(name) for name in ("lightning.pytorch", "lightning.fabric", "lightning.pytorch.utilities.rank_zero")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
