"""Captions of images: what they are scored by, a decoder over a grid of features, and its training (section 4.6 of the log-ratio paper)."""
