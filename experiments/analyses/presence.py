"""Is "nothing here matches" right? Every class as a query, with its images and without them."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from sklearn.metrics import roc_auc_score

from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import Format, OutputFile
from likeness.commands.terminal import print_table, progress_bar, write_csv
from likeness.data import ImageTable, read_captions, read_dataset
from likeness.notions import get_notion
from likeness.presence import FALSE_ALARMS, LEAST_ALIGNMENT, alignment, chance_of, competing_texts, match_scores, properties
from likeness.progress import Progress
from likeness.words import noun_tree, singular

if TYPE_CHECKING:
    from likeness.space import Space

Mask = np.ndarray[Any, np.dtype[np.bool_]]
NOTIONS = ("car-color", "background-color", "car-model", "viewpoint")
ALL, NONE, RARE = "all", "none", ("1", "3", "10")
AS_IT_IS, TURNED, OTHER_NAMES = "as it is", "turned images", "other names"
CHOSEN_ON = ("cars-small", "10 things, chosen on")  # sets on which score, threshold and gate were chosen
_DRAWS, _SMALL, _LEAST, _PAIRS, _ALIGNED = 6, 200, 5, 60, 500


class ImageSet(NamedTuple):
    """Images in an encoder's space, and of each query which of them show it. `exclusive`: each image shows one of the queries."""

    name: str
    space: "Space"
    shown: dict[str, Mask]
    exclusive: bool = True


def presence_table(sets: Sequence[ImageSet], seeds: Sequence[int] = range(3), *, progress: Progress | None = None) -> pd.DataFrame:
    """The answer for each query while all images that show it are there, none, or 1, 3 or 10 of them.

    Each seed draws four fifths of the images of a set. Controls, of the first seed: `turned images`, whose vectors are turned at random, so that no
    text has to do with them; `other names`: each query stands for the images of another one.

    Returns:
        A row per set, row, seed, query and `there`: images, accuracy (zero-shot, of all queries), recall (of this one), p_value, alignment, best (the
        similarity of the best image), answer.
    """
    rows: list[dict[str, Any]] = []
    for done, each in enumerate(sets):
        if progress:
            progress(done, len(sets), each.name)
        for seed in seeds:
            rows += _of_seed(each, seed, first=seed == seeds[0])
    return pd.DataFrame(rows)


def _of_seed(each: ImageSet, seed: int, first: bool) -> Iterator[dict[str, Any]]:
    random = np.random.default_rng(seed)
    kept = np.sort(random.permutation(len(each.space))[: max(2, round(0.8 * len(each.space)))])
    images, texts = np.asarray(each.space.vectors[kept]), list(each.shown)
    assert each.space.embed_texts is not None
    embed = each.space.embed_texts
    competing = {text: competing_texts(text, each.space.encoder) for text in texts}
    embed([*texts, *dict.fromkeys(other for others in competing.values() for other in others)])  # many at once are faster
    named = np.array(texts)[(images @ embed(texts).T).argmax(axis=1)]
    right: Mask = np.any([mask[kept] & (named == text) for text, mask in each.shown.items()], axis=0)
    accuracy = float(right.mean()) if each.exclusive else float("nan")
    turn = np.linalg.qr(random.normal(size=(images.shape[1],) * 2))[0].astype(np.float32)
    for at, text in enumerate(texts):
        shows: Mask = each.shown[text][kept]
        if not shows.any() or shows.all():
            continue
        vectors = embed([text, *competing[text]])
        common = {"images": each.name, "encoder": each.space.encoder_name, "seed": seed, "query": text, "count": len(images), "accuracy": accuracy}
        common["recall"] = float(right[shows].mean()) if each.exclusive else float("nan")
        own = random.permutation(np.flatnonzero(shows))
        others = each.shown[texts[(at + 1) % len(texts)]][kept]
        cases = [(AS_IT_IS, images, shows), *([(TURNED, images @ turn, shows), (OTHER_NAMES, images, others)] if first else ())]
        for name, rows, mask in cases:
            best, matches = rows @ vectors[0], match_scores(rows, vectors[0], vectors[1:])
            aligned = alignment(rows[:: -(-len(rows) // _ALIGNED)], vectors)
            for there in (ALL, NONE, *(RARE if first and name == AS_IT_IS else ())):
                here: Mask = np.logical_not(mask) if there != ALL else np.ones_like(mask)
                if there in RARE:
                    here[own[: int(there)]] = True
                p_value = chance_of(float(best[here].max()), matches[here])
                answer = "unclear" if aligned < LEAST_ALIGNMENT else "here" if p_value > FALSE_ALARMS else "absent"
                found = {"p_value": round(p_value, 5), "alignment": round(aligned, 3), "best": round(float(best[here].max()), 4), "answer": answer}
                yield {**common, "row": name, "there": there, **found}


def presence_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per set: zero-shot accuracy, the shares of answers while all or none of the images are there, mean ± spread over seeds; how well the
    p-value (and the controls) tell these apart, as AUC; and what one threshold on the best similarity would do that calls 5 % of all present queries
    of the other sets absent (`flat`).
    """
    lines = []
    plain = runs[runs["row"] == AS_IT_IS]
    for name, own in plain.groupby("images", sort=False):
        present, absent = (own[own["there"] == there] for there in (ALL, NONE))
        others = plain[(plain["images"] != name) & (plain["there"] == ALL)]["best"]
        flat = others.quantile(FALSE_ALARMS) if len(others) else float("nan")
        line = {"images": name, "chosen on": "yes" if str(name).startswith(CHOSEN_ON) else "no", "queries": own["query"].nunique()}
        line |= {"accuracy": f"{own['accuracy'].mean():.2f}", "alignment": f"{own['alignment'].mean():.2f}"}
        for title, part in (("shown", present), ("absent", absent)):
            line |= {f"{title}: {answer}": _spread(part, answer) for answer in ("absent", "unclear")}
        rare = own[own["there"].isin(RARE)]
        line |= {f"{there} shown: absent": f"{(part['answer'] == 'absent').mean():.2f}" for there, part in rare.groupby("there", sort=False)}
        line |= {"AUC": _auc(own, "p_value"), "AUC of best": _auc(own, "best")}
        controls = runs[(runs["images"] == name) & (runs["row"] != AS_IT_IS)]
        line |= {f"AUC, {row}": _auc(part, "p_value") for row, part in controls.groupby("row", sort=False)}
        turned = controls[controls["row"] == TURNED]
        line["unclear, turned"] = f"{(turned['answer'] == 'unclear').mean():.2f}" if len(turned) else ""
        line |= {"flat: shown": f"{(present['best'] < flat).mean():.2f}", "flat: absent": f"{(absent['best'] < flat).mean():.2f}"}
        lines.append(line)
    return pd.DataFrame(lines)


def parts_table(sets: Sequence[ImageSet]) -> pd.DataFrame:
    """Of how many queries the answer "here" names a part, too: a row per set, with the number of queries."""
    rows = []
    for each in sets:
        assert each.space.embed_texts is not None
        sample, several = np.asarray(each.space.vectors[:: -(-len(each.space) // _ALIGNED)]), []
        for text in each.shown:
            competing = competing_texts(text, each.space.encoder)
            vectors = each.space.embed_texts([text, *competing])
            several.append(properties(sample, vectors[0], vectors[1:], list(competing.values())) > 1)
        rows.append({"images": each.name, "queries": len(several), "a part is named": float(np.mean(several))})
    return pd.DataFrame(rows)


def _spread(part: pd.DataFrame, answer: str) -> str:
    shares = (part["answer"] == answer).groupby(part["seed"]).mean()
    return f"{shares.mean():.2f} ± {shares.std(ddof=1) if len(shares) > 1 else 0:.2f}"


def _auc(part: pd.DataFrame, column: str) -> str:
    part = part[part["there"].isin((ALL, NONE))]
    return f"{roc_auc_score(part['there'] == ALL, part[column]):.2f}" if part["there"].nunique() > 1 else ""


def car_sets(encoder: str) -> Iterator[ImageSet]:
    """The shipped cars by the aspects of four notions; by two properties at once; and few of them."""
    space = embedded(source_table("cars"), encoder)
    frame = space.table.frame
    for name in NOTIONS:
        notion = get_notion(name)
        values = frame[notion.attribute].astype(str).to_numpy()
        shown = {notion.templates[0].replace("{}", aspect): values == aspect for aspect in notion.aspects}
        yield ImageSet(f"{encoder}, {notion.name}", space, shown)
    few = space.replace(vectors=space.vectors[:_SMALL], images=source_table("cars").frame.iloc[:_SMALL], index=None)
    notion = get_notion(NOTIONS[0])
    values = frame[notion.attribute].astype(str).to_numpy()[:_SMALL]
    yield ImageSet(f"{encoder}, {notion.name}, {_SMALL} images", few, {f"a {each} car": values == each for each in sorted(set(values))})
    colors, bodies, behind = (frame[column].astype(str).to_numpy() for column in ("car_color", "body_type", "background_color"))
    pairs = [(color, body) for color in sorted(set(colors)) for body in sorted(set(bodies))]
    drawn = [pairs[place] for place in np.random.default_rng(0).permutation(len(pairs))[:_PAIRS]]
    shown = {f"a {color} {body}": (colors == color) & (bodies == body) for color, body in drawn}
    yield ImageSet(f"{encoder}, color and model", space, shown, exclusive=False)
    found = pd.DataFrame({"a": colors, "b": behind}).drop_duplicates().sample(_PAIRS, random_state=0)
    shown = {f"a {a} car in front of a {b} background": (colors == a) & (behind == b) for a, b in found.itertuples(index=False)}
    yield ImageSet(f"{encoder}, color and background", space, shown, exclusive=False)


def photo_sets(data: Path) -> Iterator[ImageSet]:
    """Photos of `../shared/data`, unpacked: CIFAR-100's classes, ten of them at a time, its superclasses, and birds by species and by kind."""
    space, labels = _classes(data / "cifar100", 30)
    names = sorted(set(labels))
    for seed in range(2 * _DRAWS):
        chosen = sorted(np.random.default_rng(seed).choice(names, 10, replace=False))
        name = "10 things, chosen on" if seed < _DRAWS else "10 things, others"
        yield _of_labels(f"{name} {seed}", *_where(space, labels, np.isin(labels, chosen)))
    yield _of_labels("CIFAR-100", space, labels)
    kinds = {each: kind for kind, members in json.loads((data / "cifar100_superclasses.json").read_text()).items() for each in members}
    yield _of_labels("CIFAR-100, kinds", space, np.array([kinds[each] for each in labels]))
    space, labels = _classes(data / "cub100/images", 10)
    yield _of_labels("birds, species", space, labels, "a photo of a {}, a type of bird")
    yield _of_labels("birds, kinds", space, np.array([each.rsplit("_", 1)[-1] for each in labels]))


def cifar_set(data: Path) -> ImageSet:
    """Thirty photos of each class of CIFAR-100."""
    return _of_labels("CIFAR-100", *_classes(data / "cifar100", 30))


def caption_sets(captions: Path, heads: Sequence[Path]) -> Iterator[ImageSet]:
    """Photos that trained nothing of an encoder's head (`python -m experiments.photos --leave-out`), by nouns of two captions and more."""
    for number, head in enumerate(heads):
        left_out = {Path(line).name for line in (head / "left_out.txt").read_text().splitlines() if line.strip() and not line.startswith("#")}
        table = read_dataset(captions)
        rows = [row for row, path in enumerate(table.paths()) if path.name in left_out]
        firsts = {table.paths()[row].name: row for row in reversed(rows)}
        space = embedded(ImageTable("captioned", table.root, table.frame.iloc[sorted(firsts.values())].reset_index(drop=True)), f"photos:{head}")
        words = [[set(map(singular, text.lower().split())) for text in texts] for texts in read_captions(table)]
        of_photo: dict[str, list[set[str]]] = {}
        for path, sentences in zip(table.paths(), words, strict=True):
            of_photo.setdefault(path.name, []).extend(sentences)
        photos = [of_photo[path.name] for path in space.table.paths()]
        known = noun_tree().seen_words()
        shown = {noun: np.array([sum(noun in each for each in texts) for texts in photos]) for noun in known}
        several = {f"a photo of a {noun}": counts > 1 for noun, counts in shown.items() if (counts > 1).sum() >= _LEAST}
        yield ImageSet(f"captioned photos {number}", space, several, exclusive=False)


def _classes(folder: Path, each: int) -> "tuple[Space, np.ndarray]":
    table = read_dataset(folder)
    first = table.frame.groupby("class", sort=False).head(each)
    space = embedded(ImageTable(table.name, table.root, first.reset_index(drop=True)), "photos")
    return space, space.table.frame["class"].astype(str).to_numpy()


def _where(space: "Space", labels: np.ndarray, kept: np.ndarray) -> "tuple[Space, np.ndarray]":
    return space.replace(vectors=space.vectors[kept], images=space.table.frame[kept].reset_index(drop=True), index=None), labels[kept]


def _of_labels(name: str, space: "Space", labels: np.ndarray, template: str = "a photo of a {}") -> ImageSet:
    return ImageSet(name, space, {template.replace("{}", each.replace("_", " ")): labels == each for each in sorted(set(labels))})


def main(
    data: Annotated[Path | None, typer.Option(help="Folder with cifar100, cub100 and flickr8k_700, unpacked; without it, only cars.")] = None,
    heads: Annotated[list[Path] | None, typer.Option(help="Encoder fitted on captioned photos with --leave-out, to be judged on the others.")] = None,
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of four fifths of the images.")] = 3,
    parts: Annotated[bool, typer.Option("--parts", help="Only how often the answer names a part of the query, on cars.")] = False,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Is it right when a search says that nothing matches? Each class is searched for with its images and without them.

    Shares of the answers "absent" and "unclear" (the encoder cannot tell) while the images are there (false alarms) and while they are not. Controls:
    vectors turned at random, names of other classes, and one threshold for the best similarity of all sets.

    Example: `python -m experiments.analyses presence --data DATA --heads HEADS/0 --heads HEADS/1 --seeds 2 --out experiments/results/presence.csv`
    """
    sets = [*car_sets("cars-small"), *car_sets("cars")]
    if parts:
        table = parts_table(sets)
        write_csv(out, table)
        print_table(table, format)
        return
    if data is not None:
        sets += [*photo_sets(data), *caption_sets(data / "flickr8k_700/captions.csv", heads or [])]
    with progress_bar("Presence") as progress:
        runs = presence_table(sets, range(seeds), progress=progress)
    summary = presence_summary(runs)
    write_csv(out, summary)
    print_table(summary, format)
