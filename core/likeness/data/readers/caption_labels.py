"""Derive labels of photos from words in their captions, by vote.

The rule, the same for every dataset with several captions a photo:

1. A caption votes for each label whose pattern it contains, in lower case, as whole words. `number_of_people` is counted instead, see `_people`.
2. The label with the most votes is the photo's, if it has at least as many as the attribute's `agree`.
3. With fewer votes, or where two labels have equally many, the photo is left `UNLABELED`, and nothing is judged by it. So it is where captions vote
   for that: of several dogs, none is the photo's.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from likeness.data.table import UNLABELED

Votes = Callable[[str], set[str]]


@dataclass(frozen=True)
class CaptionRule:
    """A rule that labels photos by captions: `votes` returns the labels of a lower-case caption, `labels` are all labels, spelled as the notion's
    aspects, and `agree` is the minimum number of votes.
    """

    votes: Votes
    labels: tuple[str, ...]
    agree: int


def _words(patterns: Mapping[str, str], agree: int) -> CaptionRule:
    compiled = {label: re.compile(rf"\b(?:{pattern})\b") for label, pattern in patterns.items()}
    labels = tuple(label for label in patterns if label != UNLABELED)
    return CaptionRule(lambda caption: {label for label, pattern in compiled.items() if pattern.search(caption)}, labels, agree)


_SETTING = {
    "beach": "beach(es)?|shore|seashore|shoreline|seaside",
    "snow": "snow|snowy|snowbank|ski|skis|skiing|skiers?|snowboard|snowboarders?|snowboarding",
    "street": "streets?|road|roadway|sidewalk|crosswalk|pavement|traffic",
    "grass": "grass|grassy|lawn|meadow|field|yard",
    # not what is drunk, sprayed or painted with
    "water": "(in|into|on|onto|over|through|near|by|beside|across|of|from|under) (the |a |some |shallow |deep |blue |body of )*water|underwater|"
    "lake|river|pool|ocean|sea|pond|stream|waves?|creek",
}
_ACTIVITY = {
    "running": "run|runs|running|races|racing|chases?|chasing",
    "jumping": "jumps?|jumping|leaps?|leaping",
    "climbing": "climbs?|climbing|climbers?",
    "riding": "rides?|riding|biking|bicycling|bicyclists?|bikers?|cyclists?",
    "swimming": "swims?|swimming|swimmers?",
    "walking": "walks?|walking",
    "sitting": "sits?|sitting|seated",
    "standing": "stands?|standing",
}
_DOG = r"(?:\w+ )?(?:dogs?|pupp(?:y|ies)|poodle|labrador|lab|retriever|terrier)"
_BROWN = "(?:brown|tan|golden|yellow|beige)"
_DOG_COLOR = {
    UNLABELED: r"dogs|puppies|(?:an)?other dog|dog\b.+\bdog",  # several dogs, perhaps of several colors
    "black": rf"(?<!and )(?<!and)black {_DOG}",
    "white": rf"(?<!and )(?<!and)white {_DOG}",
    "brown": rf"(?<!and )(?<!and){_BROWN} {_DOG}",
    "black and white": rf"(?:black and white|white and black) {_DOG}",
    "brown and white": rf"(?:{_BROWN} and white|white and {_BROWN}) {_DOG}",
}

_ONE = (
    "man|woman|boy|girl|child|kid|baby|toddler|infant|person|guy|lady|gentleman|teenager|adult|player|climber|hiker|skier|snowboarder|surfer|biker|"
    "bicyclist|cyclist|runner|swimmer|rider|skateboarder|skater|worker|musician|singer|dancer|performer|athlete|cowboy|fisherman|soldier|clown|bride|"
    "wakeboarder|kayaker|motorcyclist|diver|racer|goalie|batter|pitcher|somebody|someone"
)
_MANY = (
    "men|women|boys|girls|children|kids|babies|toddlers|infants|people|persons|guys|ladies|teenagers|adults|players|climbers|hikers|skiers|"
    "snowboarders|surfers|bikers|bicyclists|cyclists|runners|swimmers|riders|skateboarders|skaters|workers|musicians|singers|dancers|performers|"
    "athletes|cowboys|fishermen|soldiers|clowns|friends|sisters|brothers|divers|racers"
)
_SINGLE, _PLURAL = re.compile(rf"\b(?:{_ONE})\b"), re.compile(rf"\b(?:(two|couple of)\b(?: \w+){{0,3}} )?(?:{_MANY})\b")
_COUPLE, _GROUP = re.compile(r"\b(?:couple|pair)\b(?! of\b)"), re.compile(r"\b(?:crowds?|crowded|family|team|band|audience|spectators)\b")
_NUMBERS = ("no people", "one person", "two people", "a group of people")


def _people(caption: str) -> set[str]:
    """Number of people in a caption: one per singular word, two per "two ..." and "couple", a group per other plural."""
    several = [2 if match[1] else 3 for match in _PLURAL.finditer(caption)]
    count = len(_SINGLE.findall(caption)) + sum(several) + 2 * len(_COUPLE.findall(caption)) + 3 * len(_GROUP.findall(caption))
    return {_NUMBERS[min(count, 3)]}


CAPTION_RULES: dict[str, CaptionRule] = {
    "setting": _words(_SETTING, agree=2),
    "activity": _words(_ACTIVITY, agree=2),
    "dog_color": _words(_DOG_COLOR, agree=2),
    "number_of_people": CaptionRule(_people, _NUMBERS, agree=3),
}


def caption_label(captions: Sequence[str], rule: CaptionRule) -> str:
    """The label of a photo with these captions, or `UNLABELED`.

    >>> caption_label(["A dog in the snow .", "A dog runs through deep snow", "A dog"], CAPTION_RULES["setting"])
    'snow'
    """
    votes = Counter(label for caption in captions for label in rule.votes(caption.lower()))
    (first, most), (_, second) = [*votes.most_common(2), ("", 0), ("", 0)][:2]
    return first if most >= rule.agree and most > second else UNLABELED


def caption_labels(captions: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """One column of labels per rule of `CAPTION_RULES`, from the captions of n photos."""
    return {attribute: [caption_label(each, rule) for each in captions] for attribute, rule in CAPTION_RULES.items()}
