"""What is used where nothing is named: both ship, and work offline."""

DATASET = "cars"
ENCODER = "cars"
