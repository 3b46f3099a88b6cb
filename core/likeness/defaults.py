"""What is used where nothing is named: both ship, and work offline."""

DATASET = "cars"
ENCODER = "cars"
# the notions that the InDiReCT paper measures on Synthetic Cars (Table 2)
PAPER_NOTIONS = ("car-model", "car-color", "background-color")
# the least of the bounds that NumPy, torch and scikit-learn have
LARGEST_SEED = 2**32 - 1
