"""Movie Posters on miniature copies: JSON that is none, in several encodings."""

from pathlib import Path

import pytest
from tests.data import conftest as parts

from likeness.data.readers.movie_posters import read_movie_posters
from likeness.errors import InputError

DATASET = "movie-posters"


def test_the_first_genre_and_country_of_each_movie(root: Path) -> None:
    """In UTF-8, UTF-16 with and without a mark, and Latin-1; "N/A" is a label, a blank or missing value becomes it."""
    rows = read_movie_posters(root).frame.to_numpy().tolist()
    assert [[path.split("/", 1)[1], *labels] for path, *labels in rows] == [
        ["1980/tt01.jpg", "Action", "USA"],
        ["1980/tt02.jpg", "Comedy", "France"],
        ["1983/tt03.jpg", "Drama", "Côte d'Ivoire"],
        ["1983/tt04.jpg", "N/A", "N/A"],
        ["1990/tt05.jpg", "Western", "México"],
        ["1991/tt06.jpg", "Sci-Fi", "Japan"],
        ["1991/tt07.jpg", "N/A", "N/A"],
    ]


def test_a_movie_without_poster_stays_a_second_entry_does_not_count_and_a_poster_may_lie_in_another_year(root: Path) -> None:
    table = read_movie_posters(root)
    assert [path.name for path in table.paths() if not path.is_file()] == ["tt06.jpg"]
    assert list(table.frame["path"]).count("Movie_Poster_Dataset/1980/tt01.jpg") == 1
    posters = root / "Movie_Poster_Dataset"
    (posters / "1980" / "tt02.jpg").rename(posters / "1991" / "tt02.jpg")
    assert "Movie_Poster_Dataset/1991/tt02.jpg" in set(read_movie_posters(root).frame["path"])
    (root / "Movie_Poster_Metadata" / "groundtruth").rename(root / "groundtruth")
    assert len(read_movie_posters(root)) == 7


def test_lines_are_counted_in_any_encoding(root: Path) -> None:
    whole = parts.movie("tt01", "Drama", "USA")
    for content, said in (
        ((whole + "[1]\n").encode("utf-16"), rf"line {whole.count(chr(10)) + 1} is '\[1\]'"),
        (whole[:-4].encode(), r"In '1980\.txt' of Movie Posters, line \d+ is .*, expected a movie as JSON"),
    ):
        (root / "Movie_Poster_Metadata" / "groundtruth" / "1980.txt").write_bytes(content)
        with pytest.raises(InputError, match=said):
            read_movie_posters(root)
