"""Every wrong wish for modes, and every wrong file, gives an error that names the culprit and says what to do."""

import numpy as np
import pytest
from scipy import sparse

from kaneflex.model.checks import ModelError
from kaneflex.structures.beam import Beam
from kaneflex.structures.modes.damping import damping_influence, damping_matrix
from kaneflex.structures.modes.eigenmodes import lowest_modes
from kaneflex.structures.modes.mode_choice import ModeChoice
from kaneflex.structures.modes.mode_selection import component_modes
from kaneflex.structures.modes.mode_shapes import Modes
from kaneflex.structures.modes.reduction import craig_bampton, guyan, project
from kaneflex.structures.modes.synthesis import join
from kaneflex.structures.readers.nastran import from_nastran
from kaneflex.structures.solid import Solid
from kaneflex.structures.structure import Structure

BEAM = Beam(2.0, EA=1e6, EI=50.0, mass_per_length=0.5, elements=6)
MODES = component_modes(BEAM, "root", 4)
SPRINGS = sparse.csr_array(2 * np.eye(4) - np.eye(4, k=1) - np.eye(4, k=-1))
UNIT = sparse.csr_array(np.eye(4))


def modes(wish, root="root", structure=BEAM, **more):
    return lambda: component_modes(structure, root, wish, **more)


def with_column(k, column):
    shapes = MODES.shapes.copy()
    shapes[:, k] = column
    return shapes


def mechanism():
    """A beam in two parts that nothing joins."""
    M, K = (sparse.block_diag([A, A], "csr") for A in (BEAM.M, BEAM.K))
    return Structure.from_matrices(M, K, np.vstack([BEAM.points, BEAM.points + 5.0]))


def weak(stiffness):
    K = SPRINGS.toarray()
    K[2, 2] = stiffness
    return sparse.csr_array(K)


def torn():
    """A shape that moves a linked node without the one that it follows."""
    linked = BEAM.linked("arm", ["tip"], at=(2.0, 0.5, 0))
    shapes = np.zeros((6 * len(linked), 1))
    shapes[6 * linked.node("tip") + 1] = 1.0
    return component_modes(linked, "root", shapes)


SOLID = Solid(1.0, 0.2, 0.2, 7e10, 0.3, 2700.0, elements=(2, 1, 1))

CASES = {
    "too many modes": (modes(500), "500 modes are asked for, but the structure with its root held has only 36"),
    "too many free modes": (modes(500, None), "500 modes are asked for, but the free structure has only 36"),
    "negative count": (modes(-1), "count of modes is -1: it must not be negative"),
    "no number": (modes("six"), "modes is 'six': give a number of modes"),
    "a truth": (modes(True), "modes is True: give a number of modes"),
    "half a mode": (lambda: ModeChoice(count=2.5), "count of modes is 2.5: give a whole number"),
    "nothing wished": (lambda: ModeChoice(count=None), "neither a count of modes nor a frequency"),
    "no such method": (lambda: ModeChoice("guyan"), '"guyan" is not known: there are "fixed", "fixed-interface"'),
    "negative frequency": (lambda: ModeChoice(below=-1.0), r"below \(Hz\) is -1: it must be positive"),
    "highest of nothing": (lambda: ModeChoice(highest=np.nan), r"highest \(Hz\) is nan"),
    "effective mass": (lambda: ModeChoice(effective_mass=2), "give a fraction from 0 to less than 1"),
    "unknown root": (modes(2, "hub"), 'node "hub" is not known: there are "root", "tip"'),
    "unknown interface": (modes(2, interfaces=("hand",)), 'node "hand" is not known'),
    "unknown residual": (modes(ModeChoice(residual=("hand",))), 'node "hand" is not known'),
    "no interfaces": (modes(ModeChoice("craig-bampton")), '"craig-bampton" needs interfaces'),
    "root as interface": (
        modes(ModeChoice("craig-bampton"), interfaces=("root",)),
        'node "root" is the root and an interface too',
    ),
    "no root": (modes(ModeChoice("fixed"), None), '"fixed" holds a root and none is given'),
    "root without rotations": (modes(2, (0.5, 0.1, 0.1), SOLID), "has no rotations"),
    "loads of a wrong size": (modes(ModeChoice(loads=np.ones((5, 1)))), "loads has shape"),
    "vectors of a wrong size": (modes(np.ones((5, 2))), r"modes has shape \(5, 2\)"),
    "vectors not finite": (modes(with_column(1, np.nan)), "not finite"),
    "vectors alike": (modes(with_column(2, MODES.shapes[:, 0] * 3)), "vector 2 .* is not independent of those before it"),
    "a rigid motion": (
        modes(with_column(1, BEAM.rigid_body_vectors()[:, 4])),
        "vector 1 .* has no mass, rigid motion aside",
    ),
    "vectors that break a link": (torn, "vector 0 moves rigidly linked nodes apart"),
    "modes not orthogonal": (
        modes(Modes(with_column(1, MODES.shapes[:, 1] + 0.1 * MODES.shapes[:, 0]), MODES.stiffness, MODES.kind)),
        "modes 0 and 1 are not orthogonal in the mass",
    ),
    "modes not normal": (modes(Modes(2 * MODES.shapes, MODES.stiffness, MODES.kind)), "modal mass 4, not 1"),
    "modes that do not fit": (lambda: Modes(np.ones((6, 2)), np.ones(3), ("a", "b")), "give .6n, m., .m,. and m"),
    "modes of infinities": (lambda: Modes(np.full((6, 1), np.inf), np.ones(1), ("a",)), "must be finite"),
    "loose parts, held": (
        modes(2, 0, mechanism()),
        "root held has 4 motions without strain or more, not 0: it has loose parts",
    ),
    "loose parts, free": (
        modes(2, None, mechanism()),
        "motions without strain or more, not 6: it has loose parts or mechanisms",
    ),
    "indefinite stiffness": (lambda: lowest_modes(UNIT, weak(-3.0), 2), "stiffness of the structure is indefinite"),
    "indefinite inside": (lambda: craig_bampton(UNIT, weak(-3.0), [0], 1), "indefinite"),
    "a mechanism inside": (lambda: guyan(UNIT, sparse.csr_array(np.diag([1.0, 1, 0, 1])), [0]), "move without strain"),
    "interface twice": (lambda: guyan(UNIT, SPRINGS, [1, 1]), "different coordinates from 0 to 3"),
    "interface outside": (lambda: guyan(UNIT, SPRINGS, [4]), "different coordinates from 0 to 3"),
    "dependent reduction": (lambda: project(UNIT, SPRINGS, np.ones((4, 2)), "ab").frequencies(), "not independent"),
    "unknown component": (lambda: join({"A": guyan(UNIT, SPRINGS, [3])}, [(("A", 3), ("B", 0))]), '"B" is not known'),
    "tie outside": (lambda: join({"A": guyan(UNIT, SPRINGS, [3])}, [(("A", 3), ("A", 9))]), "coordinates 0 to 3, not 9"),
    "negative damping": (lambda: damping_matrix(UNIT, np.eye(4), np.ones(4), -0.1), "none negative"),
    "too few ratios": (lambda: damping_matrix(UNIT, np.eye(4), np.ones(4), np.ones(3)), "give one number or 4"),
    "damping of rigid modes": (
        lambda: damping_influence(
            join({"A": guyan(UNIT, sparse.csr_array(SPRINGS - np.diag([1.0, 0, 0, 1])), [0, 3])}, []), 1
        ),
        "rigid-body modes among those to damp",
    ),
    "no such file": (lambda: from_nastran("nowhere.op4", "nowhere.bdf"), "nowhere.op4 is not there"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_message_names_the_culprit(case):
    wrong, words = CASES[case]
    with pytest.raises(ModelError, match=words):
        wrong()


@pytest.fixture
def files(tmp_path):
    """A good pair of files: the beam's matrices and grids."""
    with np.printoptions():  # pyyeti changes how NumPy prints
        pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
        from pyyeti import nastran

    matrices, geometry = tmp_path / "model.op4", tmp_path / "model.bdf"
    everything = {"mgg": BEAM.M.toarray(), "kgg": BEAM.K.toarray(), "small": np.eye(6), "u": np.ones((6, 1))}
    nastran.op4.write(str(matrices), everything)
    with geometry.open("w") as f:
        nastran.wtgrids(f, np.arange(1, len(BEAM) + 1), xyz=BEAM.points)
    return matrices, geometry


FILES = {
    "unknown grid": ({"names": {"root": 99}}, 'node "root": grid 99 is not in'),
    "one name": ({"mass": "MGG"}, "give both names"),
    "unknown matrix": ({"mass": "MAA", "stiffness": "KAA"}, 'has no matrix "MAA": there are MGG, KGG, SMALL'),
    "matrix of another set": ({"mass": "SMALL", "stiffness": "SMALL"}, "SMALL has 6 rows, the geometry 42 in the g-set"),
    "matrix not square": ({"mass": "U", "stiffness": "KGG"}, "U is 6 by 1: it must be square"),
    "unit": ({"length_unit": 0.0}, "length_unit is 0: it must be positive"),
    "short displacements": ({"differential": [("KGG", "U")]}, 'displacements of "KGG" have 6 rows: give 42'),
}


@pytest.mark.parametrize("case", FILES)
def test_wrong_imports(case, files):
    arguments, words = FILES[case]
    with pytest.raises(ModelError, match=words):
        from_nastran(*files, **arguments)


def test_files_of_another_kind(files, tmp_path):
    matrices, geometry = files
    empty = tmp_path / "empty.bdf"
    empty.write_text("$ nothing here\n")
    with pytest.raises(ModelError, match=r"empty.bdf (has no grid points|cannot be read)"):
        from_nastran(matrices, empty)
    with pytest.raises(ModelError, match=r"is a text with bulk data and has no DMIG entries: give it as the geometry"):
        from_nastran(geometry, geometry)
    broken = tmp_path / "broken.op2"
    broken.write_bytes(b"not an op2 file at all, only words")
    with pytest.raises(ModelError, match=r"broken.op2 is no file of a kind that is known here: give matrices as op4, op2"):
        from_nastran(broken, geometry)
    with pytest.raises(ModelError, match=r"broken.op2 has no grid points: give the file with the GRID entries"):
        from_nastran(matrices, broken)
