"""What people say for every attribute value of Synthetic Cars. The first phrase of a value is the one zero-shot tests use."""

from collections.abc import Mapping

from experiments.renders.cars.scene import BODY_TYPES, CAMERA_HEIGHTS, DISTANCES, SUN_HEIGHTS, SUN_SIDES, VIEWPOINTS

Phrases = Mapping[str, tuple[str, ...]]

GENERIC_NOUNS = ("car", "vehicle", "automobile", "auto", "motor car")

BODY_PHRASES: Phrases = {
    "sedan": ("sedan", "saloon", "saloon car", "four-door sedan", "family sedan", "notchback", "sedan car"),
    "hatchback": ("hatchback", "hatch", "five-door hatchback", "compact hatchback", "small hatchback", "hatchback car"),
    "suv": ("suv", "sport utility vehicle", "off-roader", "4x4", "sport utility", "off-road vehicle", "jeep"),
    "pickup": ("pickup", "pickup truck", "truck", "pick-up", "pick-up truck", "truck with an open bed"),
    "van": ("van", "minivan", "cargo van", "delivery van", "transporter", "minibus", "panel van"),
    "convertible": ("convertible", "cabriolet", "cabrio", "roadster", "open-top car", "drop-top", "car without a roof", "spider"),
}

COLOR_PHRASES: Phrases = {
    "black": ("black", "jet black", "pitch black"),
    "silver": ("silver", "light gray", "light grey", "silvery"),  # codespell:ignore
    "gray": ("gray", "grey", "medium gray", "mid grey"),  # codespell:ignore
    "white": ("white", "snow white", "pure white"),
    "maroon": ("maroon", "dark red", "burgundy", "wine red"),
    "red": ("red", "bright red", "scarlet"),
    "purple": ("purple", "violet", "dark magenta", "plum"),
    "fuchsia": ("fuchsia", "magenta", "pink", "hot pink", "bright pink"),
    "green": ("green", "dark green", "forest green"),
    "lime": ("lime", "bright green", "lime green", "light green", "neon green"),
    "olive": ("olive", "olive green", "dark yellow", "olive drab"),
    "yellow": ("yellow", "bright yellow", "lemon yellow", "lemon"),
    "navy": ("navy", "navy blue", "dark blue", "midnight blue"),
    "blue": ("blue", "bright blue", "royal blue"),
    "teal": ("teal", "dark cyan", "petrol", "blue-green"),
    "aqua": ("aqua", "cyan", "turquoise", "bright cyan"),
    "orange": ("orange", "amber", "bright orange", "tangerine"),
}

_SIDES = {
    "front": ("front",),
    "front left": ("front left", "left front", "front and left"),
    "left": ("left", "left side"),
    "rear left": ("rear left", "back left", "left rear", "rear and left"),
    "rear": ("rear", "back"),
    "rear right": ("rear right", "back right", "right rear", "rear and right"),
    "right": ("right", "right side"),
    "front right": ("front right", "right front", "front and right"),
}
_SIDE_CLAUSES = ("seen from the {}", "viewed from the {}", "from the {}", "photographed from the {}", "showing its {}", "shown from its {}")
_MORE_SIDES = {
    "front": ("facing the camera", "facing us", "coming towards us", "seen head-on", "looking at us"),
    "left": ("in profile facing left", "seen from its left side", "pointing to the left"),
    "rear": ("facing away", "driving away from us", "seen from behind", "from behind", "turning its back to us"),
    "right": ("in profile facing right", "seen from its right side", "pointing to the right"),
}
VIEWPOINT_PHRASES: Phrases = {
    value: (*(clause.format(side) for clause in _SIDE_CLAUSES for side in _SIDES[value]), *_MORE_SIDES.get(value, ())) for value in VIEWPOINTS
}

CAMERA_PHRASES: Phrases = {
    "low": (
        "seen from a low angle",
        "seen from below",
        "from a low angle",
        "at ground level",
        "from ground level",
        "with a low camera",
        "from down low",
    ),
    "medium": ("seen from eye level", "at eye level", "from a medium height", "seen from slightly above", "with a camera at medium height"),
    "high": ("seen from above", "from high above", "from above", "from a high angle", "in bird's eye view", "from overhead", "with a high camera"),
}
DISTANCE_PHRASES: Phrases = {
    "near": ("close up", "up close", "from close by", "filling the picture", "near the camera", "from a short distance", "large in the picture"),
    "middle": ("at a medium distance", "from a medium distance", "at some distance", "at a middle distance", "neither near nor far"),
    "far": ("far away", "from far away", "from afar", "in the distance", "small in the picture", "from a long distance", "far from the camera"),
}
SUN_SIDE_PHRASES: Phrases = {
    "front": ("lit from the front", "front lit", "with the sun behind the camera", "with light from the front", "with the sun behind us"),
    "right": (
        "lit from the right",
        "with sun from the right",
        "with light from the right",
        "casting a shadow to the left",
        "with the sun on the right",
    ),
    "back": ("lit from behind", "backlit", "against the light", "with the sun behind the car", "casting a shadow towards us"),
    "left": ("lit from the left", "with sun from the left", "with light from the left", "casting a shadow to the right", "with the sun on the left"),
}
SUN_HEIGHT_PHRASES: Phrases = {
    "low": (
        "in low sun",
        "with a long shadow",
        "at sunset",
        "in evening light",
        "casting a long shadow",
        "with the sun low in the sky",
        "under a low sun",
    ),
    "high": (
        "in high sun",
        "with a short shadow",
        "at noon",
        "in midday light",
        "casting a short shadow",
        "with the sun high in the sky",
        "under a high sun",
    ),
}

PHRASES: Mapping[str, Phrases] = {
    "body_type": BODY_PHRASES,
    "car_color": COLOR_PHRASES,
    "background_color": COLOR_PHRASES,
    "viewpoint": VIEWPOINT_PHRASES,
    "camera_height": CAMERA_PHRASES,
    "distance_name": DISTANCE_PHRASES,
    "sun_side": SUN_SIDE_PHRASES,
    "sun_height": SUN_HEIGHT_PHRASES,
}
VALUES: Mapping[str, tuple[str, ...]] = {
    "body_type": BODY_TYPES,
    "car_color": tuple(COLOR_PHRASES),
    "background_color": tuple(COLOR_PHRASES),
    "viewpoint": VIEWPOINTS,
    "camera_height": CAMERA_HEIGHTS,
    "distance_name": DISTANCES,
    "sun_side": SUN_SIDES,
    "sun_height": SUN_HEIGHTS,
}

# Said of several values at once: attribute, the values, the clauses.
LOOSE_PHRASES: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    ("viewpoint", ("left", "right"), ("seen from the side", "in profile", "in side view", "from one side")),
    ("viewpoint", ("front left", "rear left", "rear right", "front right"), ("in three-quarter view", "seen from a corner", "seen at an angle")),
    ("viewpoint", ("front left", "front", "front right"), ("with its headlights in view", "with its front in view")),
    ("viewpoint", ("rear left", "rear", "rear right"), ("with its tail lights in view", "with its rear in view")),
    ("viewpoint", ("front left", "left", "rear left"), ("facing left", "heading left", "with its left side in view")),
    ("viewpoint", ("front right", "right", "rear right"), ("facing right", "heading right", "with its right side in view")),
    ("sun_side", ("left", "right"), ("lit from the side", "with light from one side")),
    ("camera_height", ("low", "medium"), ("not seen from above",)),
)
