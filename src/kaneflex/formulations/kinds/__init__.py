"""The formulations of the package, one file each: every file in this folder is found and registers its own, the usual one
first."""

from importlib import import_module
from pkgutil import iter_modules

for _name in sorted((found.name for found in iter_modules(__path__)), key=lambda name: (name != "recursive", name)):
    import_module(f"{__name__}.{_name}")
