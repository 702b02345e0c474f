"""Files of finite-element models, sound ones of all kinds, and damaged ones: each is an error in words, none crashes."""

from pathlib import Path

import numpy as np
import pytest

from kaneflex.model.checks import ModelError
from kaneflex.structures import from_nastran

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


@pytest.mark.thorough
def test_damaged_files_are_errors_in_words(sound, tmp_path):
    rng = np.random.default_rng(0)
    kinds = [(sound / a, sound / b, {}) for a, b in KINDS]
    if SHIPPED.is_dir():
        kinds.append((SHIPPED / "nas2cam.op4", SHIPPED / "nas2cam.op2", {"superelement": 101}))
    refused = 0
    for k in range(500):
        a, b, more = kinds[k % len(kinds)]
        files = [tmp_path / a.name, tmp_path / b.name]
        for source, target in zip((a, b), files, strict=True):
            target.write_bytes(source.read_bytes())
        hit = files[(k // len(kinds)) % 2]
        hit.write_bytes(damaged(hit.read_bytes(), k // 10 % 5, rng))
        try:
            from_nastran(*files, **more)  # where nothing of weight was hit
        except ModelError as e:
            refused += 1
            assert str(e)
    assert refused > 350


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
