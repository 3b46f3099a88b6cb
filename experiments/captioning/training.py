"""Training steps of a captioning model."""

import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from experiments.captioning.captioned import Captioned
from experiments.captioning.config import CaptioningConfig
from experiments.captioning.decoder import CAPTIONERS, Captioner, greedy, sample
from experiments.captioning.folder import CaptioningFolder
from experiments.captioning.losses import cross_entropy, self_critical
from experiments.captioning.metrics import CiderD
from experiments.captioning.reward import CaptionReward
from experiments.captioning.schedule import Stage, drawn_sentences, rate, sampling_chance
from experiments.captioning.speaking import describe
from experiments.captioning.tokenizer import tokenize
from experiments.captioning.vocabulary import PAD, build_vocabulary
from likeness.encoders import choose_device
from likeness.errors import InputError
from likeness.io import CheckpointFile
from likeness.progress import Progress
from likeness.training import Status

# Seconds between two writings of how it stands.
_STATUS_SECONDS = 0.5


class Training:
    """Two stages of steps on features, each step a function of the state before it, the seed and its number.

    Args:
        config: what to do.
        captioned: images and sentences.
        grid: (n, l, f) features of its images.
        place: where checkpoints and measurements go.
        seconds: spent so far.
        progress: called with (steps done, steps, what is being done).

    Attributes:
        step, total: steps done and in all.
        stages: "xe" and "rl".
        captioner, vocabulary: the model and its words.
        best, best_step: of each stage, CIDEr-D on the validation images of the best weights, and the step after which they were measured.
    """

    def __init__(
        self,
        config: CaptioningConfig,
        captioned: Captioned,
        grid: NDArray[np.float16],
        place: CaptioningFolder,
        seconds: Callable[[], float],
        progress: Progress,
    ) -> None:
        self.config, self.captioned, self.grid, self.place, self.seconds, self.progress = config, captioned, grid, place, seconds, progress
        self.words = [[words for sentence in own if (words := tokenize(sentence))] for own in captioned.captions]
        silent = next((row for row, own in enumerate(self.words) if not own), None)
        if silent is not None:
            raise InputError(f"The captions of '{captioned.table.frame['path'][silent]}' have no words; add some or exclude the image.")
        self.vocabulary = build_vocabulary([words for row in captioned.train for words in self.words[row]], config.min_count)
        self.vocabulary.save(place.vocabulary)
        xe = Stage("xe", 0, config.xe.epochs, config.xe.batch, captioned.train, config.seed)
        self.stages = (xe, Stage("rl", xe.last, config.rl.epochs, config.rl.batch, captioned.train, config.seed))
        self.step, self.total = 0, self.stages[1].last
        self.best, self.best_step = {"xe": -1.0, "rl": -1.0}, {"xe": 0, "rl": 0}
        self.device = choose_device(config.device)
        torch.manual_seed(config.seed)
        self.captioner = self._new_captioner().to(self.device)
        self.optimizer = torch.optim.Adam(self.captioner.parameters())
        self._judge = CiderD([self.words[row] for row in captioned.validation])
        self._reward: CaptionReward | None = None
        self._between, self._reported_at = True, 0.0
        self._checkpoints, self._note = CheckpointFile(place.checkpoint), ""

    def _new_captioner(self) -> Captioner:
        sizes = self.config.decoder
        model = CAPTIONERS[sizes.kind]
        return model(len(self.vocabulary), self.grid.shape[2], sizes.hidden, sizes.embedding, sizes.attention, sizes.dropout)

    def run(self) -> bool:
        """Trains to the end or until a stop is requested; whether it finished.

        Raises:
            InputError: a loss that is not finite, or a checkpoint that cannot be read.
            KeyboardInterrupt: as it came, after a checkpoint was written.
        """
        self._resume()
        try:
            for stage in self.stages:
                while stage.first <= self.step < stage.last:
                    self._between = False
                    self._advance(stage)
                    self._between = True
                    stopped = self.place.standing.stop_requested() and self.step < self.total
                    if stopped or self.step % self.config.checkpoint_every == 0 or self.step == stage.last:
                        self._save()
                    self.progress(self.step, self.total, "Training")
                    if stopped:
                        return False
        except KeyboardInterrupt:
            if self._between:  # else the step before is what the last checkpoint goes on to
                self._save()
            raise
        return True

    def _advance(self, stage: Stage) -> None:
        """One step, with the evaluation that follows it."""
        if self.step == stage.first and stage.name == "rl":
            self.place.load_best("xe", self.captioner)
            self.optimizer = torch.optim.Adam(self.captioner.parameters())
        torch.manual_seed(stage.torch_seed(self.step))
        chosen = self.config.xe if stage.name == "xe" else self.config.rl
        for group in self.optimizer.param_groups:
            group["lr"] = rate(chosen.rate, chosen.factor, chosen.every, stage.epoch(self.step))
        figures = self._learn_words(stage) if stage.name == "xe" else self._learn_rewards(stage)
        number, epoch = self.step + 1, stage.epoch(self.step)
        last = number == stage.last
        if stage.ends_epoch(self.step) and ((epoch + 1) % self.config.evaluate_every == 0 or last):
            figures |= self._evaluate(stage, number)
        self.place.standing.append_metrics({"step": number, "stage": stage.name, "epoch": epoch, "seconds": round(self.seconds(), 2)} | figures)
        self.step = number
        if time.perf_counter() - self._reported_at > _STATUS_SECONDS:
            self._reported_at = time.perf_counter()
            self.place.standing.report_status(Status("running", self.step, self.total, self._note, os.getpid(), self.seconds()))

    def _learn_words(self, stage: Stage) -> dict[str, float]:
        """A step of cross-entropy."""
        chosen, rows, rng = self.config.xe, stage.images(self.step), stage.draws(self.step)
        taken = [self.words[row][k] for row in rows for k in drawn_sentences(len(self.words[row]), chosen.per_image, rng)]
        targets = self.vocabulary.encode_all(taken, self.config.longest)
        targets = targets[:, : int((targets != PAD).sum(1).max())]
        self.captioner.train()
        memory = self.captioner.memory(self._features(rows)).rows(self._repeated(len(rows), chosen.per_image))
        shown = torch.from_numpy(targets).to(self.device)
        chance = sampling_chance(chosen.sampling, chosen.sampling_every, stage.epoch(self.step))
        log_probs, _ = self.captioner(memory, shown, chance)
        return {"loss": self._descend(cross_entropy(log_probs, shown, chosen.smoothing))}

    def _learn_rewards(self, stage: Stage) -> dict[str, float]:
        """A step of self-critical training: sampled sentences against the greedy one, decoded without dropout."""
        chosen, rows, steps = self.config.rl, stage.images(self.step), self.config.longest + 1
        features, images = self._features(rows), np.searchsorted(self.captioned.train, rows)
        self.captioner.eval()
        with torch.no_grad():
            usual = greedy(self.captioner, self.captioner.memory(features), steps)
        self.captioner.train()
        spoken = sample(self.captioner, self.captioner.memory(features).rows(self._repeated(len(rows), chosen.samples)), steps)
        baseline = self._rewards(usual.words, images)
        rewards = self._rewards(spoken.words, images.repeat(chosen.samples))
        advantage = torch.from_numpy(rewards - baseline.repeat(chosen.samples)).to(spoken.log_probs)
        loss = self._descend(self_critical(spoken.log_probs, spoken.words, advantage))
        return {"loss": loss, "reward": float(rewards.mean()), "reward_greedy": float(baseline.mean())}

    def _rewards(self, words: Tensor, images: NDArray[np.int64]) -> NDArray[np.float64]:
        if self._reward is None:
            self._reward = CaptionReward([self.words[row] for row in self.captioned.train], self.vocabulary, self.config.rl.reward_end)
        return self._reward(words.cpu().numpy(), images)

    def _features(self, rows: NDArray[np.int64]) -> Tensor:
        return torch.from_numpy(np.asarray(self.grid[rows])).to(self.device)

    def _repeated(self, count: int, times: int) -> Tensor:
        return torch.arange(count, device=self.device).repeat_interleave(times)

    def _descend(self, loss: Tensor) -> float:
        value = float(loss.detach())
        if not np.isfinite(value):
            raise InputError(f"The loss of step {self.step + 1} is {value}; use a smaller learning rate.")
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.captioner.parameters(), self.config.clip)
        self.optimizer.step()
        return value

    def _evaluate(self, stage: Stage, number: int) -> dict[str, float]:
        """CIDEr-D on the validation images; saves the weights if it is the best of the stage."""
        said = describe(self.captioner, self.grid, self.captioned.validation, self.vocabulary, self.config.longest, self.config.beam)
        found = float(self._judge.scores([text.split() for text in said]).mean())
        if found > self.best[stage.name]:
            self.best[stage.name], self.best_step[stage.name] = found, number
            self.place.save_best(stage.name, self.captioner)
        return {"cider_d": found}

    def _save(self) -> None:
        state = {"step": self.step, "model": self.captioner.state_dict(), "optimizer": self.optimizer.state_dict()}
        self._checkpoints.write(state | {"best": self.best, "best_step": self.best_step})

    def _take(self, state: dict[str, Any]) -> None:
        self.captioner.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.best, self.best_step = state["step"], state["best"], state["best_step"]

    def _resume(self) -> None:
        if self._checkpoints.is_there():
            self._checkpoints.read(self._take, map_location=self.device)
            self._note = self._checkpoints.note
        self.place.standing.drop_metrics_after(self.step)
        self.place.standing.report_status(Status("running", self.step, self.total, self._note, os.getpid(), self.seconds()))
