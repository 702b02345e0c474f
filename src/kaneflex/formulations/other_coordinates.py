"""An integration in coordinates other than the tree's: what the step loop calls, made from the tree's own stages.

A formulation that integrates other coordinates (see `plan.formulation.OtherCoordinates`) brings three functions:
`derivative` of its own y, `to_tree` and `from_tree`. The loop has tables I of its own, in which COORDINATES, SPEEDS and the
places of unit quaternions are those of y, and TREE is the address of the tables of the tree, which all other kernels take.
P and W are shared; the state of the tree stands in W from W_OWN on, then numbers of the formulation; integers of its own
stand in I from I_OWN on.

The end of a step is projected by going to the tree and back, f being `from_tree`,

    y <- f(project(f^-1(y))) .                                                                                     (1)
"""

from kaneflex.formulations.evaluate import event_values, kinetic_energy
from kaneflex.formulations.projection import project
from kaneflex.kernels.layout import *
from kaneflex.kernels.ops import integers_at, offset, pointer


def to_tree(I, P, W, t, y, x):
    """q and u of the tree, to x, from the coordinates and speeds in y: here those of the tree itself."""
    for k in range(I[COORDINATES] + I[SPEEDS]):
        x[k] = y[k]


def from_tree(I, P, W, t, x, y):
    """Coordinates and speeds of y from q and u of the tree in x: here those of the tree itself."""
    for k in range(I[COORDINATES] + I[SPEEDS]):
        y[k] = x[k]


def copy_rest(I, first, other, x, y):
    """Copy block states and the two works, which follow the `first` entries of x, behind the `other` entries of y."""
    for n in range(I[STATES] + 2):
        y[other + n] = x[first + n]


def tree_state(I, P, W, t, y):
    """The tree's (q, u, z, works) at y, in W."""
    T, x = integers_at(I[TREE]), offset(W, I[W_OWN])
    to_tree(I, P, W, t, y, x)
    copy_rest(I, I[COORDINATES] + I[SPEEDS], T[COORDINATES] + T[SPEEDS], y, x)
    return x


def other_event_values(I, P, W, t, y, g):
    """`event_values` at y in other coordinates."""
    event_values(integers_at(I[TREE]), P, W, t, tree_state(I, P, W, t, y), g)


def other_kinetic_energy(I, P, W, t, y, out):
    """`kinetic_energy` at y in other coordinates."""
    kinetic_energy(integers_at(I[TREE]), P, W, t, tree_state(I, P, W, t, y), out)


def other_project(I, P, W, t, y, sweeps, limit, slack):
    """`project` for y in other coordinates, Eq. (1): what joints say is satisfied as well."""
    x = tree_state(I, P, W, t, y)
    taken = project(integers_at(I[TREE]), P, W, t, x, sweeps, limit, slack)
    from_tree(I, P, W, t, x, y)
    return taken


def call_to_tree(I, P, W, times, states, out):
    """The tree's state at every row of states in other coordinates."""
    i, p, w = pointer(I), pointer(P), pointer(W)
    for n in range(times.shape[0]):
        x = tree_state(i, p, w, times[n], offset(pointer(states), n * states.shape[1]))
        for k in range(out.shape[1]):
            out[n, k] = x[k]


def call_from_tree(I, P, W, t, x, y):
    """The state in other coordinates from that of the tree."""
    i = pointer(I)
    T = integers_at(i[TREE])
    from_tree(i, pointer(P), pointer(W), t, pointer(x), pointer(y))
    copy_rest(i, T[COORDINATES] + T[SPEEDS], i[COORDINATES] + i[SPEEDS], pointer(x), pointer(y))
