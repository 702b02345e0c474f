"""The schema, what is written from it, and views by name."""

from importlib.machinery import SourceFileLoader
from pathlib import Path

import numpy as np
import pytest
from formulations.flexible import FlexibleLoops, FlexibleRecipe

import kaneflex as kf
from kaneflex.kernels import block_offsets, offsets
from kaneflex.kernels.schema import TABLES, TILE, places
from kaneflex.kernels.tables import Tables
from kaneflex.plan.build import build
from kaneflex.plan.cache_lines import LINE

ROOT = Path(__file__).parents[2]
make_layout = SourceFileLoader("make_layout", str(ROOT / "scripts" / "make-layout")).load_module()


@pytest.mark.parametrize("path", make_layout.FILES, ids=lambda path: path.name)
def test_what_is_written_is_up_to_date(path):
    assert path.read_text() == make_layout.FILES[path](), "run scripts/make-layout"


def test_constants_are_of_one_place_each():
    names = [field.name for table in TABLES if not table.block for field in table.fields if field.name]
    names += [name for table in TABLES for name in (table.width, table.vectors, *(code[0] for code in table.codes)) if name]
    assert len(names) == len(set(names)) > 250
    assert set(names) == {name for name in vars(offsets) if name.isupper()}


def test_parts_of_a_block_follow_one_another():
    block = next(table for table in TABLES if table.name == "node_data" and table.array == "P")
    begin, length = places(block, {"m": 7, "f": 4})
    assert length == block_offsets.node_size_par(7, 4) == 3 + 6 * 7 + 4 * 7 * TILE
    assert begin["forms"] == block_offsets.node_forms_par(7) == length - 4 * 7 * TILE


def arm():
    s = kf.System("arm", gravity=(0, 0, -9.81))
    s.add("base", kf.Rigid(2.0, (0.1, 0.2, 0.3), (1, 2, 2.5)), kf.Free())
    s.add("arm", kf.Rigid(3.0, inertia=(1, 1, 1)), kf.Revolute("z"), "base", at=(1.0, 0, 0))
    s.apply("spring", kf.JointSpring("arm", stiffness=4.0, damping=0.5, rest=0.2))
    s.constrain("rod", kf.Distance("arm", (2.0, 0, 0), 1.0))
    return s


def test_rows_by_name():
    plan = build(arm())
    t = plan.tables
    assert t.body["arm"].mass == 3.0 and t.body[1].mass_moment == pytest.approx([0.2, 0.4, 0.6])
    assert t.body["arm"].parent == 1 and list(t.body.parent) == [0, 0, 1] and len(t.body) == 3
    assert t.body["arm"].p_pf == pytest.approx([1, 0, 0]) and t.body.r_pf.shape == (3, 3, 3)
    assert list(t.force[0].law[:3]) == [4.0, 0.5, 0.2] and t.header.speeds == 7 == len(t.column)
    assert t.constraint["rod"].rows == 1 and t.constraint["rod"].par[0] == 1.0
    assert [row.holonomic for row in t.equation] == [1] and list(t.gravity.value) == [0, 0, -9.81]


def test_views_are_views():
    plan = build(arm())
    body = plan.tables.body["arm"]
    body.mass = 5.0
    body.p_pf[:] = 2.0
    plan.tables.column.total[:] = 1
    fresh = plan.tables.body["arm"]
    assert fresh.mass == 5.0 and list(fresh.p_pf) == [2.0] * 3 and plan.tables.column[3].total == 1
    other = plan.with_header(placed=0, bodies=1)
    assert plan.tables.header.bodies == 3 and np.flatnonzero(other != plan.I).size == 2


def test_the_workspace_by_name():
    s = arm()
    d = s.dynamics()
    q, u = s.state().q, np.arange(1.0, 8.0)
    d.udot(q, u)
    assert list(d.work.body["base"].omega) == [4.0, 5.0, 6.0] and list(d.work.body["arm"].omega) == [4.0, 5.0, 13.0]
    assert d.work.body.omega.shape == (3, 3) and d.work.body["arm"].r_nm.shape == (3, 3)
    assert list(d.work.column.rate) == list(u)
    cluster = d.work.delassus[0]
    assert cluster.factor[0, 0] ** 2 == pytest.approx(cluster.matrix[0, 0]) and cluster.rank == 1


@pytest.mark.parametrize("formulation", ["recursive", "dense", "embedded"])
def test_every_number_is_in_one_table(formulation):
    """But for gaps before blocks of flexible bodies, which begin with a line of the cache."""
    loads = (("Force", "function"), ("SpringDamper", "between"), ("JointForce", "seeing"))
    recipe = FlexibleRecipe(
        ("Free", "Revolute", "Spherical", "Universal"), (-1, 0, 1, 2), (True,), (), loads, "shaken", modes=(3, 14, 5, 0)
    )
    mechanism = FlexibleLoops(recipe, ("Distance", "Closure-Spherical", "Gear"), driven=True).mechanism()
    assert mechanism.model.constraints and mechanism.model.rotors
    plan = mechanism.plan(formulation, "customary")
    arrays = {"I": plan.I, "P": plan.P, "W": plan.workspace()}
    tables = Tables(plan.I, arrays)
    owners = {letter: np.zeros(len(array), int) for letter, array in arrays.items()}
    for table in TABLES:
        for number in range(tables.extent(table)[1]):
            start, fields = tables.row(table, number)
            owners[table.array][start : start + max((end for _, end, _ in fields.values()), default=0)] += 1
    for letter, count in owners.items():
        assert (count <= 1).all(), f"{letter}{np.flatnonzero(count > 1)[:5]} are in {count[count > 1][:5]} tables"
        begin = {"I": len(count), "P": min(tables.flexible.p), "W": min(tables.flexible.w)}[letter]
        gaps = np.diff(np.flatnonzero(np.concatenate([[1], count, [1]]))) - 1
        assert (count[: begin - 2 * LINE] == 1).all() and gaps.max() < 2 * LINE, f"{letter} has numbers of no table"


def test_unknown_names_are_told():
    t = build(arm()).tables
    with pytest.raises(AttributeError, match="mass_moment"):
        _ = t.body[1].weight
    with pytest.raises(AttributeError, match="no table 'bodies' in I and P"):
        _ = t.bodies
    with pytest.raises(IndexError, match="row 3 of body, which has 3"):
        _ = t.body[3]
    with pytest.raises(KeyError):
        _ = t.body["leg"]
