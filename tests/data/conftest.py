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


def write_cars196_devkit(
    root: Path, names: Sequence[str] = CARS_NAMES, train: Sequence[object] = (4, 1, 6), test: Sequence[object] = (1, 4, 5)
) -> Path:
    from scipy.io import savemat

    (root / "devkit").mkdir(parents=True)
    savemat(root / "devkit" / "cars_meta.mat", {"class_names": cell(names)})
    parts = {"devkit/cars_train_annos.mat": ("cars_train", train), "cars_test_annos_withlabels.mat": ("cars_test", test)}
    for file, (folder, classes) in parts.items():
        files = [f"{number:05}.jpg" for number in range(1, len(classes) + 1)]
        for number, name in enumerate(files):
            save_image(root / folder / name, number)
        savemat(root / file, {"annotations": structs(files, classes, "fname")})
    return root


def write_cub200(root: Path, classes: Sequence[str] = CUB_CLASSES, images: Sequence[int] = CUB_IMAGES) -> Path:
    paths = [f"{classes[label - 1]}/Bird_{number:04}_é.jpg" for number, label in enumerate(images, start=1)]
    for number, path in enumerate(paths):
        save_image(root / "images" / path, number)
    numbered = {"images": paths, "image_class_labels": images, "classes": classes, "train_test_split": [0, 1] * (len(images) // 2)}
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


PRODUCTS = {
    "train": [(1, 1, "bicycle"), (1, 1, "bicycle"), (2, 2, "coffee_maker")],
    "test": [(3, 1, "bicycle"), (4, 2, "coffee_maker"), (4, 2, "coffee_maker"), (5, 2, "coffee_maker")],
}


def write_online_products(root: Path, parts: dict[str, list[tuple[int, int, str]]] = PRODUCTS) -> Path:
    """Two kinds; products 1 and 2 train, 3 to 5 test, the last with one image."""
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


def mpii_distances(part: str, count: int | None = None) -> np.ndarray:
    """Distances between poses of a part: sums over three joints of the miniature."""
    joints = np.random.default_rng(len(part + part)).uniform(0, 288, (count or len(MPII_IMAGES[part]), 3, 2))
    return np.array([[sum(np.hypot(*(p - q)) for p, q in zip(a, b, strict=True)) for b in joints] for a in joints])


def mpii_lists(part: str, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The others by ascending distance, and these distances, (n, n - 1)."""
    apart = mpii_distances(part, count)
    order = np.array([[other for other in np.argsort(row) if other != number] for number, row in enumerate(apart)])
    return order, np.take_along_axis(apart, order, axis=1)


def write_mpii_pose(root: Path, images: dict[str, list[str]] = MPII_IMAGES) -> Path:
    from scipy.io import savemat

    for part, names in images.items():
        for number, name in enumerate(names):
            save_image(root / part / f"{name}.jpg", number)
    savemat(root / "dist_pose_val.mat", {"dist_pose_val": mpii_distances("val", len(images["val"]))})
    for which, file in enumerate(("list_nn.pkl", "dist_nn.pkl")):
        (root / file).write_bytes(pickle.dumps({part: mpii_lists(part, len(names))[which] for part, names in images.items()}))
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


def write_coco_captions(root: Path, splits: Sequence[str] = ("train", "restval", "val", "test", "test")) -> Path:
    """Two images that train, one that validates, two that test, of five sentences each."""
    images = []
    for number, split in enumerate(splits):
        place = "train2014" if split == "train" else "val2014"
        name = f"COCO_{place}_{number:012}.jpg"
        save_image(root / place / name, number)
        sentences = [{"raw": f"Sentence {i} of {number}.", "tokens": ["sentence"]} for i in range(5)]
        images.append({"filename": name, "filepath": place, "split": split, "sentences": sentences, "cocoid": number})
    (root / "dataset_coco.json").write_text(json.dumps({"images": images}), encoding="utf-8")
    return root


IN_SHOP = [
    ("img/WOMEN/Dresses/id_00000002/02_1_front.jpg", "id_00000002", "train"),
    ("img/WOMEN/Dresses/id_00000002/02_2_side.jpg", "id_00000002", "train"),
    ("img/MEN/Tees_Tanks/id_00000004/03_1_front.jpg", "id_00000004", "train"),
    ("img/MEN/Denim/id_00007979/01_1_front é.jpg", "id_00007979", "query"),
    ("img/MEN/Denim/id_00007979/01_4_full.jpg", "id_00007979", "gallery"),
    ("img/WOMEN/Blouses_Shirts/id_00007980/02_1_front.jpg", "id_00007980", "query"),
    ("img/WOMEN/Blouses_Shirts/id_00007980/02_2_side.jpg", "id_00007980", "gallery"),
    ("img/WOMEN/Blouses_Shirts/id_00007980/03_1_front.jpg", "id_00007980", "gallery"),
]


def write_in_shop(root: Path) -> Path:
    """Two items train, two test: two queries, three images in the gallery."""
    for number, (path, _, _) in enumerate(IN_SHOP):
        save_image(root / "Img" / path, number)
    (root / "Eval").mkdir()
    lines = [str(len(IN_SHOP)), "image_name item_id evaluation_status", *(f"{path:70} {item} {part:10}" for path, item, part in IN_SHOP)]
    (root / "Eval" / "list_eval_partition.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return root


TAXA = [  # supercategory, kingdom, phylum, class, order, family, genus, name
    ("Aves", "Animalia", "Chordata", "Aves", "Passeriformes", "Icteridae", "Molothrus", "Molothrus ater"),
    ("Aves", "Animalia", "Chordata", "Aves", "Passeriformes", "Icteridae", "Molothrus", "Molothrus aeneus"),
    ("Plantae", "Plantae", "Tracheophyta", "Magnoliopsida", "Asterales", "Asteraceae", "Bellis", "Bellis perennis"),
    ("Plantae", "Plantae", "Tracheophyta", "Magnoliopsida", "Asterales", "Asteraceae", "Bellis", "Bellis annua"),
]
TAXON_KEYS = ("supercategory", "kingdom", "phylum", "class", "order", "family", "genus", "name")


def annotations(images: dict[str, int], names: Sequence[str] | None = None, ranks: Sequence[str] = TAXON_KEYS) -> str:
    """An annotation file of iNaturalist: path -> category."""
    categories = [{"id": id, **{key: value for key, value in zip(TAXON_KEYS, taxon, strict=True) if key in ranks}} for id, taxon in enumerate(TAXA)]
    for category, name in zip(categories, names or [], strict=False):
        category["name"] = name
    return json.dumps(
        {
            "info": {"year": 2018},
            "images": [{"id": 100 + number, "width": 24, "height": 16, "file_name": path} for number, path in enumerate(images)],
            "categories": categories,
            "annotations": [{"id": 7 + n, "image_id": 100 + n, "category_id": category} for n, category in enumerate(images.values())],
        }
    )


def write_inaturalist(root: Path) -> Path:
    """iNaturalist 2018: species 0 and 2 train, 1 and 3 test, each with images of both annotation files."""
    images = {f"train_val2018/{TAXA[species][0]}/{species}/{number:02}é.jpg": species for number, species in enumerate([0, 0, 1, 1, 2, 3, 3, 2])}
    for number, path in enumerate(images):
        save_image(root / path, number)
    first, second = (dict(list(images.items())[part]) for part in (slice(5), slice(5, None)))
    (root / "train2018.json").write_text(annotations(first), encoding="utf-8")
    (root / "val2018.json").write_text(annotations(second), encoding="utf-8")
    (root / "Inat_dataset_splits").mkdir()
    for part, species in (("train", (0, 2)), ("test", (1, 3))):
        listed = "".join(f"{path}\n" for path, own in images.items() if own in species)
        (root / "Inat_dataset_splits" / f"Inaturalist_{part}_set1.txt").write_text(listed, encoding="utf-8")
    return root


def write_inaturalist_2021(root: Path) -> Path:
    """iNaturalist 2021, the small training set: two images of each species train, one tests."""
    parts = {"train_mini": [0, 0, 1, 1, 2, 2, 3, 3], "val": [0, 1, 2, 3]}
    for part, species in parts.items():
        images = {f"{part}/{own:05}_{TAXA[own][-1].replace(' ', '_')}/{number}.jpg": own for number, own in enumerate(species)}
        for number, path in enumerate(images):
            save_image(root / path, number)
        (root / f"{part}.json").write_text(annotations(images), encoding="utf-8")
    return root


ILIAS = {"bold_bimp_000": (1, 2), "spry_fimblebop_841": (2, 1)}  # queries and positives of each object
ILIAS_TAXONOMY = {
    "product": {"food": {"cake": ["spry_fimblebop_841"], "other": ["wavy_zibby_944"]}},
    "other": {"other": {"other": ["bold_bimp_000"]}},
}


def write_ilias(root: Path) -> Path:
    number = 0
    for instance, (queries, positives) in ILIAS.items():
        place, id = root / "ilias_core" / instance, instance[-3:]
        for kind, letter, count in (("query", "Q", queries), ("pos", "P", positives)):
            for image in range(count):
                save_image(place / kind / f"{letter}{id}_{image:02}.jpg", number := number + 1)
                (place / kind / f"{letter}{id}_{image:02}_bbox.txt").write_text("1 2 10 8\n")
        (place / "query" / f"T{id}.txt").write_text(f"a blue  mug\nwith the number {id}\n", encoding="utf-8")
    (root / "taxonomy.json").write_text(json.dumps(ILIAS_TAXONOMY), encoding="utf-8")
    return root


LANDMARKS = {
    "train": {"0a1b": 7, "0a2b": 7, "1c3d": 142820},
    "index": {"a0b1": 7, "a0b2": 7, "a0b3": 8, "ffff": 9},
    "test": ("e001", "e002", "e003", "e004"),
}


def landmark_id(short: str) -> str:
    """An id of 16 signs."""
    return short * 4


def write_google_landmarks(root: Path) -> Path:
    """Three images train, two of them clean; two queries and one that is ignored search an index of four."""
    number = 0
    for folder, ids in LANDMARKS.items():
        for id in map(landmark_id, ids):
            save_image(root / folder / id[0] / id[1] / id[2] / f"{id}.jpg", number := number + 1)
    train, index, test = ({landmark_id(id): ids[id] if isinstance(ids, dict) else 0 for id in ids} for ids in LANDMARKS.values())
    first, *_, last = train
    rows = {
        "train.csv": ["id,url,landmark_id", *(f'{id},"https://upload.org/A,_{id} (é).jpg",{landmark}' for id, landmark in train.items())],
        "train_clean.csv": ["landmark_id,images", f"7,{first}", f"142820,{last}"],
        "index.csv": ["id", *index],
        "index_image_to_landmark.csv": ["id,landmark_id", *(f"{id},{landmark}" for id, landmark in index.items())],
        "test.csv": ["id", *test],
    }
    a, b, c, _ = index
    answers = ((f"{a} {b}", "Private"), ("None", "Ignored"), (f"{c} {a} {b}", "Public"), ("None", "Ignored"))
    rows["retrieval_solution_v2.1.csv"] = ["id,images,Usage", *(f"{id},{images},{usage}" for id, (images, usage) in zip(test, answers, strict=True))]
    for name, lines in rows.items():
        (root / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return root


MARKET1501 = {
    "bounding_box_train": ["0002_c1s1_000451_03.jpg", "0002_c2s1_000301_01.jpg", "0007_c3s3_077419_03.jpg"],
    "query": ["0001_c1s1_001051_00.jpg", "0003_c4s6_015641_00.jpg"],
    "bounding_box_test": [
        *("-1_c1s1_000401_03.jpg", "0000_c1s1_000151_01.jpg", "0000_c3s2_068767_02.jpg", "0001_c1s1_001051_03.jpg", "0001_c2s1_002301_01.jpg"),
        "0003_c1s6_015971_02.jpg",
    ],
}


def write_market1501(root: Path) -> Path:
    number = 0
    for folder, names in MARKET1501.items():
        for name in names:
            save_image(root / folder / name, number := number + 1)
        (root / folder / "Thumbs.db").touch()
    return root


@pytest.fixture
def miniatures() -> dict[str, Writer]:
    """By the dataset's name what writes a miniature of it into a folder, which it returns."""
    writers = [write_cars196, write_coco_captions, write_cub200, write_deepfashion, write_flickr, write_lsun_rooms, write_movie_posters]
    writers += [write_mpii_pose, write_online_products, write_synthetic_cars, write_in_shop, write_inaturalist, write_ilias]
    writers += [write_google_landmarks, write_market1501]
    return {writer.__name__.removeprefix("write_").replace("_", "-"): writer for writer in writers}


@pytest.fixture
def root(request: pytest.FixtureRequest, miniatures: dict[str, Writer], tmp_path: Path) -> Path:
    """A folder with a miniature of the dataset that the file of tests names, alone in the folder that it lies in."""
    return miniatures[request.module.DATASET](tmp_path / "data" / "set")
