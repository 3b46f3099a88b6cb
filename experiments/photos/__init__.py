"""The photo encoder: data, features, head and scores."""

from experiments.photos.train import train_photos as train_photos
