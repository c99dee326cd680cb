"""What a notebook shows: as much of a report as fits a cell, in the colors of its theme."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

_FULL = '<p class="below">The full page: <code>.report("report.html")</code></p>'


def cell(title: str, body: str) -> str:
    """A block with a heading."""
    return _block("", f"<header><h1>{_escaped(title)}</h1></header>{body}")


def part_of(page: str, parts: Sequence[str]) -> str:
    """The top of a report and the parts of these names, as a block."""
    style = page[page.index("<style>") + len("<style>") : page.index("</style>")]
    top = page[page.index("<header>") : page.index("</header>") + len("</header>")]
    found = (re.search(rf'<section id="{part}".*?</section>', page, re.DOTALL) for part in parts)
    return _block(style, top + "".join(one.group() for one in found if one) + _FULL)


def _block(style: str, body: str) -> str:
    with open(os.path.join(os.path.dirname(__file__), "cell.css"), encoding="utf-8") as file:
        own = file.read()
    # Notebooks have rules for tables of their own: the class is written twice to outweigh them.
    return f'<div class="kohort"><style>.kohort.kohort {{\n{style}{own}}}</style>{body}</div>'


def table(head: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> str:
    """A table whose cells are escaped."""
    def line(tag: str, cells: tuple[Any, ...]) -> str:
        return "<tr>" + "".join(f"<{tag}>{_sentence(str(one))}</{tag}>" for one in cells) + "</tr>"

    return f"<table><thead>{line('th', head)}</thead><tbody>{''.join(line('td', row) for row in rows)}</tbody></table>"


def preformatted(text: str) -> str:
    """A text as it is."""
    return f"<pre>{_escaped(text)}</pre>"


def paragraph(text: str) -> str:
    """A sentence below what it is about."""
    return f'<p class="below">{_sentence(text)}</p>'


def _sentence(text: str) -> str:
    """A text whose names in backticks are set apart."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", _escaped(text))


def _escaped(text: str) -> str:
    import html

    return html.escape(text)
