"""Where the camera stands when a page is opened: the motion fills the drawing, and what travels far is followed."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from view import browser, handmade
from view.looks import FRAMES

Opener = Callable[..., browser.Page]


@pytest.fixture(scope="module")
def show(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opener]:
    """Open a scene in a page of its own."""
    if browser.CHROMIUM is None:
        pytest.skip(browser.MISSING)
    folder: Path = tmp_path_factory.mktemp("camera")
    with browser.Browser() as running:

        def opener(content: dict, data: bytes) -> browser.Page:
            page = running.open(handmade.write(folder / "page.html", content, data))
            page.run("kaneflex.ready.then(() => null)")
            assert page.problems == []
            return page

        yield opener


def moving(way: np.ndarray) -> tuple[dict, bytes]:
    """A scene of one ball that goes through points (K, 3), one each second."""
    blob = handmade.Blob()
    t = np.arange(len(way), dtype=float)
    pose = np.column_stack([way, np.ones(len(t)), np.zeros((len(t), 3))])
    ball = {"name": "ball", "parent": -1, "pose": blob.add(pose), "shapes": [{"type": "sphere", "radius": 0.05}]}
    run = {"name": "run", "t": blob.add(t, "f8"), "bodies": [ball]}
    return {"format": 1, "kind": "run", "title": "ball", "up": [0, 0, 1], "size": 2.0, "runs": [run], "plots": []}, blob.data


def pixel(page: browser.Page, t: float) -> np.ndarray:
    """Where the ball is at a time, from 0 to 1 across and down the drawing."""
    page.run(f"kaneflex.seek({t}); {FRAMES}")
    box = "document.querySelector('.kf-stage').getBoundingClientRect()"
    left, top, width, height = (page.run(f"{box}.{side}") for side in ("left", "top", "width", "height"))
    return (np.array(page.run("kaneflex.pixel(0, 0)")) - (left, top)) / (width, height)


def test_the_motion_fills_the_drawing(show: Opener) -> None:
    angle = 2 * np.pi * np.arange(41) / 40
    page = show(*moving(np.column_stack([np.cos(angle), np.sin(angle), 0 * angle])))
    places = np.array([pixel(page, k) for k in range(0, 41, 2)])
    assert places.min() > 0.02 and places.max() < 0.98
    assert np.ptp(places, axis=0).max() > 0.75
    assert np.abs((places.min(axis=0) + places.max(axis=0)) / 2 - 0.5).max() < 0.03


def test_the_camera_follows_what_travels_far(show: Opener) -> None:
    page = show(*moving(np.column_stack([np.linspace(0, 50, 11), np.zeros(11), np.zeros(11)])))
    start = pixel(page, 0)
    assert start == pytest.approx([0.5, 0.5], abs=0.1)
    assert pixel(page, 10) == pytest.approx(start, abs=0.01)
    page.resize(900, 800)  # the camera looks anew, at where the ball is now
    page.run(FRAMES)
    assert pixel(page, 10) == pytest.approx([0.5, 0.5], abs=0.1)
