# Sphinx configuration. Building needs no network.
import sys
from importlib.resources import files
from pathlib import Path

from kaneflex import __version__

sys.path.insert(0, str(Path(__file__).parent))  # gallery_pages, book_page, mathematics

project = "kaneflex"
author = "kaneflex developers"
copyright = "2026, kaneflex developers"
release = version = __version__

extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_parser"]
extensions += ["gallery_pages", "book_page", "mathematics"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["amsmath", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
napoleon_use_ivar = True  # attributes that are also members are described once
suppress_warnings = ["ref.python"]  # short names such as `t` belong to several classes

html_math_renderer = "mathml"  # of mathematics.py
html_theme = "furo"
html_title = f"kaneflex {release}"
# Formulas are MathML; ziamath, which draws it in other programs, brings a font that has what mathematics needs.
html_static_path = ["_static", str(files("ziamath") / "fonts" / "STIXTwoMath-Regular.ttf")]
html_css_files = ["kaneflex.css"]
