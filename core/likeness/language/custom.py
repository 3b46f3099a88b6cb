"""A language model that was given as an object: what a saved config says of it."""

from typing import NoReturn

from likeness.errors import InputError
from likeness.language.family import LanguageFamily


def _missing(name: str, target: str, device: str) -> NoReturn:
    raise InputError("The run is guided by a language model that was given as an object; pass it again: train(config, folder, language=...).")


CUSTOM_LANGUAGE = LanguageFamily("custom", "Own model", "The object that was given to `likeness.train` as `language`.", _missing, listed=False)
