"""How Sphinx builds the site. ``scripts/docs`` calls it."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

import sphinx.pycode.parser
from docutils.nodes import Node, SkipNode, math, math_block
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.ext.napoleon import Config, GoogleDocstring
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

import jaxpoker

project = "jaxpoker"
author = project_copyright = "The jaxpoker authors"
release = jaxpoker.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

html_theme = "furo"
html_title = f"jaxpoker {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"  # see below
add_module_names = False
toc_object_entries = False  # the contents of a reference page are its modules

# --- the reference, from the docstrings ---------------------------------------------------------

autodoc_default_options = {
    "members": True,
    "undoc-members": True,
    "member-order": "bysource",
    "ignore-module-all": True,  # a thing is described where it is written, not again where it is exported
}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"ArrayLike": "ArrayLike"}

# Fields say what they are in the comment beside them; Sphinx by itself reads only those that begin with "#:".
sphinx.pycode.parser.comment_re = re.compile(r"^\s*#:? ?(.*)\r?\n?$")

nitpicky = True
# Of others, whose documentation is not at hand while this is built; and type variables, which are described nowhere.
OTHERS = (
    "collections fractions pathlib types jax jaxlib np numpy flax nnx optax mctx pgx gymnax rich tyro starlette "
    "gymnasium pyspiel open_spiel pokerkit uvicorn io"
)
OTHERS_ALONE = "Array ArrayLike Axes Console Figure TypeAliasForwardRef"
VARIABLES = "Arguments Cards ConfigT FOLDER Found Net Number Result SessionTable T"
nitpick_ignore_regex = [
    ("py:.*", rf"({'|'.join(OTHERS.split())})\..*"),
    ("py:class", rf"(jaxpoker\..*\.)?({'|'.join(f'{OTHERS_ALONE} {VARIABLES}'.split())})"),
]
MARKUP = re.compile(r"([*|`\\]|_\b)")
suppress_warnings = ["ref.python"]  # every game has a State: the one of the page is meant


class Modules(SphinxDirective):
    """``.. modules:: NAME ...``: a section for each module named, and one for every module in it."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[Node]:
        lines: list[str] = []
        for name in self.arguments[0].split():
            for module in with_submodules(name):
                lines += [module, "-" * len(module), ""]
                exports = getattr(importlib.import_module(module), "__all__", ())
                if exports:
                    lines += [f"*Exports* {', '.join(f'``{name}``' for name in exports)}.", ""]
                lines += [f".. automodule:: {module}", ""]
        return self.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)


def with_submodules(name: str) -> list[str]:
    """The module called ``name`` and, if it is a package, all in it."""
    package = importlib.import_module(name)
    inside = pkgutil.walk_packages(getattr(package, "__path__", []), f"{name}.")
    return [name, *(module.name for module in inside)]


def as_restructured_text(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Docstrings and comments are written to be read as they are, not as markup but for ``code``."""
    if what in ("attribute", "data"):
        alias = bool(lines) and lines[0].startswith("Alias for field number")  # of a NamedTuple without a comment
        plain = [line if "``" in line else MARKUP.sub(r"\\\1", line) for line in lines]
        lines[:] = [] if alias else [f"| {line}" if line.strip() and len(plain) > 2 else line for line in plain]
        return
    if what in ("function", "method"):  # "Args:" and what follows
        lines[:] = GoogleDocstring(lines, Config(napoleon_use_rtype=False), app, what, name, obj, options).lines()
    lines[:] = verbatim(lines)


def verbatim(lines: list[str]) -> list[str]:
    """What is indented after an empty line, formulas, tables and code, is shown as it stands, as in Markdown."""
    marked: list[str] = []
    inside = False
    for line in lines:
        begins = line.startswith("    ") and not inside and not (marked and marked[-1].strip())
        if begins:
            marked += ["::", ""]
        if line.strip():
            inside = line.startswith("    ") and (inside or begins)
        marked.append(line)
    return marked


# --- formulas -----------------------------------------------------------------------------------


def show_formula(writer: HTML5Translator, node: math | math_block) -> None:
    """As MathML, which browsers show by themselves: the site needs no network."""
    is_block = isinstance(node, math_block)
    try:
        shown = tex2mathml(node.astext(), as_block=is_block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s in the formula %s", error, node.astext(), location=node)
        raise SkipNode from error
    writer.body.append(f'<div class="math">{shown}</div>' if is_block else shown)
    raise SkipNode


def setup(app: Sphinx) -> None:
    app.add_directive("modules", Modules)
    app.add_html_math_renderer("mathml", (show_formula, None), (show_formula, None))
    app.connect("autodoc-process-docstring", as_restructured_text)
