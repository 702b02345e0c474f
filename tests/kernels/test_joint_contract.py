"""Every joint file holds what `joints.contract` says, and its functions are derivatives of its own pose."""

import importlib
import pkgutil

import numpy as np
import pytest
import symengine

from kaneflex.kernels import backend
from kaneflex.kernels import joints as package
from kaneflex.kernels.joints import dispatch
from kaneflex.kernels.joints.contract import JointFacts
from kaneflex.kernels.layout import BODY_REALS, COLUMN_WIDTH, GENERAL, JOINT_PAR, RATE, S_
from kaneflex.model import joints as model

FILES = {
    m.name: importlib.import_module(f"{package.__name__}.{m.name}")
    for m in pkgutil.iter_modules(package.__path__)
    if m.name not in ("contract", "dispatch")
}
WITH_FACTS = {name: module for name, module in FILES.items() if name != "custom"}
MOVING = [name for name, module in WITH_FACTS.items() if module.FACTS.speeds]
PITCH = 0.37


def test_there_are_files():
    assert len(FILES) >= 11


@pytest.mark.parametrize("name", FILES)
def test_pose_is_there_and_dispatched(name):
    module = FILES[name]
    assert callable(getattr(module, f"{name}_pose"))
    assert module in backend._modules
    for part in ("pose", "columns", "bias", "rates"):
        function = getattr(module, f"{name}_{part}", None)
        assert function is None or getattr(dispatch, f"{name}_{part}") is function, f"{name}_{part} is not in dispatch"
    assert "M" in (module.__doc__ or "") and ("q" in module.__doc__ or name == "fixed")


@pytest.mark.parametrize("name", WITH_FACTS)
def test_facts_fit_together(name):
    module = WITH_FACTS[name]
    facts = module.FACTS
    assert isinstance(facts, JointFacts)
    assert facts.code == getattr(module, name.upper())
    assert len(facts.axes) == len(facts.total) == facts.speeds
    assert len(facts.coordinate_names) == len(facts.neutral) == facts.coordinates
    assert len(set(facts.coordinate_names)) == facts.coordinates
    assert all(0 <= axis <= GENERAL for axis in facts.axes)
    assert facts.scalar_rates == (facts.coordinates == facts.speeds)
    assert hasattr(module, f"{name}_rates") != facts.scalar_rates
    assert hasattr(module, f"{name}_columns") == (GENERAL in facts.axes)
    assert all(not total or axis < 3 or axis == GENERAL for axis, total in zip(facts.axes, facts.total, strict=True))


def test_codes_differ():
    codes = [m.FACTS.code for m in FILES.values()]
    assert len(set(codes)) == len(codes)


def test_each_file_has_its_declaration():
    declared = {
        kind.facts.code: kind.__name__
        for kind in vars(model).values()
        if isinstance(kind, type) and issubclass(kind, model.Joint) and isinstance(getattr(kind, "facts", None), JointFacts)
    }
    assert {m.FACTS.code: name.title().replace("_", "") for name, m in WITH_FACTS.items()} == declared


@pytest.mark.parametrize("name", MOVING)
def test_neutral_pose(name):
    """At the neutral coordinates the two frames coincide."""
    E, p = getattr(backend.plain(), f"{name}_pose")(WITH_FACTS[name].FACTS.neutral, 0, parameters(), 0)
    assert np.array_equal(np.array(E, float), np.eye(3)) and not np.any(np.array(p, float))


def parameters():
    P = np.zeros(BODY_REALS)
    P[JOINT_PAR] = PITCH
    return P


class Pose:
    """A joint's functions on symbols q and w."""

    def __init__(self, name):
        kernels, facts = backend.plain(), WITH_FACTS[name].FACTS
        self.facts = facts
        self.q = [symengine.Symbol(f"coordinate{k}") for k in range(facts.coordinates)]
        self.w = [symengine.Symbol(f"rate{k}") for k in range(facts.speeds)]
        W = np.full(COLUMN_WIDTH * facts.speeds, None, object)
        for k, w in enumerate(self.w):
            W[k * COLUMN_WIDTH + RATE] = w
        E, p = getattr(kernels, f"{name}_pose")(self.q, 0, parameters(), 0)
        self.E, self.p = symengine.Matrix(3, 3, [x for row in E for x in row]), symengine.Matrix(3, 1, list(p))
        if GENERAL in facts.axes:
            getattr(kernels, f"{name}_columns")(self.q, 0, parameters(), 0, W, 0)
        columns = []
        for k, axis in enumerate(facts.axes):
            first = k * COLUMN_WIDTH + S_
            columns.append(W[first : first + 6] if axis == GENERAL else [int(axis == m) for m in range(6)])
        self.velocity = [sum(c[m] * w for c, w in zip(columns, self.w, strict=True)) for m in range(6)]
        bias = getattr(kernels, f"{name}_bias", None)
        self.bias = [x for part in bias(self.q, 0, W, 0) for x in part] if bias else [0] * 6
        self.qdot = np.array(self.w, object)
        if not facts.scalar_rates:
            self.qdot = np.full(facts.coordinates, None, object)
            getattr(kernels, f"{name}_rates")(self.q, 0, W, 0, self.qdot)

    def dt(self, expressions):
        """Time derivatives at constant w."""
        return [sum(symengine.sympify(e).diff(q) * r for q, r in zip(self.q, self.qdot, strict=True)) for e in expressions]

    def derived_velocity(self):
        """Angular velocity and velocity of M in F, axes of M, from the pose alone."""
        R = self.E.T
        A = self.E * symengine.Matrix(3, 3, self.dt(list(R)))
        omega = [(A[i, j] - A[j, i]) / 2 for i, j in ((2, 1), (0, 2), (1, 0))]
        return [*omega, *(self.E * symengine.Matrix(3, 1, self.dt(list(self.p))))]

    def derived_bias(self):
        moving = symengine.Matrix(3, 1, self.dt(self.dt(list(self.p))))
        return [*self.dt(self.derived_velocity()[:3]), *(self.E * moving)]

    def values(self, expressions, rng):
        """The expressions at a random state."""
        q, w = rng.normal(size=len(self.q)), rng.normal(size=len(self.w))
        if not self.facts.scalar_rates:
            q[-4:] /= np.linalg.norm(q[-4:])
        numbers = dict(zip([*self.q, *self.w], [*q, *w], strict=True))
        return np.array([float(symengine.sympify(e).subs(numbers).n(real=True)) for e in expressions])


@pytest.mark.parametrize("name", MOVING)
def test_columns_rates_and_bias_are_derivatives_of_the_pose(name):
    pose, rng = Pose(name), np.random.default_rng(8)
    for _ in range(3):
        seed = rng.integers(2**31)
        for what, got, wanted in (
            ("velocity", pose.velocity, pose.derived_velocity()),
            ("bias", pose.bias, pose.derived_bias()),
            ("rotation", list(pose.E * pose.E.T), list(symengine.eye(3))),
        ):
            a, b = (pose.values(x, np.random.default_rng(seed)) for x in (got, wanted))
            assert np.abs(a - b).max() < 1e-13, f"{name}: {what} is {a}, the pose's derivative {b}"


@pytest.mark.parametrize("name", MOVING)
def test_axes_at_neutral(name):
    """At the neutral coordinates a rate is the component of the relative motion along its axis; a screw's slides as well."""
    pose = Pose(name)
    facts = pose.facts
    assert bool(facts.at_neutral) == (GENERAL in facts.axes)
    numbers = dict(zip(pose.q, facts.neutral, strict=True))
    axes = facts.at_neutral or facts.axes
    for k, w in enumerate(pose.w):
        column = [float(symengine.sympify(e).diff(w).subs(numbers).n(real=True)) for e in pose.velocity]
        assert [column[axis] for axis in axes] == [float(axis == axes[k]) for axis in axes]


@pytest.mark.parametrize("name", MOVING)
def test_total_axes_are_orthonormal(name):
    """Efficient speeds take components along axes that must be orthonormal."""
    pose, rng = Pose(name), np.random.default_rng(9)
    total = [k for k, t in enumerate(pose.facts.total) if t]
    columns = [[symengine.sympify(e).diff(pose.w[k]) for e in pose.velocity[:3]] for k in total]
    S = pose.values([e for column in columns for e in column], rng).reshape(len(total), 3)
    assert np.abs(S @ S.T - np.eye(len(total))).max(initial=0.0) < 1e-14
