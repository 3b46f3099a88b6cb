"""Control for the meaning of words: InDiReCT on words unrelated to the images."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from likeness.notions.indirect import InDiReCT
from likeness.notions.method import NotionMethod
from likeness.notions.notion import Notion

# things of kitchens, workshops, desks, orchestras and wardrobes: no animal, plant, vehicle, person, place, color or action
WORDS = (
    *("accordion", "alarm clock", "anvil", "armchair", "banjo", "basket", "bathtub", "battery", "bell", "binder", "blender", "bookcase", "bottle"),
    *("bowl", "bracelet", "broom", "bucket", "button", "calculator", "calendar", "candle", "carpet", "cello", "chisel", "clarinet", "coin", "comb"),
    *("compass", "cork", "corkscrew", "crayon", "cup", "cupboard", "curtain", "cymbal", "desk", "dictionary", "drawer", "drill", "drum", "earring"),
    *("envelope", "eraser", "fan", "faucet", "flashlight", "flute", "fork", "funnel", "glove", "glue", "grater", "guitar", "hammer", "hanger"),
    *("harmonica", "harp", "headphones", "hinge", "ink", "iron", "jar", "kettle", "key", "keyboard", "knife", "ladder", "ladle", "lamp", "lock"),
    *("magnet", "map", "mattress", "medal", "microphone", "microscope", "mirror", "mop", "nail", "napkin", "necklace", "needle", "newspaper", "oven"),
    *("paper clip", "pencil", "piano", "pillow", "pipe", "plate", "pliers", "printer", "purse", "radio", "razor", "refrigerator", "ring", "ruler"),
    *("saucer", "saw", "saxophone", "scale", "scarf", "scissors", "screw", "screwdriver", "shelf", "sieve", "sink", "soap", "sock", "spatula"),
    *("spoon", "stamp", "stapler", "stool", "stove", "suitcase", "tambourine", "tape", "teapot", "telephone", "television", "thermometer"),
    *("thimble", "tie", "toaster", "toothbrush", "towel", "trombone", "trumpet", "tuba", "vacuum cleaner", "vase", "violin", "wallet", "washer"),
    *("watch", "whistle", "wrench", "xylophone", "zipper"),
)


def with_other_words(notion: Notion, seed: int) -> Notion:
    """The notion with as many aspects drawn from `WORDS`, or from all pairs of them ("spoon and piano") if half of the words are fewer than its
    aspects: draws of most of the words would be nearly the same for every seed.

    Templates, attribute and dimensions stay, so that only the meaning of the words is removed.
    """
    pool = WORDS if 2 * len(notion.aspects) <= len(WORDS) else tuple(f"{one} and {other}" for one, other in combinations(WORDS, 2))
    drawn = np.random.default_rng(seed).choice(len(pool), len(notion.aspects), replace=len(notion.aspects) > len(pool))
    return replace(notion, aspects=tuple(pool[place] for place in drawn))


_OTHER_WORDS = "Control: InDiReCT on words unrelated to the images, in the same templates."
OTHER_WORDS = NotionMethod("other-words", "Other words", _OTHER_WORDS, lambda dim, seed: InDiReCT(dim, "exact", seed), learns_from="other text")
