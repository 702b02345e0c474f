"""Files of finite-element models, sound ones of all kinds, and damaged ones: each is an error in words, none crashes."""

import resource
import tracemalloc
import warnings
from pathlib import Path

import foreign_files as files
import numpy as np
import op2_files as op2
import pytest

from kaneflex.model.checks import ModelError
from kaneflex.structures import from_nastran
from kaneflex.structures.readers.any_files import from_files

with np.printoptions():  # pyyeti changes how NumPy prints
    pyyeti = pytest.importorskip("pyyeti", reason="pyyeti reads Nastran's files: pip install kaneflex[fe]")
    import pandas as pd
    from pyyeti import nastran

h5py = pytest.importorskip("h5py")
SHIPPED = Path(pyyeti.__file__).parent / "tests" / "nas2cam_extseout"
GRIDS = {11: (0.0, 0.0, 0.0), 12: (1.0, 0.2, 0.1)}


def matrices():
    """A mass and a stiffness over two grids and three modal coordinates."""
    rng = np.random.default_rng(5)
    shapes = rng.standard_normal((15, 15))
    (x, y, z) = np.subtract(GRIDS[12], GRIDS[11])
    rigid = np.zeros((15, 6))
    rigid[:6], rigid[6:12] = np.eye(6), np.eye(6)
    rigid[6:9, 3:] = -np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    free = np.eye(15) - rigid @ np.linalg.pinv(rigid)
    M = np.diag(np.r_[[2.0] * 3, [0.1] * 3, [1.0] * 3, [0.05] * 3, [1.0] * 3])
    return M, free @ (shapes @ shapes.T + 5 * np.eye(15)) @ free * 1e3


def msc(path, **given):
    """An HDF5 file as MSC Nastran writes it."""
    from scipy import sparse

    identity, column, data = [], [], []
    for name, A in given.items():
        c = sparse.csc_array(A)
        identity.append((name.encode(), 6, *A.shape, c.nnz, len(column), len(data), 1))
        column += [(len(data) + int(at),) for at in c.indptr]
        data += list(zip(c.indices.tolist(), c.data.tolist(), strict=True))
    names = ("FORM", "ROW", "COLUMN", "NON_ZERO", "COLUMN_POS", "DATA_POS", "DOMAIN_ID")
    with h5py.File(path, "w") as file:
        group = file.create_group("NASTRAN/RESULT/MATRIX/GENERAL")
        group["IDENTITY"] = np.array(identity, dtype=[("NAME", "S8"), *((n, "i8") for n in names)])
        group["COLUMN"] = np.array(column, dtype=[("POSITION", "i8")])
        group["DATA"] = np.array(data, dtype=[("ROW", "i8"), ("VALUE", "f8")])


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The same model in all kinds of files."""
    folder = tmp_path_factory.mktemp("sound")
    M, K = matrices()
    uset = nastran.addgrid(None, list(GRIDS), "b", 0, np.array(list(GRIDS.values())), 0)
    nastran.wtextseout(str(folder / "model"), se=5, bset=np.arange(12), uset=uset, spoint1=9001, maa=M, kaa=K)
    labels = [(g, c) for g in GRIDS for c in range(1, 7)] + [(9001 + k, 0) for k in range(3)]
    index = pd.MultiIndex.from_tuples(labels, names=["id", "dof"])
    nastran.wtdmig(str(folder / "dmig.pch"), {n: pd.DataFrame(A, index, index) for n, A in (("MAAX", M), ("KAAX", K))})
    msc(folder / "model.h5", MAA=M, KAA=K)
    np.savez(folder / "model.npz", MAA=M, KAA=K)
    grids = "".join(f"GRID,{g},,{x},{y},{z}\n" for g, (x, y, z) in GRIDS.items())
    (folder / "model.bdf").write_text(grids + "SPOINT,9001,THRU,9003\n")
    return folder


KINDS = [("model.op4", "model.asm"), ("dmig.pch", "model.bdf"), ("model.h5", "model.bdf"), ("model.npz", "model.bdf")]


@pytest.mark.parametrize(("first", "second"), KINDS)
def test_all_kinds_of_files_hold_the_same_model(first, second, sound):
    M, K = matrices()
    read = from_nastran(sound / first, sound / second)
    few = 1e-8 if first == "dmig.pch" else 1e-12  # as many digits as its text has
    assert np.abs(read.M.toarray() - M).max() < few * np.abs(M).max()
    assert np.abs(read.K.toarray() - K).max() < few * np.abs(K).max()
    assert read.hidden == 3
    assert read.report.good, str(read.report)


ROOM, RESIDENT = 2_000_000, 40_000_000  # bytes: for what is not of the file's size; of the process, with what it keeps


def all_kinds(sound, folder):
    """Sound files of every reader, and what reads them."""
    M, K = matrices()
    kinds = [([sound / a, sound / b], from_nastran, {}) for a, b in KINDS]
    labels = [(g, c) for g in GRIDS for c in range(1, 7)] + [(9001 + k, 0) for k in range(3)]
    pairs = {"pair": [op2.matrix("MAAX", M), op2.matrix("KAAX", K)]}
    pairs["dmig"] = [op2.dmig("MAAX", labels, M), op2.dmig("KAAX", labels, K)]
    for name, pair in pairs.items():
        (folder / f"{name}.op2").write_bytes(op2.file(op2.geometry(GRIDS, [9001, 9002, 9003]), *pair))
        kinds.append(([folder / f"{name}.op2"], lambda path: from_nastran(path, path), {}))
    if SHIPPED.is_dir():
        kinds.append(([SHIPPED / "nas2cam.op4", SHIPPED / "nas2cam.op2"], from_nastran, {"superelement": 101}))
    several = lambda *paths, **options: from_files(paths, **options)
    ids, places, (M, K) = [11, 12], np.array(list(GRIDS.values())), (A[:12, :12] for A in (M, K))
    deck = files.deck(folder / "job.inp", places, ids)
    kinds.append(([files.substructure(folder / "job.mtx", M, K, ids), deck], several, {}))
    pair = [files.matrix_input(folder / f"job_{word}2.mtx", A, ids) for word, A in (("STIF", K), ("MASS", M))]
    kinds.append(([*pair, deck], several, {}))
    for kind, write in (("hb", files.harwell_boeing), ("mmf", files.matrix_market)):
        pair = [write(folder / f"{word}.{kind}", A) for word, A in (("mass", M), ("stiff", K))]
        nodes = [files.mapping(folder / "job.mapping", ids), files.cdb(folder / "job.cdb", places, ids)]
        kinds.append(([*pair, *nodes], several, {}))
    rows = [(g, c) for g in ids for c in range(1, 7)]
    np.savez(folder / "tables.npz", M=M, K=K, nodes=np.column_stack([ids, places]), dofs=rows)
    kinds.append(([folder / "tables.npz"], several, {}))
    steel = {"E": 7e10, "nu": 0.33, "density": 2700.0, "thickness": 0.01}
    points, cells = files.box((2, 1, 1))
    numbers = list(range(1, 13))
    kinds.append(([files.cdb(folder / "box.cdb", points, numbers, 185, (cells + 1).tolist())], several, steel))
    meshio = pytest.importorskip("meshio")
    for ending in ("msh", "vtk", "inp"):
        meshio.Mesh(points, [("hexahedron", cells)]).write(folder / f"box.{ending}", "gmsh" if ending == "msh" else None)
        kinds.append(([folder / f"box.{ending}"], several, steel))
    return kinds


@pytest.mark.thorough
def test_damaged_files_are_errors_in_words_and_take_no_more_memory_than_they_should(sound, tmp_path):
    rng = np.random.default_rng(0)
    (tmp_path / "sound").mkdir()
    kinds = all_kinds(sound, tmp_path / "sound")
    for paths, read, more in kinds:  # all are sound, and every library has its own memory
        read(*paths, **more)
    refused, largest = 0, lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    resident = largest()
    tracemalloc.start()
    for k in range(500):
        paths, read, more = kinds[k % len(kinds)]
        copies = [tmp_path / p.name for p in paths]
        for source, target in zip(paths, copies, strict=True):
            target.write_bytes(source.read_bytes())
        hit = copies[k // len(kinds) % len(copies)]
        hit.write_bytes(damaged(hit.read_bytes(), k // 10 % 5, rng))
        allowed = 2 * sum(p.stat().st_size for p in copies) + ROOM
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                read(*copies, **more)  # where nothing of weight was hit
            except ModelError as e:
                refused += 1
                assert str(e)
        taken = tracemalloc.get_traced_memory()[1] - before
        if "E" not in more:  # meshio asks for whatever a count says, and is refused it
            assert taken < allowed, (hit.name, taken)
    tracemalloc.stop()
    assert 1000 * (largest() - resident) < RESIDENT  # kilobytes: what was really taken by all, meshes too
    assert refused > 400


@pytest.fixture(scope="module")
def larger(tmp_path_factory):
    """A full model of forty grids in files of a megabyte, whose matrices have no zeros to speak of."""
    folder, rng, n = tmp_path_factory.mktemp("larger"), np.random.default_rng(3), 40
    places = rng.standard_normal((n, 3))
    rigid = np.tile(np.eye(6), (n, 1, 1))
    x, y, z = places.T
    rigid[:, 0, 4], rigid[:, 0, 5], rigid[:, 1, 3], rigid[:, 1, 5], rigid[:, 2, 3], rigid[:, 2, 4] = z, -y, -z, x, y, -x
    rigid = rigid.reshape(-1, 6)
    free = np.eye(6 * n) - rigid @ np.linalg.pinv(rigid)
    A = rng.standard_normal((6 * n, 6 * n))
    K, M = free @ (A @ A.T) @ free, np.diag(np.tile([1.0, 1, 1, 0.1, 0.1, 0.1], n)) + 1e-3 * rigid @ rigid.T
    given = {"MGG": (M + M.T) / 2, "KGG": (K + K.T) / 2}
    nastran.op4.write(str(folder / "b.op4"), given)
    nastran.op4.write(str(folder / "t.op4"), given, binary=False)
    msc(folder / "m.h5", **given)
    np.savez(folder / "m.npz", **given)
    grids = {k + 1: tuple(place) for k, place in enumerate(places.tolist())}
    blocks = [op2.geometry(grids, []), *(op2.matrix(name, A) for name, A in given.items())]
    (folder / "m.op2").write_bytes(op2.file(*blocks))
    text = "".join(f"GRID,{k},,{x!r},{y!r},{z!r}\n" for k, (x, y, z) in grids.items())
    (folder / "m.bdf").write_text(text)
    return folder


@pytest.mark.parametrize("name", ["b.op4", "t.op4", "m.h5", "m.npz", "m.op2"])
def test_larger_files_that_are_damaged_take_less_than_twice_their_size(name, larger):
    rng, raw = np.random.default_rng(1), (larger / name).read_bytes()
    assert len(raw) > 900_000
    from_nastran(larger / name, larger / "m.bdf")
    bad, taken = larger / f"bad-{name}", []
    for kind in (1, 4, 1, 4, 0, 2):
        bad.write_bytes(damaged(raw, kind, rng))
        tracemalloc.start()
        try:
            from_nastran(bad, larger / "m.bdf")  # where nothing of weight was hit
        except ModelError:
            taken.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert len(taken) > 3
    assert max(taken) < 2 * len(raw), [round(t / len(raw), 2) for t in taken]


@pytest.mark.parametrize(("name", "at"), [("b.op4", 44), ("m.op2", 4)])
def test_numbers_that_tell_of_more_than_a_file_has_are_not_believed(name, at, larger):
    # words of a column of an op4 file, key of an op2 file: sixteen million
    raw = (larger / name).read_bytes()
    bad = larger / f"told-{name}"
    bad.write_bytes(raw[:at] + (2**24).to_bytes(4, "little") + raw[at + 4 :])
    tracemalloc.start()
    with pytest.raises(ModelError, match="not as many as are told of"):
        from_nastran(bad, larger / "m.bdf")
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < len(raw)


def damaged(raw, kind, rng):
    at = int(rng.integers(len(raw)))
    if kind == 0:
        return raw[: max(at, 1)]
    if kind == 1:
        found = bytearray(raw)
        for _ in range(rng.integers(1, 20)):
            found[rng.integers(len(raw))] = rng.integers(256)
        return bytes(found)
    if kind == 2:
        return raw[:at] + raw[at + int(rng.integers(1, 60)) :]
    if kind == 3:
        return raw[:at] + bytes(rng.integers(0, 256, rng.integers(1, 40)).astype(np.uint8)) + raw[at:]
    return raw[:at] + b"\xff" * 8 + raw[at + 8 :]
