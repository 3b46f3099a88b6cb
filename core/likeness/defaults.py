"""What is used where nothing is named: both ship, and work offline."""

DATASET = "cars"
ENCODER = "cars"
# the notions that the InDiReCT paper measures on Synthetic Cars (Table 2)
PAPER_NOTIONS = ("car-model", "car-color", "background-color")
