"""Shapes of a flexible body: chosen, made orthonormal, fixed to its root, and listed for the user."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kaneflex.model.checks import ModelError
from kaneflex.model.typed import typed
from kaneflex.structures.modes.component import Component
from kaneflex.structures.modes.effective_mass import effective_mass_fractions
from kaneflex.structures.modes.eigenmodes import ROUNDING, count_below, lowest_modes, positive_largest
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.modes.mode_shapes import ModeRecord, Modes
from kaneflex.structures.modes.reduction import constraint_modes, independent, interior, small_modes
from kaneflex.structures.modes.static_shapes import STATIC, Domain, softest, static_shapes
from kaneflex.structures.structure import Structure

HELD = {  # what a method holds, and the word for its vibration modes
    "fixed": ("the structure with its root held", "fixed"),
    "fixed-interface": ("the structure with root and interfaces held", "fixed-interface"),
    "craig-bampton": ("the structure with root and interfaces held", "fixed-interface"),
    "pinned": ("the structure with root and interfaces pinned", "pinned"),
}
BEYOND = 2  # vibration modes listed as dropped beyond those kept
EQUAL = 1e-6  # relative difference of omega^2 below which modes are one family, whose directions are free


@dataclass
class _Candidates:
    """Vectors over the independent dofs, gathered before they are made orthonormal."""

    vectors: list[np.ndarray] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)
    dropped: list[tuple[np.ndarray, str, str]] = field(default_factory=list)

    def add(self, vectors: np.ndarray, kind: Sequence[str], why: str) -> None:
        self.vectors += list(vectors.T)
        self.kind += kind
        self.why += [why] * len(kind)

    def matrix(self, size: int) -> np.ndarray:
        """The vectors as columns."""
        return np.array(self.vectors).reshape(-1, size).T

    def move(self, moved: Callable[[np.ndarray], np.ndarray]) -> None:
        """Put vectors (size, m) moved rigidly in the place of those kept."""
        if self.vectors:
            self.vectors = list(moved(np.array(self.vectors).T).T)

    def join(self, other: "_Candidates") -> None:
        for mine, more in zip((self.vectors, self.kind, self.why, self.dropped), vars(other).values(), strict=True):
            mine += more


@typed
def component_modes(structure: Structure, root: Any, modes: Any = 6, interfaces: Sequence[Any] = ()) -> Modes:
    """Shapes of a body: mass-orthonormal, diagonal in stiffness, zero at the root.

    Args:
        structure: the finite-element model.
        root: node that the body frame is fixed to, where all shapes vanish in displacement and rotation (name, number or
            place); None: a free body in mean axes, shapes orthogonal to all rigid motions.
        modes: number of vibration modes (root held; of the free body without a root), a ModeChoice, numbers or choices by
            kind, vectors of your own (6n, m), or Modes made before. Kinds are "bending y" (deflection along y), "bending
            x", "bending z", "torsion" and "axial" of members along x, y or z, and "plane xy", "plane xz", "plane yz" of
            any structure: all but the dofs of that kind are held. Your own vectors may be modes of another root or of the
            free body: they are moved rigidly so that the root rests, which keeps the span of rigid motions and shapes.
        interfaces: nodes where neighbours load the body; what is made of them is the method's affair.
    """
    component = Component(structure, root, interfaces)
    if isinstance(modes, Mapping):
        if not modes:
            raise ModelError('modes by kind are none: give numbers, e.g. {"bending y": 3}')
        choices = {kind: as_choice(choice, root) for kind, choice in modes.items()}
        wrong = next((kind for kind, choice in choices.items() if not isinstance(choice, ModeChoice)), None)
        if wrong is not None:
            raise ModelError(f'modes of the kind "{wrong}" are {modes[wrong]!r}: give a number or a ModeChoice')
    else:
        choice = as_choice(modes, root)
        if not isinstance(choice, ModeChoice):
            return _finish(component, _given(component, choice), strict=True)
        choices = {None: choice}
    found = _Candidates()
    for kind, choice in choices.items():
        _check(component, kind, choice)
        _free(component, choice, found) if choice.method == "free" else _held(component, choice, kind, found)
    return _finish(component, found, strict=False)


def as_choice(modes: Any, root: Any, residual: tuple[Any, ...] = ()) -> Any:
    """The ModeChoice that a number of modes stands for; anything else as it is.

    Args:
        modes: number, or anything else.
        root: node that is held, None for a free body.
        residual: nodes whose loads shall have static shapes among that number.
    """
    if isinstance(modes, (bool, np.bool_)):
        raise ModelError(f"modes is {modes!r}: give a number of modes, a ModeChoice or vectors")
    if not isinstance(modes, (int, np.integer)):
        return modes
    method = "fixed" if root is not None else "free"
    return ModeChoice(method, total=int(modes), residual=residual) if residual else ModeChoice(method, count=int(modes))


def _check(component: Component, kind: str | None, choice: ModeChoice) -> None:
    """Root and interfaces are there where the method holds them."""
    if component.root is None and (kind is not None or choice.method != "free"):
        what = f'method "{choice.method}"' if kind is None else f'the kind "{kind}"'
        raise ModelError(f'{what} holds a root and none is given: give root=, or take method "free"')
    if kind is not None and choice.method == "free":
        raise ModelError(f'modes of the kind "{kind}": free modes are not chosen by kind; take another method')
    if choice.method in ("fixed-interface", "craig-bampton") and not component.interfaces:
        raise ModelError(
            f'method "{choice.method}" needs interfaces: name the nodes where neighbours are attached, or take "fixed"'
        )


def _held(component: Component, choice: ModeChoice, kind: str | None, found: _Candidates) -> None:
    """Modes with the root (and, by method, the interfaces) held; constraint modes; static shapes of loads."""
    pinned = choice.method == "pinned"
    free = np.setdiff1d(np.arange(component.size), component.pins()) if pinned else component.free
    free = np.intersect1d(free, component.dofs(kind))
    M, K = component.M[free][:, free], component.K[free][:, free]
    boundary, names = np.zeros(0, dtype=int), list[str]()
    if choice.method in ("fixed-interface", "craig-bampton"):
        columns, labels = component.boundary(component.interfaces)
        inside = np.isin(columns, free)
        boundary, names = np.searchsorted(free, columns[inside]), [n for n, i in zip(labels, inside, strict=True) if i]
    inner = interior(len(free), boundary)
    held, word = HELD[choice.method]
    here = Domain(M[inner][:, inner], K[inner][:, inner], free[inner], kind or word, held)
    own = _Candidates()
    _some(component, choice, own, here, Domain(M, K, free, word, held))
    if choice.method == "craig-bampton":
        static = np.zeros((component.size, len(boundary)))
        static[free] = constraint_modes(K, boundary)
        own.add(static, [f"constraint {n}" for n in names], "interface")
    if pinned:
        own.move(lambda vectors: _at_rest(component, vectors))
    found.join(own)


def _free(component: Component, choice: ModeChoice, found: _Candidates) -> None:
    """Modes and inertia-relieved static shapes of the free body, moved rigidly to rest at the root if there is one."""
    component.check_free()
    whole = Domain(component.M, component.K, np.arange(component.size), "free", "the free structure", component.rigid)
    own = _Candidates()
    _some(component, choice, own, whole, whole)
    own.move(lambda vectors: _at_rest(component, vectors))
    found.join(own)


def _some(component: Component, choice: ModeChoice, found: _Candidates, inner: Domain, loaded: Domain) -> None:
    """Vibration modes of one domain and static shapes of another; as many in all as the choice has for a total."""
    static, names = static_shapes(component, choice, loaded)
    if choice.total is None:
        _vibration(component, choice, found, inner)
    else:
        count = choice.total - min(len(independent(component.M, static)[0]), 2 * choice.total // 3)
        while True:  # more vibration modes where static shapes depend on them, as on those of a coarse mesh
            own = _Candidates()
            _vibration(component, replace(choice, count=count), own, inner)
            beyond = softest(component, own.matrix(component.size), static, names, choice.total - count)
            if count + beyond[0].shape[1] >= choice.total:
                break
            count = choice.total - beyond[0].shape[1]
        found.join(own)
        static, names = beyond
    found.add(static, [f"residual {n}" for n in names], STATIC)


def _vibration(component: Component, choice: ModeChoice, found: _Candidates, here: Domain) -> None:
    """Vibration modes of a domain, sorted into kept and dropped."""
    M, K, what, rigid = here.M, here.K, here.what, here.rigid_motions
    available = int(np.count_nonzero(M.diagonal())) - rigid
    wanted = available if choice.count is None else int(choice.count)
    why = "asked for"
    if choice.below is not None:
        inside = count_below(M, K, (2 * np.pi * choice.below) ** 2) - rigid
        if choice.count is None or inside < wanted:
            wanted, why = inside, f"below {choice.below:g} Hz"
    if choice.count is not None and choice.count > available:
        raise ModelError(
            f"{choice.count} modes are asked for, but {what} has only {max(available, 0)} vibration coordinates: "
            "ask for fewer, or use a finer mesh"
        )
    if wanted == 0 and not rigid:
        return
    squares, inner = _some_more(M, K, wanted + rigid, what, component.rounding if rigid else ROUNDING)
    strainless = int(np.count_nonzero(squares == 0))
    if strainless != rigid:
        raise ModelError(
            f"{what} has {strainless} motions without strain or more, not {rigid}: "
            "it has loose parts or mechanisms; connect them"
        )
    vectors = np.zeros((component.size, len(squares) - rigid))
    vectors[here.dofs] = inner[:, rigid:]
    vectors = _aligned(component, vectors, squares[rigid:])
    fractions = effective_mass_fractions(component.M, vectors, component.rigid)
    for k, vector in enumerate(vectors.T):
        kind = f"{here.word} {k + 1}"
        hertz = np.sqrt(squares[rigid + k]) / (2 * np.pi)
        if k < wanted and choice.highest is not None and hertz > choice.highest:
            found.dropped.append((vector, kind, f"above the highest of {choice.highest:g} Hz"))
        elif k >= wanted:
            over = f"above {choice.below:g} Hz" if why.startswith("below") else f"beyond the {wanted} asked for"
            found.dropped.append((vector, kind, over))
        elif fractions[k].max() < choice.effective_mass:
            found.dropped.append((vector, kind, f"effective mass below {choice.effective_mass:.3g} in every direction"))
        else:
            found.add(vector[:, None], [kind], why)


def _aligned(component: Component, vectors: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """The same modes, those of equal frequency turned to move along x, y or z, in that order, as far as they can.

    A beam with equal stiffness both ways has pairs of modes in any two directions; this picks the ones that read well.
    """
    turned = vectors.copy()
    start = 0
    for stop in range(1, len(squares) + 1):
        if stop < len(squares) and squares[stop] - squares[stop - 1] <= EQUAL * squares[stop]:
            continue
        if stop - start > 1:
            turned[:, start:stop] = _turned(component, vectors[:, start:stop])
        start = stop
    return positive_largest(turned)


def _turned(component: Component, family: np.ndarray) -> np.ndarray:
    full = component.expand @ family
    weighted = np.zeros((family.shape[1],) * 2)
    for axis, weight in ((0, 3.0), (1, 2.0), (2, 1.0)):
        along = np.zeros_like(full)
        nodal = slice(axis, 6 * len(component.structure), 6)
        along[nodal] = full[nodal]
        weighted += weight * (along.T @ (component.structure.M @ along))
    _, directions = np.linalg.eigh(weighted)
    return np.asarray(family @ directions[:, ::-1])


def _some_more(M: Any, K: Any, count: int, what: str, rounding: float) -> tuple[np.ndarray, np.ndarray]:
    """The lowest modes and a few beyond, to list as dropped; fewer beyond when there are no more."""
    for more in (BEYOND, 0):
        try:
            return lowest_modes(M, K, count + more, what, rounding=rounding)
        except ModelError:
            if more == 0:
                raise
    raise AssertionError


def _given(component: Component, modes: Any) -> _Candidates:
    """Vectors of the user: of the right size, moving linked nodes together; Modes must also be orthonormal."""
    structure = component.structure
    rows = structure.size
    try:
        shapes = modes.shapes if isinstance(modes, Modes) else np.asarray(modes, dtype=float)
    except (TypeError, ValueError) as e:
        raise ModelError(f"modes is {modes!r}: give a number of modes, a ModeChoice or vectors ({rows}, m)") from e
    if shapes.ndim != 2 or shapes.shape[0] != rows:
        raise ModelError(f"modes has shape {shapes.shape}: give a number of modes, a ModeChoice or vectors ({rows}, m)")
    if not np.isfinite(shapes).all():
        raise ModelError("modes: the vectors hold numbers that are not finite")
    shapes = shapes * structure.active[:, None]
    inside = component.independent(shapes)
    gap = np.abs(component.expand @ inside - shapes).max(axis=0)
    torn = np.flatnonzero(gap > 1e-6 * np.abs(shapes).max(axis=0))
    if len(torn):
        raise ModelError(f"modes: vector {torn[0]} moves rigidly linked nodes apart: give shapes of this structure")
    kind = modes.kind if isinstance(modes, Modes) else [f"given {k + 1}" for k in range(shapes.shape[1])]
    if isinstance(modes, Modes):
        _check_orthonormal(component, inside)
    found = _Candidates()
    found.add(_at_rest(component, inside), list(kind), "given")
    return found


def _check_orthonormal(component: Component, vectors: np.ndarray) -> None:
    for matrix, what in ((component.M, "mass"), (component.K, "stiffness")):
        reduced = vectors.T @ (matrix @ vectors)
        scale = np.sqrt(np.abs(np.diag(reduced)))
        off = np.abs(reduced - np.diag(np.diag(reduced))) / np.maximum(np.outer(scale, scale), np.finfo(float).tiny)
        i, j = np.unravel_index(int(np.argmax(np.triu(off, 1))), off.shape)
        if off[i, j] > 1e-6:
            raise ModelError(
                f"modes {i} and {j} are not orthogonal in the {what} ({off[i, j]:.2g} of their size): "
                "give their shapes alone, which are then made orthonormal"
            )
        if what == "mass" and np.abs(scale - 1).max() > 1e-6:
            k = int(np.argmax(np.abs(scale - 1)))
            raise ModelError(
                f"mode {k} has modal mass {scale[k] ** 2:.6g}, not 1: give the shapes alone, which are then scaled"
            )


def _at_rest(component: Component, vectors: np.ndarray) -> np.ndarray:
    """The vectors less the rigid motion of the root; without a root, less their part in the rigid motions by mass."""
    rigid = component.rigid
    if component.root is None:
        MR = component.M @ rigid
        return np.asarray(vectors - rigid @ np.linalg.solve(rigid.T @ MR, MR.T @ vectors))
    at = slice(6 * component.root, 6 * component.root + 6)
    rest = vectors - rigid @ (component.expand[at] @ vectors)  # rigid rotations are about the root itself
    rest[np.setdiff1d(np.arange(component.size), component.free)] = 0.0
    return np.asarray(rest)


def _finish(component: Component, found: _Candidates, strict: bool) -> Modes:
    """Dependent vectors out, the rest orthonormal by a small eigenproblem, and the table."""
    M, K = component.M, component.K
    vectors = found.matrix(component.size)
    kept, massless, L = independent(M, vectors)
    for k in np.setdiff1d(np.arange(vectors.shape[1]), kept):
        why = "has no mass" if k in massless else "is not independent of those before it"
        if strict:
            raise ModelError(f"modes: vector {k} ({found.kind[k]}) {why}, rigid motion aside: leave it out")
        found.dropped.append((vectors[:, k], found.kind[k], why))
    norms = np.sqrt(np.einsum("ij,ij->j", vectors[:, kept], M @ vectors[:, kept]))
    basis = np.linalg.solve(L, (vectors[:, kept] / norms).T).T if len(kept) else vectors[:, kept]
    M_small, K_small = (0.5 * (A + A.T) for A in (basis.T @ (M @ basis), basis.T @ (K @ basis)))
    squares, mix = small_modes(M_small, K_small) if len(kept) else (np.zeros(0), np.zeros((0, 0)))
    if len(squares) and squares[0] <= 0:
        raise ModelError(
            "a shape strains nothing: the structure has a mechanism that the root does not hold; connect or hold it"
        )
    shapes = _aligned(component, basis @ mix, squares)
    mix = basis.T @ (M @ shapes)
    fractions = effective_mass_fractions(M, shapes, component.rigid)
    records = []
    for k, square in enumerate(squares):
        main = int(np.argmax(mix[:, k] ** 2))
        share = mix[main, k] ** 2
        kind = found.kind[kept[main]] + ("" if share > 0.995 else f" {share:.0%}")
        hertz = float(np.sqrt(square) / (2 * np.pi))
        records.append(ModeRecord(hertz, kind, _three(fractions[k]), True, found.why[kept[main]]))
    kinds = tuple(record.kind for record in records)
    for vector, kind, why in found.dropped:
        records.append(_dropped(component, vector, kind, why))
    return Modes(np.asarray(component.expand @ shapes), squares, kinds, tuple(records))


def _dropped(component: Component, vector: np.ndarray, kind: str, why: str) -> ModeRecord:
    mass = float(vector @ (component.M @ vector))
    if mass <= 0:
        return ModeRecord(np.inf, kind, (0.0, 0.0, 0.0), False, why)
    unit = vector[:, None] / np.sqrt(mass)
    hertz = float(np.sqrt(max((unit.T @ (component.K @ unit)).item(), 0.0)) / (2 * np.pi))
    return ModeRecord(hertz, kind, _three(effective_mass_fractions(component.M, unit, component.rigid)[0]), False, why)


def _three(fractions: np.ndarray) -> tuple[float, float, float]:
    return (float(fractions[0]), float(fractions[1]), float(fractions[2]))
