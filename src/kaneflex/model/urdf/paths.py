"""Where the mesh files of a robot are. Looks at names of files and at ROS_PACKAGE_PATH; reads nothing."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlparse

PACKAGED = ("package", "model")


def find_mesh(address: str, urdf: Path, packages: Mapping[str, str | Path]) -> Path | None:
    """The file that an address in a URDF stands for, or None where there is none; nothing is fetched.

    Args:
        address: "package://name/rest" (or "model://..."), "file:///...", or a path from the URDF's own folder.
        urdf: path of the URDF.
        packages: folders by package; those not named are looked for among the folders above the URDF, then on
            ROS_PACKAGE_PATH.
    """
    scheme, _, rest = address.partition("://")
    if not rest:
        candidates: Iterator[Path] = iter([urdf.parent / address])
    elif scheme in PACKAGED:
        name, _, inside = rest.partition("/")
        candidates = (folder / inside for folder in _folders(name, urdf, packages))
    elif scheme == "file":
        candidates = iter([Path(unquote(urlparse(address).path))])
    else:
        return None
    return next((path for path in candidates if path.is_file()), None)


def _folders(package: str, urdf: Path, packages: Mapping[str, str | Path]) -> Iterator[Path]:
    if package in packages:
        yield Path(packages[package])
    above = list(urdf.absolute().parents)
    path = [Path(entry) for entry in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if entry]
    for folder in [*above, *path]:
        if folder.name == package:
            yield folder
        yield folder / package
