"""XML of unknown origin, read without trust: no document type, no entities, nothing from elsewhere."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from kaneflex.model.checks import ModelError


@dataclass
class Node:
    """An element: its name without namespace, what it holds, and where it stands in its file."""

    file: str
    line: int
    space: str
    tag: str
    attributes: dict[str, str]
    children: list["Node"] = field(default_factory=list)
    text: str = ""

    def all(self, tag: str) -> list["Node"]:
        """The children of that name."""
        return [child for child in self.children if child.tag == tag and not child.space.endswith("xacro")]

    def first(self, tag: str) -> "Node | None":
        """The first child of that name."""
        found = self.all(tag)
        return found[0] if found else None

    def below(self) -> Iterator["Node"]:
        """This element and all inside it, in no particular order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.children

    def fail(self, problem: str) -> NoReturn:
        """Raise a ModelError that says where."""
        raise ModelError(f"{self.file}, line {self.line}: {problem}")

    def word(self, name: str, what: str) -> str:
        """An attribute that must be there."""
        value = self.attributes.get(name, "").strip()
        if not value:
            self.fail(f'{what}: <{self.tag}> has no {name}: write {name}="..."')
        return value

    def numbers(self, name: str, size: int, what: str, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """An attribute of `size` finite numbers; `default` where it is absent."""
        if name not in self.attributes and default is not None:
            return default
        return self._numbers(self.word(name, what), size, f"{what}: {name} of <{self.tag}>")

    def written(self, size: int, what: str) -> tuple[float, ...]:
        """The element's text, `size` finite numbers."""
        return self._numbers(self.text.strip(), size, f"{what}: <{self.tag}>")

    def _numbers(self, text: str, size: int, what: str) -> tuple[float, ...]:
        try:
            values = tuple(float(word) for word in text.split())
        except ValueError:
            values = ()
        if len(values) != size or not all(map(math.isfinite, values)):
            numbers = "one finite number" if size == 1 else f"{size} finite numbers"
            self.fail(f'{what} is "{text}": give {numbers}')
        return values

    def number(self, name: str, what: str, default: float | None = None) -> float:
        """An attribute of one finite number."""
        return self.numbers(name, 1, what, None if default is None else (default,))[0]


def read_xml(path: Path) -> Node:
    """The root element of a file.

    A document type is refused, and with it every entity of the file's own: neither can a short file unfold into a huge
    one, nor can it draw in another file or an address.

    Args:
        path: of the file.
    """
    try:
        data = path.read_bytes()
    except OSError as e:
        raise ModelError(f"{path} cannot be read: {e.strerror or e}") from e
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    root = Node(path.name, 0, "", "", {})
    inside = [root]

    def refuse(*_: Any) -> NoReturn:
        raise ModelError(
            f"{path.name}, line {parser.CurrentLineNumber}: it has a document type or entities of its own, which can "
            "unfold without end or read other files: take <!DOCTYPE ...> out, and write its entities' text where they stand"
        )

    def start(name: str, attributes: dict[str, str]) -> None:
        space, _, tag = name.rpartition(" ")
        node = Node(path.name, parser.CurrentLineNumber, space, tag, attributes)
        inside[-1].children.append(node)
        inside.append(node)

    def text(words: str) -> None:
        inside[-1].text += words

    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = parser.SkippedEntityHandler = refuse
    parser.StartElementHandler, parser.CharacterDataHandler = start, text
    parser.EndElementHandler = lambda _: inside.pop()
    try:
        parser.Parse(data, True)
    except expat.ExpatError as e:
        raise ModelError(
            f"{path.name}, line {e.lineno}: this is not well-formed XML: {expat.errors.messages[e.code]}"
        ) from e
    except (LookupError, ValueError) as e:
        if isinstance(e, ModelError):
            raise
        raise ModelError(f"{path.name}: its text cannot be decoded: {e}") from e
    return root.children[0]
