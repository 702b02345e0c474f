"""Sets formulas as MathML while the documentation is built, so that its pages show them without a network or a script.

A formula that cannot be set is a warning, and with `sphinx-build -W` an error.
"""

from html import escape
from typing import Any

from docutils import nodes
from math_core import LatexError, LatexToMathML
from sphinx.util import logging

logger = logging.getLogger(__name__)
# `\widetilde` stretches over what it stands on where the browser's font lets it, and is a plain tilde elsewhere.
CONVERTER = LatexToMathML(allow_unreliable_rendering=True, fancy_error=False)


def mathml(text: str, node: nodes.Element, is_block: bool) -> str:
    """A formula in LaTeX as MathML; where it is none, the formula as it was typed, and a warning."""
    try:
        return CONVERTER.convert_with_local_state(text, displaystyle=is_block)
    except LatexError as e:
        logger.warning("a formula cannot be set: %s in %s", e, text, location=node)
        return f"<code>{escape(text)}</code>"


def inline(writer: Any, node: nodes.math) -> None:
    """A formula in a line of text."""
    writer.body.append(f'<span class="math notranslate">{mathml(node.astext(), node, False)}</span>')
    raise nodes.SkipNode


def block(writer: Any, node: nodes.math_block) -> None:
    """A formula in lines of its own, which can be scrolled, by keys too, where a window is narrower."""
    formula = mathml(node.astext(), node, True)
    writer.body.append(f'<div class="math notranslate" tabindex="0">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Make this what sets formulas in pages."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
