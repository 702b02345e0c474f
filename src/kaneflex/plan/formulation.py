"""What a formulation is: an object that says what tables it needs, which stages stand where, and in what coordinates a run
is integrated.

A formulation of the tree's own coordinates q and speeds u (see `Formulation`) names kernels that take the place of others:
`prepare`, which fills the rows of bodies, `solve`, which gives u-dot. One of other coordinates (see `OtherCoordinates`) has
a layout of its own and brings `derivative`, `to_tree` and `from_tree`. All that is not the integration itself, that is
initial values, states by name, channels, loads, events, impacts, changes, audit and files, stays with the coordinates of
the tree, from which the kernels of the tree fill the rows of bodies.

The formulations of the package are in `formulations/kinds`, a file each, which registers it.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.model import checks
from kaneflex.model.model import Model
from kaneflex.plan.state_layout import StateLayout

if TYPE_CHECKING:
    from kaneflex.plan.plan import Plan

Stages = Mapping[str, str | int]


class Formulation:
    """How equations of motion are formed and solved, in the tree's coordinates and speeds.

    Attributes:
        name: as in `formulation=`.
        about: what it is, in a few words.
        exact: False where it is an approximation, whose motion is another one.
        is_dense: M and partial velocities of all bodies have room in W, and all constraint equations are solved together.
        undeformed: flexible bodies keep their undeformed shape in everything but the places of nodes.
        is_placed: places and velocities of all bodies are always wanted, whether a load or a channel looks at them or not.
    """

    name = ""
    about = ""
    exact = True
    is_dense = False
    undeformed = False
    is_placed = False

    def refuses(self, model: Model) -> str | None:
        """What of a model this formulation does not offer, by name, as the end of "formulation ... does not take ..."; None
        when it takes the model."""
        return None

    def room(self, tree: StateLayout, bodies: int, rows: int) -> int:
        """Numbers of its own in W, from W_OWN on, for a tree of this layout, so many rows of bodies (N and nodes among
        them) and so many constraint equations."""
        return 0

    def stages(self, plan: "Plan") -> Stages:
        """What stands in the place of stages of the same arguments: kernels by name, or addresses (see `StageTable`)."""
        return {}

    def reading_stages(self, plan: "Plan") -> Stages:
        """The same where channels and loads are read, whose multipliers are to be those of least norm."""
        return self.stages(plan)

    def eliminates(self, plan: "Plan") -> bool:
        """Whether its `solve` leaves Kane's equations of the independent speeds in W, see `Dynamics.minimal`."""
        return False

    def layout(self, plan: "Plan") -> StateLayout:
        """Where everything stands in the y that is integrated."""
        return plan.layout


class OtherCoordinates(Formulation):
    """A formulation that integrates coordinates and speeds of its own.

    Its y is (coordinates, speeds, z, works) as its layout says, z and works being those of the tree. It has to bring, as
    `integration_stages`,

        derivative(I, P, W, t, y, ydot)   the rate of y; it leaves the multipliers of constraint equations in W, where events
                                          look for them,
        to_tree(I, P, W, t, y, x)         q and u of the tree, to x,
        from_tree(I, P, W, t, x, y)       and its own coordinates and speeds from them, to y: the initial state.

    I are the tables of its integration (`formulations.other_coordinates`); those of the tree, which all other kernels take,
    are at the address I[TREE]. Where y is off its own constraints, `to_tree` gives the state of the tree that is nearest:
    `from_tree` of that is the projection at the end of every step. An angle counts turns, which places and directions of
    bodies do not tell: carry it as a coordinate too.
    """

    is_placed = True

    def layout(self, plan: "Plan") -> StateLayout:
        """Where everything stands in the y that is integrated; its quaternions are kept at unit length."""
        raise NotImplementedError

    def integration_stages(self, plan: "Plan") -> Stages:
        """`derivative`, `to_tree` and `from_tree`; others of the step loop where it has its own."""
        raise NotImplementedError

    def own_tables(self, plan: "Plan") -> tuple[Sequence[int], Sequence[float]]:
        """Integers of its own, in the tables of its integration from I_OWN on, and numbers that `own_room` begins with."""
        return (), ()

    def own_memory(self, plan: "Plan") -> np.ndarray:
        """Numbers of its own beside W, where `own_room` cannot tell how many; their address takes the place of the first of
        its integers."""
        return np.zeros(0)

    def own_room(self, tree: StateLayout, bodies: int, rows: int) -> int:
        """Numbers of its own in W, behind the state of the tree, which only this formulation writes to."""
        return 0

    def tolerances(self, plan: "Plan", y: np.ndarray, atol: float) -> float | np.ndarray:
        """Absolute tolerance of every entry of y, which the integration starts from, where `atol` is that of the tree's."""
        return atol

    def room(self, tree: StateLayout, bodies: int, rows: int) -> int:
        """The state of the tree, and what the formulation wants behind it."""
        return tree.size + self.own_room(tree, bodies, rows)


FORMULATIONS: dict[str, Formulation] = {}


def register(formulation: Formulation) -> None:
    """Make a formulation known by its name."""
    checks.name(formulation.name, "the name of a formulation")
    FORMULATIONS[formulation.name] = formulation


def formulation_of(name: str) -> Formulation:
    """The formulation of a name."""
    checks.known(name, FORMULATIONS, "formulation")
    return FORMULATIONS[name]


__all__ = ["FORMULATIONS", "Formulation", "OtherCoordinates", "formulation_of", "register"]
