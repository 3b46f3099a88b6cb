"""Manufacturer and type of a car from its class name in Cars196, such as "Aston Martin V8 Vantage Coupe 2012".

The InDiReCT paper counts 35 manufacturers and seven types among the 98 test classes. Its authors read both from a table of their own,
which is not public. The rules here give the same numbers, and for a random embedding the paper's R-precision on types (0.171, the chance
that two images are of one type): vans with minivans as one type and pickups as another give 0.171, pickups counted as SUVs 0.199, as vans
0.174, and minivans apart from vans would make eight types.
"""

NO_TYPE = "(none)"

_TWO_WORDS = ("AM General", "Aston Martin", "Land Rover")
_TYPES = {
    "Cab": "pickup",
    "Convertible": "convertible",
    "Coupe": "coupe",
    "Hatchback": "hatchback",
    "Minivan": "van",
    "SUV": "SUV",
    "Sedan": "sedan",
    "SuperCab": "pickup",
    "Van": "van",
    "Wagon": "wagon",
}
# The classes whose names say no type. The authors' notebook shows the Abarth as a hatchback; the others are common knowledge. Only the
# last three are among the test classes, and wagons are not among them at all.
_UNSAID = {
    "Acura Integra Type R 2001": "coupe",
    "Acura TL Type-S 2008": "sedan",
    "Buick Regal GS 2012": "sedan",
    "Chevrolet Cobalt SS 2010": "coupe",
    "Chevrolet Corvette Ron Fellows Edition Z06 2007": "coupe",
    "Chevrolet Corvette ZR1 2012": "coupe",
    "Chevrolet HHR SS 2010": "wagon",
    "Chevrolet TrailBlazer SS 2009": "SUV",
    "Chrysler 300 SRT-8 2010": "sedan",
    "Dodge Challenger SRT8 2011": "coupe",
    "Dodge Charger SRT-8 2009": "sedan",
    "FIAT 500 Abarth 2012": "hatchback",
    "Jaguar XK XKR 2012": "coupe",
    "Lamborghini Gallardo LP 570-4 Superleggera 2012": "coupe",
}


def manufacturer(class_name: str) -> str:
    """The first word of the class name, or the first two where the manufacturer's name has two."""
    for name in _TWO_WORDS:
        if class_name.startswith(f"{name} "):
            return name
    return class_name.split(maxsplit=1)[0] if class_name.strip() else class_name


def car_type(class_name: str) -> str:
    """The last word that names a type ("Wagon Van" is a van); known for the 14 official names that have none, "(none)" for others."""
    named = [_TYPES[word] for word in class_name.split() if word in _TYPES]
    return named[-1] if named else _UNSAID.get(class_name, NO_TYPE)
