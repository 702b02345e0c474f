"""The version of the package."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("kaneflex")
except PackageNotFoundError:  # running from a source tree that is not installed
    __version__ = "0"
