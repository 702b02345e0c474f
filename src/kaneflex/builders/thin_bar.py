"""The bar that builders make their structures of."""

from kaneflex.model import checks
from kaneflex.model.bodies import Rigid


def thin_bar(l: float, mass: float, what: str) -> Rigid:
    """A uniform thin bar along x from its frame "root" to its frame "tip"; `what` names its mass in an error.

    About its own axis it has a thousandth of its inertia, so that it can turn there.
    """
    m = checks.positive(mass, what)
    J = m * l**2 / 12
    return Rigid(m, com=(l / 2, 0, 0), inertia=(1e-3 * J, J, J), frames={"root": (0, 0, 0), "tip": (l, 0, 0)})
