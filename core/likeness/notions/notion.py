"""A similarity notion in words: templates and aspects."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from likeness.errors import InputError
from likeness.notions.click import Click
from likeness.notions.composition import Combinable, Composition

_LONGEST_SLUG = 200  # file names have at most 255 bytes, with the suffix
_DIGITS = 12  # of the digest
# Windows opens devices under these names, whatever the suffix
_RESERVED = re.compile(r"con|prn|aux|nul|(com|lpt)\d")


@dataclass(frozen=True)
class Notion(Combinable):
    """A meaning of "similar", as text prompts (InDiReCT, section 3.1): every aspect in every template.

    Notions are added by +, subtracted by - and weighted by numbers (`likeness.notions.Composition`). InputError: no name; a template without "{}" or
    with several; no aspects, blank ones or only equal ones; a question, attribute, source or dataset that is not a text; a dim below 1; weights that
    `Composition` rejects, or a joined notion that has joined ones itself.

    Args:
        name: shown to people.
        template: text with exactly one "{}", or several such texts, whose prompts of an aspect are averaged (`likeness.notions.aspect_rows`).
        aspects: what varies, at least two different ones; repeated ones count repeatedly.
        question: the notion in a sentence, "Two cars are similar if they have the same color".
        attribute: label column that evaluates the notion, or None.
        source: origin of the aspects.
        dataset: name of the images it was made for.
        dim: dimensions of its space, or None: as many as its prompts suggest (`likeness.notions.suggest_dim`).
        joined: (weight, notion) of others added or subtracted, as in `likeness.notions.Composition`, reduced to what a fit needs.
        clicks: answers about pairs of images, from which these aspects were found (`likeness.clicked_notion`).

    Example:
        >>> Notion("car color", "a {} car", ["red", "blue"]).prompts
        ['a red car', 'a blue car']
    """

    name: str
    template: str | Sequence[str]  # a tuple, where there are several
    aspects: Sequence[str]  # a tuple
    question: str = ""
    attribute: str | None = None
    source: str = ""
    dataset: str = ""
    dim: int | None = None
    joined: tuple[tuple[float, "Notion"], ...] = ()
    clicks: tuple[Click, ...] = ()

    def __post_init__(self) -> None:
        templates = [self.template] if isinstance(self.template, str) else _texts(self.template, "templates", self.name)
        object.__setattr__(self, "template", templates[0] if len(templates) == 1 else tuple(templates))
        object.__setattr__(self, "aspects", tuple(aspect.strip() for aspect in _texts(self.aspects, "aspects", self.name)))
        if not isinstance(self.name, str) or not self.name.strip():
            raise InputError("The notion has no name; add one, such as 'car color'.")
        if not templates:
            raise InputError(f"The notion '{self.name}' has no template; add one, such as 'a {{}} car'.")
        for template in templates:
            _check_template(template)
        self._check_aspects()
        for key in ("question", "attribute", "source", "dataset"):
            if not isinstance(getattr(self, key), str) and (key, getattr(self, key)) != ("attribute", None):
                raise InputError(f"The {key} of the notion '{self.name}' is {getattr(self, key)!r}; expected a text, or nothing.")
        if self.dim is not None and (not isinstance(self.dim, int) or isinstance(self.dim, bool) or self.dim < 1):
            raise InputError(f"The notion '{self.name}' has the dim {self.dim!r}; expected a whole number of at least 1, or nothing.")
        self._check_joined()
        object.__setattr__(self, "clicks", tuple(self.clicks))
        if not all(isinstance(click, Click) for click in self.clicks):
            raise InputError(f"The clicks of the notion '{self.name}' must each be a likeness.notions.Click.")

    def _check_joined(self) -> None:
        nested = next((notion for _, notion in self.joined if notion.joined), None)
        if nested is not None:
            raise InputError(f"'{nested.name}' is a composition itself; join its notions one by one.")
        plain = ((float(weight), Notion(each.name, each.template, each.aspects, dim=each.dim)) for weight, each in self.joined)
        object.__setattr__(self, "joined", Composition(tuple(plain)).parts if self.joined else ())

    def _check_aspects(self) -> None:
        if not self.aspects:
            raise InputError(f"The notion '{self.name}' has no aspects; list what varies, such as red, blue and green.")
        blank = [row for row, aspect in enumerate(self.aspects, start=1) if not aspect]
        if blank:
            raise InputError(f"Aspect {blank[0]} of the notion '{self.name}' is blank; fill it in or remove it.")
        if len(set(self.aspects)) == 1:
            raise InputError(f"The notion '{self.name}' has only one aspect, '{self.aspects[0]}', so nothing varies; add another.")

    def restrict(self, aspects: Iterable[str]) -> "Notion":
        """The notion with some of its aspects only. InputError: an aspect that the notion lacks, or only one aspect.

        Args:
            aspects: at least two different ones, in any order.

        Example:
            >>> Notion("car color", "a {} car", ["red", "green", "blue"]).restrict(["blue", "red"]).prompts
            ['a red car', 'a blue car']
        """
        chosen = [aspect.strip() for aspect in _texts(aspects, "aspects", self.name)]
        unknown = [aspect for aspect in chosen if aspect not in self.aspects]
        if unknown:
            raise InputError(f"'{self.name}' has no aspect '{unknown[0]}'; it has {', '.join(dict.fromkeys(self.aspects))}.")
        kept = tuple(aspect for aspect in self.aspects if aspect in chosen)
        return replace(self, name=f"{self.name}[{', '.join(dict.fromkeys(kept))}]", aspects=kept, question="", clicks=())

    @property
    def templates(self) -> tuple[str, ...]:
        """The templates as a tuple, also a single one."""
        return (self.template,) if isinstance(self.template, str) else tuple(self.template)

    @property
    def prompts(self) -> list[str]:
        """The texts to encode: all aspects in the first template, then in the next one."""
        return [template.replace("{}", aspect) for template in self.templates for aspect in self.aspects]

    @property
    def content(self) -> list[str] | tuple[object, ...]:
        """What a fit depends on, equal for notions with the same fit: the prompts, or for several templates (templates, aspects); if joined,
        also the weight, content and dim of each notion.
        """
        own = self.prompts if len(self.templates) == 1 else (self.templates, self.aspects)
        return (tuple(own), *((weight, tuple(each.content), each.dim) for weight, each in self.joined)) if self.joined else own

    @property
    def slug(self) -> str:
        return slug(self.name)


def slug(name: str) -> str:
    """A file name, valid on all systems; equal for names that differ only in case, blanks, hyphens and underscores.

    Names of ASCII letters and digits are joined by hyphens: "car-color". Others become their ASCII part ("notion" if there is none) and a digest of
    the name, which makes them unique: "facade-1b8b3ef5a0c8". InputError: no letters, digits or symbols, or too long.
    """
    plain = name_key(name)
    if not any(unicodedata.category(sign)[0] in "LNS" for sign in plain):
        raise InputError(f"The name '{name}' has no letter or digit for a file name; choose another.")
    if len(plain) > _LONGEST_SLUG:
        raise InputError(f"The name '{name[:60]}…' is too long for a file name; choose one of at most {_LONGEST_SLUG} letters.")
    words = "-".join(re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()))
    return words if words == plain and not _RESERVED.fullmatch(words) else distinct_slug(name)


def distinct_slug(name: str) -> str:
    """The form of `slug` with a digest, for any name."""
    plain = name_key(name)
    words = "-".join(re.findall(r"[a-z0-9]+", unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()))[:_LONGEST_SLUG]
    return f"{words or 'notion'}-{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()[:_DIGITS]}"


def name_key(name: str) -> str:
    """Equal for names that people take for the same: ignores case, blanks, hyphens, underscores and the Unicode form of accents."""
    composed = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return re.sub(r"[\s_-]+", "-", composed).strip("-")


def parse_aspects(text: str) -> tuple[str, ...]:
    """Aspects from pasted text: one per line, or separated by commas, semicolons or tabs in a single line. Blank ones are dropped."""
    lines = [line for line in text.splitlines() if line.strip()]
    parts = re.split(r"[,;\t]", lines[0]) if len(lines) == 1 else lines
    stripped = (part.strip().strip("\"'").strip() for part in parts)
    return tuple(part for part in stripped if part)


def _check_template(template: str) -> None:
    count = template.count("{}")
    if count != 1:
        found = "no {}" if count == 0 else f"{count} times {{}}"
        raise InputError(f"The template '{template}' has {found}; write {{}} exactly once, where the aspect goes, as in 'a {{}} car'.")


def _texts(values: Iterable[object], what: str, name: str) -> list[str]:
    if isinstance(values, str | Mapping) or not isinstance(values, Iterable):
        raise InputError(f"The {what} of the notion '{name}' are {values!r}; expected a list of texts.")
    texts = list(values)
    wrong = [value for value in texts if not isinstance(value, str)]
    if wrong:
        raise InputError(f"The {what} of the notion '{name}' hold {wrong[0]!r}, which is not a text; put it in quotes.")
    return texts  # type: ignore[return-value]
