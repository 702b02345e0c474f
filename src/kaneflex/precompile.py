"""All kernels compiled at once, by small systems that need them: for images, shared machines and tests."""

import warnings
from collections.abc import Callable, Iterator

import numpy as np

from kaneflex.formulations.tree_matrix import LARGE
from kaneflex.kernels import helper
from kaneflex.kernels.progress import progress
from kaneflex.model.bodies import Rigid
from kaneflex.model.constraints import Distance
from kaneflex.model.contacts import Contact
from kaneflex.model.forces import JointSpring
from kaneflex.model.joints import Free, Revolute
from kaneflex.model.profiles import smooth_step
from kaneflex.plan.formulation import FORMULATIONS
from kaneflex.structures.beam import Beam
from kaneflex.structures.flexible import Flexible
from kaneflex.system import System

G = (0.0, -9.81, 0.0)


def _rod() -> Rigid:
    return Rigid(1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), frames={"tip": (1.0, 0, 0)})


def chain(rods: int = 2) -> System:
    """Rods in a row, the first on a spring."""
    s = System("chain", gravity=G)
    s.add("rod0", _rod(), Revolute("z"), q=0.3)
    for k in range(1, rods):
        s.add(f"rod{k}", _rod(), Revolute("z"), parent=f"rod{k - 1}", at="tip")
    s.apply("spring", JointSpring("rod0", stiffness=2.0, damping=0.1))
    return s


def loop() -> System:
    """A parallelogram of rods."""
    s = System("loop", gravity=G)
    for k, name in enumerate(("left", "right")):
        s.add(name, _rod(), Revolute("z"), at=(float(k), 0, 0), q=1.0)
    s.constrain("top", Distance("left.tip", "right.tip", 1.0))
    return s


def arm() -> System:
    """A flexible beam on a driven hinge, with a rod at its tip."""
    s = System("arm", gravity=G)
    beam = Beam(length=2.0, EA=1e6, EI=50.0, mass_per_length=1.0, elements=4)
    s.add("beam", Flexible(beam, root="root", modes=3), Revolute("z", motion=smooth_step(0.5, 1.0)))
    s.add("rod", _rod(), Revolute("z"), parent="beam", at="tip")
    return s


def stone() -> System:
    """A body that falls on a floor and slides."""
    s = System("stone", gravity=(0.0, 0.0, -9.81))
    s.add("stone", _rod(), Free(), q=(0, 0, 0.05, 1, 0, 0, 0), rates=(1.0, 0, 0, 0, 0, 0))
    s.contact("floor", Contact("stone.tip", friction=0.3))
    return s


def floats() -> Iterator[None]:
    """Motions, with all that is read from them."""
    for make in (chain, loop, arm, stone):
        s = make()
        for name, formulation in FORMULATIONS.items():
            if formulation.refuses(s) is None:
                run = s.simulate(0.02, formulation=name)
                yield
        run.audit  # noqa: B018
        for name in s.parts:
            run[f"{name}.acceleration"], run.loads(name)
        yield
        s.simulate(0.01, method="radau5")
        yield
    chain(LARGE).simulate(0.01, method="radau5")  # Newton's matrix along the tree
    yield
    chain().simulate(0.01, method="ros34pw2", rtol=1e-3)
    chain().simulate(0.01, method="newmark", step=0.01)
    yield
    chain().simulate(0.02, speeds="efficient")
    arm().simulate(0.02, speeds="constant-mass")
    d = chain().dynamics()
    zero = np.zeros(2)
    d.inverse_dynamics(zero, zero, zero)
    d.udot(zero, zero)


def derivatives() -> Iterator[None]:
    """Linear models, by complex steps."""
    for make in (chain, loop, arm):
        for formulation in ("recursive", "dense"):
            make().linearize(formulation=formulation)
            yield


KINDS: dict[str, Callable[[], Iterator[None]]] = {"floats": floats, "derivatives": derivatives}


def compile_kernels(*kinds: str) -> None:
    """Compile the kernels of these kinds (see KINDS; all of them when none is named), as far as they are not yet."""
    if not kinds:
        helper.start(__name__, "compile_kernels", "derivatives")
    with warnings.catch_warnings(), progress.call():
        warnings.simplefilter("ignore")
        for kind in kinds or KINDS:
            for _ in KINDS[kind]():
                pass


__all__ = ["KINDS", "compile_kernels"]
