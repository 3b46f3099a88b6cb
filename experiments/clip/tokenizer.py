"""The shipped CLIP's own word vocabulary, as a Hugging Face tokenizer."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.clip import captions, frames, phrases

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

CONTEXT_LENGTH = captions.LONGEST + 2
SPECIAL = ("<pad>", "<unk>", "<start>", "<end>")
PAD, UNKNOWN, START, END = range(4)
_WORD = re.compile(r"\w+")


def vocabulary(names: Iterable[str] = ()) -> list[str]:
    """Every word the captions can hold, and those of the given car names; special words first, then in order of first use."""
    texts: list[str] = [*captions.PREFIXES, *captions.BACKGROUND_CLAUSES, *phrases.GENERIC_NOUNS]
    texts += [phrase for values in phrases.PHRASES.values() for several in values.values() for phrase in several]
    texts += [phrase for _, _, several in phrases.LOOSE_PHRASES for phrase in several]
    texts += [frame for several in frames.FRAMES.values() for frame in several]
    texts += ["a an the and painted in", *names]
    words = dict.fromkeys(word for text in texts for word in _WORD.findall(text.lower()))
    return [*SPECIAL, *words]


def build_tokenizer(words: list[str]) -> "PreTrainedTokenizerFast":
    """A lower-casing tokenizer of whole words without punctuation: "<start> ... <end>", other words become "<unk>"."""
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(r"[^\w]+"), behavior="removed")
    tokenizer.post_processor = processors.TemplateProcessing(single="<start> $A <end>", special_tokens=[("<start>", START), ("<end>", END)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", unk_token="<unk>", bos_token="<start>", eos_token="<end>", model_max_length=CONTEXT_LENGTH
    )


def save_tokenizer(words: list[str], folder: Path) -> None:
    """Writes the tokenizer's files into a model folder."""
    build_tokenizer(words).save_pretrained(str(folder))
