"""The encoder for photos: material, features, head and figures."""

from experiments.photos.train import train_photos

__all__ = ["train_photos"]
