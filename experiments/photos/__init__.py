"""The encoder for photos: material, features, head and figures."""

from experiments.photos.train import train_photos as train_photos
