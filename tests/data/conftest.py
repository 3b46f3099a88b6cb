"""Miniature copies of the published datasets in their official formats."""

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

Writer = Callable[[Path], Path]

CARS_NAMES = [
    *("AM General Hummer SUV 2000", "Acura RL Sedan 2012", "Dodge Magnum Wagon 2008", "FIAT 500 Abarth 2012"),
    *("Citroën C3 Pluriel Convertible 2012", "Land Rover LR2 SUV 2012"),
]
CARS_CLASSES = [1, 1, 2, 3, 4, 4, 4, 5, 5, 6]  # the last has one image
CUB_CLASSES = ["001.Black_footed_Albatross", "002.Laysan_Albatross", "003.Shiny_Cowbird", "004.Pájaro_Azul"]
CUB_IMAGES = [1, 1, 2, 3, 3, 4]
ATTRIBUTES = [
    *("floral", "graphic", "striped", "embroidered", "pleated", "solid", "lattice"),
    *("long_sleeve", "short_sleeve", "sleeveless"),
    *("maxi_length", "mini_length", "no_dress"),
    *("crew_neckline", "v_neckline", "square_neckline", "no_neckline"),
    *("denim", "chiffon", "cotton", "leather", "faux", "knit"),
    *("tight", "loose", "conventional"),
]
CATEGORIES = ["Anorak", "Button-Down", "Jeans", "Décolleté"]


def save_image(path: Path, shade: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (24, 16), (shade * 37 % 256, shade * 91 % 256, 255 - shade * 23 % 256)).save(path)


def structs(paths: Sequence[str], classes: Sequence[object], field: str) -> np.ndarray:
    """A struct array as MATLAB saves it, (1, n)."""
    boxes = ["bbox_x1", "bbox_y1", "bbox_x2", "bbox_y2"]
    fields = [field, *boxes, "class", *(["test"] if field == "relative_im_path" else [])]
    records = [(path, 1, 2, 20, 12, label, 0)[: len(fields)] for path, label in zip(paths, classes, strict=True)]
    return np.array(records, dtype=[(name, object) for name in fields]).reshape(1, -1)


def cell(names: Sequence[str]) -> np.ndarray:
    return np.array(names, dtype=object).reshape(1, -1)


def write_cars196(root: Path, names: Sequence[str] = CARS_NAMES, classes: Sequence[object] = CARS_CLASSES) -> Path:
    from scipy.io import savemat

    paths = [f"car_ims/{number:06}{'é' if number == 5 else ''}.jpg" for number in range(1, len(classes) + 1)]
    for number, path in enumerate(paths):
        save_image(root / path, number)
    savemat(root / "cars_annos.mat", {"annotations": structs(paths, classes, "relative_im_path"), "class_names": cell(names)})
    return root


def write_cars196_devkit(root: Path) -> Path:
    from scipy.io import savemat

    (root / "devkit").mkdir(parents=True)
    savemat(root / "devkit" / "cars_meta.mat", {"class_names": cell(CARS_NAMES)})
    parts = {"devkit/cars_train_annos.mat": ("cars_train", [4, 1, 6]), "cars_test_annos_withlabels.mat": ("cars_test", [1, 4, 5])}
    for file, (folder, classes) in parts.items():
        files = [f"{number:05}.jpg" for number in range(1, len(classes) + 1)]
        for number, name in enumerate(files):
            save_image(root / folder / name, number)
        savemat(root / file, {"annotations": structs(files, classes, "fname")})
    return root


def write_cub200(root: Path) -> Path:
    paths = [f"{CUB_CLASSES[label - 1]}/Bird_{number:04}_é.jpg" for number, label in enumerate(CUB_IMAGES, start=1)]
    for number, path in enumerate(paths):
        save_image(root / "images" / path, number)
    numbered = {"images": paths, "image_class_labels": CUB_IMAGES, "classes": CUB_CLASSES, "train_test_split": [0, 1] * 3}
    for name, values in numbered.items():
        (root / f"{name}.txt").write_text("".join(f"{number} {value}\n" for number, value in enumerate(values, start=1)), encoding="utf-8")
    return root


FLICKR_CAPTIONS = {
    "1001_a1.jpg": [
        "A brown dog runs on the beach .",
        "A dog running along the shore",
        "The brown dog is wet .",
        "A tan dog runs .",
        "dog by the sea",
    ],
    "1002_b2.jpg": ["Two men in the snow", "Two people ski", "A couple skiing .", "two skiers", "Snow and a man"],
    "1003_é3.jpg": ["A street", "A road at night", "Cars", "Traffic .", "No caption agrees"],
    "1004_d4.jpg": ["A girl on a swing", "A girl swings", "a child", "A girl laughs .", "girl in a red dress"],
    "1005_e5.jpg": ["Nothing to see"] * 5,
}


def write_flickr(root: Path) -> Path:
    """As Flickr8k is published: two photos train, one is for validation, two test."""
    names = list(FLICKR_CAPTIONS)
    for number, name in enumerate(names):
        save_image(root / "Flicker8k_Dataset" / name, number)
    lines = [f"{name}#{number}\t{caption}\n" for name, captions in FLICKR_CAPTIONS.items() for number, caption in enumerate(captions)]
    (root / "Flickr8k.token.txt").write_text("".join(lines), encoding="utf-8")
    for part, listed in (("train", names[:2]), ("dev", names[2:3]), ("test", names[3:])):
        (root / f"Flickr_8k.{part}Images.txt").write_text("".join(f"{name}\n" for name in listed), encoding="utf-8")
    return root


def write_online_products(root: Path) -> Path:
    """Two kinds; products 1 and 2 train, 3 to 5 test, the last with one image."""
    parts = {
        "train": [(1, 1, "bicycle"), (1, 1, "bicycle"), (2, 2, "coffee_maker")],
        "test": [(3, 1, "bicycle"), (4, 2, "coffee_maker"), (4, 2, "coffee_maker"), (5, 2, "coffee_maker")],
    }
    number = 0
    for part, images in parts.items():
        lines = ["image_id class_id super_class_id path"]
        for product, kind, name in images:
            number += 1
            path = f"{name}_final/{number}_é_{product}.JPG"
            save_image(root / path, number)
            lines.append(f"{number} {product} {kind} {path}")
        (root / f"Ebay_{part}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return root


def bits(*names: str) -> str:
    return " ".join("1" if name in names else "0" for name in ATTRIBUTES)


def write_deepfashion(root: Path) -> Path:
    parts = {
        "train": [(1, bits("floral", "long_sleeve", "denim", "tight"))],
        "val": [(2, bits("solid", "cotton", "loose"))],
        "test": [
            *((3, bits("solid", "no_dress", "cotton", "conventional")), (4, bits("floral", "striped", "faux", "conventional"))),
            (3, bits("solid", "sleeveless", "denim")),
        ],
    }
    fine = root / "Anno_fine"
    fine.mkdir(parents=True)
    for name, title, values in (("list_category_cloth", "category", CATEGORIES), ("list_attr_cloth", "attribute", ATTRIBUTES)):
        listed = "".join(f"{value:30} 1\n" for value in values)
        (fine / f"{name}.txt").write_text(f"{len(values)}\n{title}_name  {title}_type\n{listed}", encoding="utf-8")
    shade = 0
    for part, images in parts.items():
        paths = [f"img/Robe_Décolletée/img_{part}_{number:08}.jpg" for number in range(1, len(images) + 1)]
        for path in paths:
            save_image(root / "Img" / path, shade := shade + 1)
        for kind, values in (("", paths), ("_cate", [label for label, _ in images]), ("_attr", [text for _, text in images])):
            (fine / f"{part}{kind}.txt").write_text("".join(f"{value}\n" for value in values), encoding="utf-8")
    return root


def movie(id: object, genre: object, country: object, **more: object) -> str:
    """A movie as the metadata write it: JSON, but for the ObjectId, over several lines."""
    fields = json.dumps({"imdbID": id, "Genre": genre, "Country": country, **more}, ensure_ascii=False, indent=2)
    return '{\n  "_id" : ObjectId("56a4cd7bd21d59d8cb9e9f5a"),' + fields[1:] + "\n"


def write_movie_posters(root: Path) -> Path:
    years = {
        "1980": (movie("tt01", "Action, Drama", "USA, UK", Plot='Says "{no}" (twice)') + movie("tt02", "Comedy", "France"), "utf-8"),
        "1983": (movie("tt03", "Drama", "Côte d'Ivoire, France", Title="Été") + movie("tt04", "N/A", "N/A"), "utf-16"),
        "1990": (movie("tt05", "Western", "México") + movie("tt01", "Drama", "USA"), "latin-1"),
        "1991": (movie("tt06", "Sci-Fi", "Japan") + movie("tt07", "", None), "utf-16-le"),
    }
    truth = root / "Movie_Poster_Metadata" / "groundtruth"
    truth.mkdir(parents=True)
    for year, (text, encoding) in years.items():
        (truth / f"{year}.txt").write_bytes(text.encode(encoding))
    for number, path in enumerate(["1980/tt01", "1980/tt02", "1983/tt03", "1983/tt04", "1990/tt05", "1991/tt07"]):
        save_image(root / "Movie_Poster_Dataset" / f"{path}.jpg", number)
    return root


COLUMNS = "frame,model,rotation_z,color_hue,color_sat,color_val,bg_color_hue,bg_color_sat,bg_color_val,camera_loc_z,sun_elevation,sun_rotation"


def write_synthetic_cars(root: Path) -> Path:
    rows = [
        "2,Tesla Model S,0.1,0.5,2,2,0.5,0,2,1.5,0.3,0.4",
        "1,Mégane RS,0.2,0.17,2,1,0.0,2,1,1.5,0.3,0.4",
        "1000,Enzo,0.3,0.9,1,1,0.3,1,0.1,1.5,0.3,0.4",
        "1001,Enzo,0.4,0.2,0.3,1.9,0.6,1.2,1.3,1.5,0.3,0.4",
    ]
    for number, frame in enumerate((1, 2, 1000, 1001)):
        save_image(root / "images" / f"{frame}.png", number)
    (root / "samples.csv").write_text("\n".join([COLUMNS, *rows, ""]), encoding="utf-8")
    return root


MPII_IMAGES = {"trn": ["10", "2", "9", "b", "a/1"], "val": ["07", "1", "4", "5", "8", "90", "91"]}  # in the order in which they count


def mpii_distances(part: str) -> np.ndarray:
    """Distances between poses of a part: sums over three joints of the miniature."""
    joints = np.random.default_rng(len(part + part)).uniform(0, 288, (len(MPII_IMAGES[part]), 3, 2))
    return np.array([[sum(np.hypot(*(p - q)) for p, q in zip(a, b, strict=True)) for b in joints] for a in joints])


def mpii_lists(part: str) -> tuple[np.ndarray, np.ndarray]:
    """The others by ascending distance, and these distances, (n, n - 1)."""
    apart = mpii_distances(part)
    order = np.array([[other for other in np.argsort(row) if other != number] for number, row in enumerate(apart)])
    return order, np.take_along_axis(apart, order, axis=1)


def write_mpii_pose(root: Path) -> Path:
    from scipy.io import savemat

    for part, names in MPII_IMAGES.items():
        for number, name in enumerate(names):
            save_image(root / part / f"{name}.jpg", number)
    savemat(root / "dist_pose_val.mat", {"dist_pose_val": mpii_distances("val")})
    for which, file in enumerate(("list_nn.pkl", "dist_nn.pkl")):
        (root / file).write_bytes(pickle.dumps({part: mpii_lists(part)[which] for part in MPII_IMAGES}))
    return root


# Name, scene, type; four of type 4 train, which is the type with the most images, and four test.
LSUN_ROOMS = {
    "training": [("sun_a", "bedroom", 4), ("sun_b", "hotel_room", 5), ("sun_c", "bedroom", 4), ("sun_d", "kitchen", 4), ("sun_e", "bedroom", 4)],
    "validation": [("sun_f", "bedroom", 5), ("sun_g", "é", 4), ("sun_h", "bedroom", 4), ("sun_i", "b", 10), ("sun_j", "b", 4), ("sun_k", "b", 4)],
}


def room_layout(number: int) -> np.ndarray:
    """Left and right wall, and a floor that begins lower in each image."""
    layout = np.full((20, 30), 2, np.uint8)
    layout[:, 10 + number :] = 3
    layout[8 + number :] = 4
    return layout


def write_lsun_rooms(root: Path, rooms: dict[str, list[tuple[str, str, object]]] = LSUN_ROOMS) -> Path:
    from scipy.io import savemat

    (root / "layout_seg").mkdir(parents=True)
    number = 0
    for part, images in rooms.items():
        records = []
        for name, scene, kind in images:
            save_image(root / "images" / f"{name}.jpg", number)
            savemat(root / "layout_seg" / f"{name}.mat", {"layout": room_layout(number)})
            records.append((name, scene, kind, np.zeros((4, 2)), np.array([20, 30])))
            number += 1
        fields = [(field, object) for field in ("image", "scene", "type", "point", "resolution")]
        savemat(root / f"{part}.mat", {part: np.array(records, dtype=fields).reshape(1, -1)})
    return root


def write_coco_captions(root: Path) -> Path:
    """Two images that train, one that validates, two that test, of five sentences each."""
    images = []
    for number, split in enumerate(("train", "restval", "val", "test", "test")):
        place = "train2014" if split == "train" else "val2014"
        name = f"COCO_{place}_{number:012}.jpg"
        save_image(root / place / name, number)
        sentences = [{"raw": f"Sentence {i} of {number}.", "tokens": ["sentence"]} for i in range(5)]
        images.append({"filename": name, "filepath": place, "split": split, "sentences": sentences, "cocoid": number})
    (root / "dataset_coco.json").write_text(json.dumps({"images": images}), encoding="utf-8")
    return root


@pytest.fixture
def miniatures() -> dict[str, Writer]:
    """By the dataset's name what writes a miniature of it into a folder, which it returns."""
    writers = [write_cars196, write_coco_captions, write_cub200, write_deepfashion, write_flickr, write_lsun_rooms, write_movie_posters]
    writers += [write_mpii_pose, write_online_products, write_synthetic_cars]
    return {writer.__name__.removeprefix("write_").replace("_", "-"): writer for writer in writers}


@pytest.fixture
def root(request: pytest.FixtureRequest, miniatures: dict[str, Writer], tmp_path: Path) -> Path:
    """A folder with a miniature of the dataset that the file of tests names, alone in the folder that it lies in."""
    return miniatures[request.module.DATASET](tmp_path / "data" / "set")
