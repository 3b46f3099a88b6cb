"""Dataset readers: one file per dataset, listed here."""

from likeness.data.readers import (
    caltech101,
    cars,
    cars196,
    coco_captions,
    cub200,
    deepfashion,
    flickr,
    google_landmarks,
    ilias,
    in_shop,
    inaturalist,
    lsun_rooms,
    market1501,
    movie_posters,
    mpii_pose,
    online_products,
    original_synthetic_cars,
)
from likeness.data.readers.dataset import Dataset

DATASETS: tuple[Dataset, ...] = (
    cars.DATASET,
    caltech101.DATASET,
    cars196.DATASET,
    coco_captions.DATASET,
    cub200.DATASET,
    deepfashion.DATASET,
    flickr.DATASET,
    google_landmarks.DATASET,
    ilias.DATASET,
    in_shop.DATASET,
    inaturalist.DATASET,
    lsun_rooms.DATASET,
    market1501.DATASET,
    movie_posters.DATASET,
    mpii_pose.DATASET,
    online_products.DATASET,
    original_synthetic_cars.DATASET,
)
