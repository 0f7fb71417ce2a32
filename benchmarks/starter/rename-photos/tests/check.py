"""1 if exactly the expected files are there with the contents they had, else 0."""

from pathlib import Path

EXPECTED = {
    "20310504_01.jpg": "IMG 2031-05-04 (1).jpg",
    "20310504_02.jpg": "IMG 2031-05-04 (2).JPG",
    "20310504_12.jpg": "IMG 2031-05-04 (12).jpg",
    "20301231_07.png": "IMG 2030-12-31 (7).PNG",
    "20310101_03.jpeg": "IMG 2031-01-01 (3).jpeg",
}
folder = Path("/app/photos")
found = {path.name: path.read_text(errors="replace") for path in folder.iterdir() if path.is_file()} if folder.is_dir() else {}
Path("/logs/verifier/reward.txt").write_text("1" if found == EXPECTED else "0")
