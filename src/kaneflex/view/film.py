"""Films of a run: frames of a `Picture`, written by ffmpeg (MP4) or Pillow (GIF)."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kaneflex.model import checks
from kaneflex.model.checks import ModelError
from kaneflex.model.extras import optional
from kaneflex.model.files import atomic_write
from kaneflex.view.picture import INK, Picture
from kaneflex.view.scene import scene_of

if TYPE_CHECKING:
    from kaneflex.results.run import Run

Array = np.ndarray
KINDS = (".mp4", ".gif")
SHORTEST, LONGEST, USUAL = 2.0, 60.0, 14.0  # s that a film takes at the run's own pace, and else
MOST = 20_000  # frames
WIDEST = 7680  # pixels


def film(
    run: "Run",
    path: str | Path,
    *,
    fps: float = 25.0,
    speed: float | None = None,
    size: tuple[int, int] = (1280, 720),
    view: str = "iso",
    colour: str | None = None,
    deformation: float = 1.0,
) -> Path:
    """See `Run.animate`."""
    path = Path(path)
    if path.suffix.lower() not in KINDS:
        raise ModelError(f"a film cannot be written to {path.name}: give a name that ends in {' or '.join(KINDS)}")
    fps, span = checks.positive(fps, "fps"), float(run.t[-1] - run.t[0])
    if speed is None:
        speed = 1.0 if SHORTEST <= span <= LONGEST else span / USUAL or 1.0
    count = 1 + math.floor(span / checks.positive(speed, "speed") * fps + 1e-9)
    if count > MOST:
        raise ModelError(
            f"a film of {span:g} s at speed {speed:g} has {count} frames: give a speed of {span * fps / MOST:.3g} or more"
        )
    width, height = (2 * (checks.whole(n, "size of a film, pixels") // 2) for n in checks.items(size, "size"))
    if not (16 <= width <= WIDEST and 16 <= height <= WIDEST):
        raise ModelError(f"size of a film is {width} by {height} pixels: give 16 to {WIDEST}")
    checks.number(deformation, "deformation")
    if path.suffix.lower() == ".mp4":
        _encoder()  # says what to install before anything is drawn
    scene = scene_of({run.model.name: run}, run.model.name, colour=colour)
    picture = Picture(scene, (width, height), view, colour, deformation)
    times = run.t[0] + np.arange(count) * speed / fps
    frames = (_stamped(picture.at(float(t)), float(t)) for t in times)
    write = _mp4 if path.suffix.lower() == ".mp4" else _gif
    with atomic_write(path) as partial:
        write(partial, frames, fps, (width, height))
    return path


def _encoder() -> Any:
    return optional("imageio_ffmpeg", "films in MP4 need ffmpeg", "film", ", or write a .gif")


def _mp4(path: Path, frames: Iterator[Array], fps: float, size: tuple[int, int]) -> None:
    """H.264 in 4:2:0, which every player knows."""
    options = ["-f", "mp4", "-movflags", "+faststart", "-crf", "20"]
    writer = _encoder().write_frames(
        str(path), size, fps=fps, codec="libx264", quality=None, macro_block_size=2, output_params=options
    )
    writer.send(None)
    try:
        for frame in frames:
            writer.send(np.ascontiguousarray(frame))
    finally:
        writer.close()


def _gif(path: Path, frames: Iterator[Array], fps: float, size: tuple[int, int]) -> None:
    """Frames in 128 colours of the first one's, shown for hundredths of a second."""
    from PIL import Image

    first = Image.fromarray(next(frames)).quantize(128)
    rest = (Image.fromarray(frame).quantize(palette=first, dither=Image.Dither.NONE) for frame in frames)
    duration = max(20, round(100 / fps) * 10)
    first.save(path, format="GIF", save_all=True, append_images=rest, duration=duration, loop=0)


def _stamped(frame: Array, t: float) -> Array:
    """A frame with its time."""
    from matplotlib import get_data_path
    from PIL import Image, ImageDraw, ImageFont

    height = frame.shape[0]
    image = Image.fromarray(frame)
    font = ImageFont.truetype(str(Path(get_data_path()) / "fonts" / "ttf" / "DejaVuSans.ttf"), max(10, height // 30))
    ImageDraw.Draw(image).text((height // 36, height - height // 14), f"t = {t:.2f} s", fill=INK, font=font)
    return np.asarray(image)


__all__ = ["film"]
