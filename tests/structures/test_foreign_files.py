"""Matrices of Abaqus and ANSYS, Universal files, meshes: the body is the one that the files were written from."""

import foreign_files as files
import numpy as np
import pytest

from kaneflex.model.checks import ModelError
from kaneflex.structures import Beam, Plate, Section, Solid, Structure, component_modes
from kaneflex.structures.readers.any_files import from_files
from kaneflex.structures.readers.meshes import from_mesh
from kaneflex.structures.readers.universal import shapes_from_universal

BEAM = Beam(length=2.0, EA=1e6, EI=50.0, mass_per_length=0.5, elements=4)
IDS = [7, 3, 12, 40, 41]  # in no order
MILLI = np.tile([1, 1, 1, 1e3, 1e3, 1e3], 5)
M, K = (MILLI[:, None] * A.toarray() * MILLI for A in (BEAM.M, BEAM.K))  # the beam in millimetres
STEEL = {"E": 7e10, "nu": 0.33, "density": 2700.0}


def abaqus(folder, kind):
    deck = files.deck(folder / "job.inp", 1e3 * BEAM.points, IDS)
    if kind == "substructure":
        return [files.substructure(folder / "job.mtx", M, K, IDS), deck]
    return [files.matrix_input(folder / "job_STIF2.mtx", K, IDS), files.matrix_input(folder / "job_MASS2.mtx", M, IDS), deck]


def ansys(folder, kind):
    write = files.harwell_boeing if kind == "hb" else files.matrix_market
    pair = [write(folder / f"{word}.{kind}", A) for word, A in (("mass", M), ("stiff", K))]
    return [*pair, files.mapping(folder / "job.mapping", IDS), files.cdb(folder / "job.cdb", 1e3 * BEAM.points, IDS)]


@pytest.mark.parametrize("written", [(abaqus, "substructure"), (abaqus, "coordinates"), (ansys, "hb"), (ansys, "mmf")])
def test_matrices_of_abaqus_and_ansys(written, tmp_path):
    if written[0] is ansys:
        pytest.importorskip("mapdl_archive")
    given = written[0](tmp_path, written[1])
    read = from_files(given, length_unit=1e-3, names={"root": 7, "tip": 41})
    expected = component_modes(BEAM, "root", 4).frequencies
    assert component_modes(read, "root", 4).frequencies == pytest.approx(expected, rel=1e-9)
    assert read.points[read.node("tip")] == pytest.approx([2.0, 0, 0])
    assert read.mass_properties()[0] == pytest.approx(1.0, rel=1e-12)
    assert read.mass_properties()[2] == pytest.approx(BEAM.mass_properties()[2], abs=1e-12)  # rotations are per radian
    for broken in given:  # a file less, or cut in the middle
        with pytest.raises(ModelError):
            from_files([p for p in given if p != broken])
        whole = broken.read_text()
        broken.write_text(whole[: len(whole) // 2])
        with pytest.raises(ModelError):
            from_files(given)
        broken.write_text(whole)


PLATE = Plate(0.5, 0.3, 0.004, **STEEL, elements=(5, 3), root=None)


def plate_file(folder, kind):
    """The plate's quadrilaterals in a file of a kind."""
    quads = PLATE.elements[0].nodes
    ids = 100 + np.arange(len(PLATE))
    if kind == "cdb":
        return files.cdb(folder / "plate.cdb", PLATE.points, ids.tolist(), 181, ids[quads].tolist())
    if kind == "unv":
        import pyuff

        name = folder / "plate.unv"
        zero = np.zeros(len(ids))
        nodes = {"type": 2411, "node_nums": ids, "def_cs": zero, "disp_cs": zero, "color": zero}
        nodes |= {c: 1e3 * PLATE.points[:, k] for k, c in enumerate("xyz")}
        one = lambda k, own: {"element_nums": k + 1, "fe_descriptor": 44, "phys_table": 1, "mat_table": 1, "color": 1,
                              "num_nodes": 4, "nodes_nums": ids[own].tolist()}  # fmt: skip
        cells = {"type": 2412, 44: [one(k, own) for k, own in enumerate(quads)]}
        units = {"type": 164, "units_code": 5, "length": 1e3, "force": 1e3, "temp": 1.0, "temp_offset": 273.15}
        pyuff.UFF(str(name)).write_sets([units, nodes, cells, *shapes_of_plate(ids)], "overwrite")
        return name
    import meshio

    meshio.Mesh(PLATE.points, [("quad", quads)]).write(folder / f"plate.{kind}", "gmsh" if kind == "msh" else None)
    return folder / f"plate.{kind}"


def shapes_of_plate(ids):
    """Free modes of the plate as datasets 55."""
    modes = component_modes(PLATE, None, 3)
    values = modes.shapes.reshape(len(ids), 6, 3)
    for j in range(3):
        yield {"type": 55, "model_type": 1, "analysis_type": 2, "data_ch": 3, "spec_data_type": 8, "data_type": 2,
               "n_data_per_node": 6, "load_case": 1, "mode_n": j + 1, "freq": modes.frequencies[j] / (2 * np.pi),
               "modal_m": 1.0, "modal_damp_vis": 0.0, "modal_damp_his": 0.0, "node_nums": ids,
               **{f"r{c + 1}": values[:, c, j] for c in range(6)}}  # fmt: skip


@pytest.mark.parametrize("kind", ["cdb", "unv", "inp", "msh", "vtk"])
def test_a_mesh_of_quadrilaterals_is_the_plate(kind, tmp_path):
    pytest.importorskip({"cdb": "mapdl_archive", "unv": "pyuff"}.get(kind, "meshio"))
    path = plate_file(tmp_path, kind)
    read = from_mesh(path, **STEEL, thickness=0.004)
    assert abs(read.K - PLATE.K).max() < 1e-9 * abs(PLATE.K).max()
    assert abs(read.M - PLATE.M).max() < 1e-9 * abs(PLATE.M).max()
    with pytest.raises(ModelError, match=r"15 cells of kind quad: give thickness="):
        from_mesh(path, **STEEL)
    if kind not in ("inp",):
        with pytest.raises(ModelError, match="a mesh without matrices: give E, nu and density"):
            from_files([path])
    if kind == "unv":  # its modes, as those of a test would be
        hertz, shapes = shapes_from_universal(path, read)
        modes = component_modes(read, "100", shapes)
        free = component_modes(PLATE, None, 3)
        assert hertz == pytest.approx(free.frequencies / (2 * np.pi), rel=1e-4)  # five digits in the file
        moved = component_modes(PLATE, PLATE.points[0], free.shapes)
        assert modes.frequencies == pytest.approx(moved.frequencies, rel=1e-3)


def test_a_mesh_of_hexahedra_becomes_the_same_bar_as_one_of_tetrahedra(tmp_path):
    meshio = pytest.importorskip("meshio")
    points, cells = files.box((6, 1, 1))
    face = np.flatnonzero(points[:, 0] == 0)
    meshio.Mesh(points, [("hexahedron", cells)], point_sets={"foot": face}).write(tmp_path / "bar.inp")
    bar = from_mesh(tmp_path / "bar.inp", **STEEL, links={"root": "foot", "tip": np.flatnonzero(points[:, 0] > 0.59) + 1})
    fine = Solid(0.6, 0.1, 0.08, **STEEL, elements=(12, 2, 2))
    assert bar.mass_properties()[0] == pytest.approx(0.6 * 0.1 * 0.08 * 2700.0, rel=1e-12)
    # the whole face follows its root: middles of edges and of the face too
    assert sum(reference == bar.node("root") for reference in bar.follows.values()) == 4 + 1 + 8
    assert np.abs(bar.points[list(bar.follows)][:, 0] - 0.3).min() == pytest.approx(0.3)
    expected = component_modes(fine, "root", 3).frequencies
    assert component_modes(bar, "root", 3).frequencies == pytest.approx(expected, rel=0.02)
    with pytest.raises(ModelError, match='has no set of nodes "head": there are foot'):
        from_mesh(tmp_path / "bar.inp", **STEEL, links={"root": "head"})


def test_lines_of_a_mesh_are_beams(tmp_path):
    meshio = pytest.importorskip("meshio")
    section = Section(EA=1e6, EI=50.0, mass_per_length=0.5, GJ=40.0)
    meshio.Mesh(BEAM.points, [("line", [[k, k + 1] for k in range(4)])]).write(tmp_path / "line.vtk")
    read = from_mesh(tmp_path / "line.vtk", **STEEL, section=section)
    expected = component_modes(BEAM, 0, {"bending y": 3}).frequencies
    assert component_modes(read, 0, {"bending y": 3}).frequencies == pytest.approx(expected, rel=1e-9)
    assert isinstance(read, Structure)
    (tmp_path / "other.vtk").write_text("anything")
    with pytest.raises(ModelError, match="cannot be read as a mesh"):
        from_mesh(tmp_path / "other.vtk", **STEEL)
