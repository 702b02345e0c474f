"""Motion stiffness of a reduced model from the differential stiffness of the twelve unit inertia loads: a spinning beam."""

import numpy as np
import pytest

from kaneflex.model.checks import ModelError
from kaneflex.structures import Beam, component_modes, from_craig_bampton, from_nastran
from kaneflex.structures.modes.modal_data import modal_body
from kaneflex.structures.modes.reduction import craig_bampton
from kaneflex.structures.statics import Statics

# uniform cantilever, spinning about an axis through its root, first flapping frequency, both in sqrt(EI/(m L^4)):
# Wright, Smith, Thresher, Wang, J. Appl. Mech. 49 (1982), table 1
PRINTED = {0.0: 3.5160, 3.0: 4.7973, 6.0: 7.3604}
BEAM = Beam(length=2.0, EA=4e7, EI=50.0, mass_per_length=0.5, elements=10)
UNIT = np.sqrt(50.0 / (0.5 * 2.0**4))
ENDS, INSIDE = [0, 10], list(range(1, 10))
dofs_of = lambda nodes: np.concatenate([6 * k + np.arange(6) for k in nodes])


def reduced(count=14):
    found = craig_bampton(BEAM.M, BEAM.K, dofs_of(ENDS), count)
    order = np.r_[count : count + 12, :count]
    return found.M[np.ix_(order, order)], found.K[np.ix_(order, order)], found.vectors[:, order]


def unit_loads(T):
    """Geometric stiffness of the twelve loads, of the whole beam with its root held, in reduced coordinates."""
    statics, found = Statics(BEAM, "root"), []
    fields = [(b, None) for b in range(3)] + [(b, a) for a in range(3) for b in range(3)]
    for along, varies in fields:
        field = np.zeros((3, 4))
        field[along, 0 if varies is None else 1 + varies] = 1
        acceleration = np.zeros((len(BEAM), 6))
        acceleration[:, along] = 1.0 if varies is None else BEAM.points[:, varies]
        if varies is not None:  # the field turns elements too
            acceleration[:, 3:] = np.cross(np.eye(3)[varies], np.eye(3)[along]) / 2
        if varies is not None and varies == 0 and along:
            acceleration[:, 3:] *= 2  # a line along x turns as its slope says
        load = BEAM.M @ acceleration.ravel()
        u = statics.displacements(load[:, None])[:, 0]
        found.append(T.T @ (BEAM.geometric_stiffness(u, load, field) @ T))
    return found


def at_root(structure):
    return modal_body(structure, component_modes(structure, "root", 10), "root", ())


def flapping(body, spin):
    """First frequency out of the plane, of a body that spins about z through its root, rad/s."""
    squares, vectors = np.linalg.eigh(body.stiffness_in_motion(omega=(0, 0, spin)))
    across = np.abs(body.B[2] @ vectors)
    return np.sqrt(squares[np.flatnonzero(across > 0.1 * across.max())[0]])


def test_a_spinning_superelement_is_as_stiff_as_the_whole_beam():
    M, K, T = reduced()
    dofs = dofs_of(ENDS + INSIDE)
    inside = BEAM.points[INSIDE], T[dofs_of(INSIDE)], BEAM.M.toarray()[np.ix_(dofs, dofs)]
    names, given = {"root": 0, "tip": 1}, unit_loads(T)
    whole = from_craig_bampton(M, K, BEAM.points[ENDS], None, names, *inside, unit_loads=given)
    bare = from_craig_bampton(M, K, BEAM.points[ENDS], None, names, unit_loads=given)
    assert whole.stiffens and bare.stiffens
    full = from_craig_bampton(BEAM.M, BEAM.K, BEAM.points, None, BEAM.names, unit_loads=unit_loads(np.eye(BEAM.size)))
    beam, full, whole, bare = (at_root(structure) for structure in (BEAM, full, whole, bare))
    for spin, printed in PRINTED.items():
        expected = printed * UNIT
        assert flapping(beam, spin * UNIT) == pytest.approx(expected, rel=1e-4)
        assert flapping(full, spin * UNIT) == pytest.approx(expected, rel=1.5e-3)  # masses of nodes, not of elements
        assert flapping(whole, spin * UNIT) == pytest.approx(flapping(full, spin * UNIT), rel=1e-6)
        # of matrices alone nobody knows where inside the mass is: a part of it is taken to move across
        assert flapping(bare, spin * UNIT) == pytest.approx(expected, rel=3e-3)
    with pytest.raises(ModelError, match="unit_loads are 3 matrices: give twelve"):
        from_craig_bampton(M, K, BEAM.points[ENDS], None, names, unit_loads=given[:3])


def test_the_same_from_a_file_in_millimetres(tmp_path):
    pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    with np.printoptions():
        from pyyeti import nastran
    M, K, T = reduced()
    scale = np.r_[np.tile([1, 1, 1, 1e3, 1e3, 1e3], 2), np.full(14, 1e3)]
    in_mm = lambda A: scale[:, None] * A * scale
    given = {f"kd{k + 1}": in_mm(A) * (1e-3 if k < 3 else 1) for k, A in enumerate(unit_loads(T))}
    nastran.op4.write(str(tmp_path / "beam.op4"), {"maa": in_mm(M), "kaa": in_mm(K)} | given)
    grids = "".join(f"GRID,{k},,{1e3 * BEAM.points[n][0]:.3f},0.0,0.0\n" for k, n in ((11, 0), (12, 10)))
    (tmp_path / "beam.bdf").write_text(grids + "SPOINT,9001,THRU,9014\n")
    read = from_nastran(tmp_path / "beam.op4", tmp_path / "beam.bdf", names={"root": 11, "tip": 12}, length_unit=1e-3,
                        differential=[name.upper() for name in given])  # fmt: skip
    assert "motion stiffness from differential=" in str(read.report)
    bare = from_craig_bampton(M, K, BEAM.points[ENDS], None, {"root": 0, "tip": 1}, unit_loads=unit_loads(T))
    assert flapping(at_root(read), 6 * UNIT) == pytest.approx(flapping(at_root(bare), 6 * UNIT), rel=1e-9)
    with pytest.raises(ModelError, match="differential= has 2 names: give twelve"):
        from_nastran(tmp_path / "beam.op4", tmp_path / "beam.bdf", differential=["KD1", "KD2"])
