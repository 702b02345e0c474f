"""A spring and damper between two points."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from kaneflex.kernels import layout as L
from kaneflex.kernels.forces import line_force, zero_length_spring
from kaneflex.model import checks
from kaneflex.model.forces.contract import Load, LoadTable, on_body, see
from kaneflex.model.frames import Place
from kaneflex.model.typed import typed

if TYPE_CHECKING:
    from kaneflex.model.model import Model


@typed
@dataclass(frozen=True)
class SpringDamper(Load):
    """Spring and damper on the line between two points: tension = stiffness (l - length) + damping l-dot + tension.

    Where the ends coincide the line has no direction, and runs are refused. A spring of length 0 without damping and
    tension pulls with stiffness times the vector between its ends, and is defined there too.

    Args:
        a, b: the ends; "N" is the inertial origin, a position (three numbers) a point fixed in N.
        stiffness: N/m. damping: N s/m. length: free length, m.
        slack: True for a rope, which only pulls.
        tension: extra tension, N, constant or a function.
        sees: channels that the function's x is made of.
    """

    a: Place
    b: Place
    stiffness: float = 0.0
    damping: float = 0.0
    length: float = 0.0
    slack: bool = False
    tension: Any = 0.0
    sees: Sequence[str] = ()

    gain: ClassVar[str] = "tension"

    def __post_init__(self) -> None:
        for field in ("stiffness", "damping", "length"):
            object.__setattr__(self, field, checks.not_negative(getattr(self, field), field))
        see(self)
        if not checks.is_function(self.tension):
            object.__setattr__(self, "tension", checks.number(self.tension, "tension"))

    def check(self, model: "Model", what: str) -> None:
        """Raise an error where it does not join a body of the model to another place; `what` names it."""
        for end in self.ends():
            if isinstance(end, str):
                model.locate(end, what)
            else:
                checks.vector(end, f"{what}: end fixed in N")
        if not any(map(on_body, self.ends())):
            raise checks.ModelError(f"{what} joins two points of the inertial frame: name a body")
        if self.a == self.b:
            raise checks.ModelError(f"{what} joins {self.a!r} to itself: give two ends")

    def fill(self, table: LoadTable) -> None:
        """Add one row to the table, the first end on a body."""
        (i, a), (j, b) = table.end(self.a), table.end(self.b)
        if i == 0:
            (i, a), (j, b) = (j, b), (i, a)
        kind = zero_length_spring if self.is_smooth else line_force
        row = table.row(kind.FACTS, FORCE_BODY=i, FORCE_OTHER=j)
        row.reals[L.POINT : L.POINT + 3] = a.p
        row.reals[L.POINT_OTHER : L.POINT_OTHER + 3] = b.p
        row.reals[L.FORCE_LAW] = self.stiffness
        if not self.is_smooth:
            row.reals[L.FORCE_LAW + 1 : L.FORCE_LAW + 4] = self.damping, self.length, float(self.slack)
            table.set_value(row, self.tension, self.sees)

    @property
    def drawn(self) -> str:
        """A rope where it only pulls, else by what it has."""
        if self.slack or not (self.stiffness or self.damping):
            return "rope"
        return "spring" if not self.damping else "strut" if self.stiffness else "damper"

    @property
    def is_smooth(self) -> bool:
        """Whether its force is stiffness times the vector between the ends, which needs no direction."""
        return self.damping == self.length == 0 and not checks.is_function(self.tension) and self.tension == 0

    @property
    def has_power_without_force(self) -> bool:
        """Whether its damper takes up what its spring gives back: a rope that shortens faster than it can pull."""
        return self.slack and self.damping > 0

    def ends(self) -> tuple[Any, ...]:
        """The two ends."""
        return self.a, self.b
