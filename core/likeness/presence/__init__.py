"""Whether images show a text at all: "nothing here matches"."""

from likeness.presence.competing import competing_texts as competing_texts, known_words as known_words
from likeness.presence.presence import (
    FALSE_ALARMS as FALSE_ALARMS,
    LEAST_ALIGNMENT as LEAST_ALIGNMENT,
    Answer as Answer,
    Presence as Presence,
    alignment as alignment,
    chance_of as chance_of,
    match_scores as match_scores,
    presence as presence,
    properties as properties,
)
from likeness.presence.reading import unread as unread
