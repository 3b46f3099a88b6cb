"""Readers: one file for each dataset, and one line for each of them here."""

from likeness.data.readers import (
    caltech101,
    cars,
    cars196,
    clevr4,
    coco_captions,
    cub200,
    deepfashion,
    flickr,
    genecis,
    icir,
    lsun_rooms,
    movie_posters,
    mpii_pose,
    online_products,
    original_synthetic_cars,
    stanford40,
)
from likeness.data.readers.dataset import Dataset

DATASETS: tuple[Dataset, ...] = (
    cars.DATASET,
    caltech101.DATASET,
    cars196.DATASET,
    clevr4.DATASET,
    coco_captions.DATASET,
    cub200.DATASET,
    deepfashion.DATASET,
    flickr.DATASET,
    genecis.DATASET,
    icir.DATASET,
    lsun_rooms.DATASET,
    movie_posters.DATASET,
    mpii_pose.DATASET,
    online_products.DATASET,
    original_synthetic_cars.DATASET,
    stanford40.DATASET,
)
