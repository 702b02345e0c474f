# Sphinx configuration. Building needs no network.
from importlib.metadata import version as installed_version

project = "kaneflex"
author = "kaneflex developers"
copyright = "2026, kaneflex developers"
release = version = installed_version("kaneflex")

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "myst_parser"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]

autodoc_member_order = "bysource"
napoleon_use_ivar = True  # attributes that are also members are described once
suppress_warnings = ["ref.python"]  # short names such as `t` belong to several classes

html_theme = "furo"
html_title = f"kaneflex {release}"
