# Sphinx configuration. Building needs no network.
import sys
from pathlib import Path

from kaneflex import __version__

sys.path.insert(0, str(Path(__file__).parent))  # gallery_pages, book_page

project = "kaneflex"
author = "kaneflex developers"
copyright = "2026, kaneflex developers"
release = version = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "myst_parser"]
extensions += ["gallery_pages", "book_page"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
napoleon_use_ivar = True  # attributes that are also members are described once
suppress_warnings = ["ref.python"]  # short names such as `t` belong to several classes

html_theme = "furo"
html_title = f"kaneflex {release}"
html_static_path = ["_static"]
html_css_files = ["kaneflex.css"]
