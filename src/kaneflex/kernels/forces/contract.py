"""What a kind of load must say, and the function its file must have.

A load has a row m in the table of loads: integers from force_row(I, m) on (kind, bodies, column, coordinate) and parameters
from force_par(I, m) on (POINT, POINT_OTHER, FRAME, VALUE and what the file keeps from FORCE_LAW on). With `name` the name of
the kind and of its file, the file holds

    name(I, P, W, m, t, q, z) adds the load of row m to FORCE and TORQUE of bodies (`value.apply_force`, `apply_torque`) or
                              to TAU of speeds, and notes its potential energy and its power (`value.record_energy`)

It takes those of these arguments that it needs, in any order; t is the time, z a zero of the run's scalar. The file states
the equation and which parameters it reads. Rows of a kind without this function are for others to read, as those of
`friction`.

From FACTS alone symbols get their names, and positions are there that it reads; the
audit has its energy by what it noted.
"""

from typing import NamedTuple


class LoadFacts(NamedTuple):
    """What planning and symbols need to know of a kind of load."""

    code: int
    value: int = 0  # how many parameters from VALUE on are its value: none, one or three; six of a function alone
    letter: str = "F"  # what these are called in symbols, before the name of the load
    parameters: tuple[str, ...] = ()  # letters of those from FORCE_LAW on; what has no letter stays a number in symbols
    spatial: bool = True  # reads positions and velocities in N
    apart: tuple[str, ...] = ()  # its functions that are compiled by themselves, when a system first needs them; no z there
