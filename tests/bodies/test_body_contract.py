"""Every file of a kind of body holds what `bodies.contract` says; and a kind is added as somebody else would add it."""

import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kaneflex
from kaneflex.kernels import backend
from kaneflex.kernels import bodies as package
from kaneflex.kernels.bodies import dispatch
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.model.bodies import BodyBase

FILES = {
    m.name: importlib.import_module(f"{package.__name__}.{m.name}")
    for m in pkgutil.iter_modules(package.__path__)
    if m.name not in ("contract", "dispatch")
}


def test_there_are_files():
    assert set(FILES) >= {"rigid", "modal", "variable_mass"}


@pytest.mark.parametrize("name", FILES)
def test_functions_are_there_and_dispatched(name):
    module = FILES[name]
    assert isinstance(module.FACTS, BodyFacts) and module in backend._modules
    assert callable(getattr(module, f"{name}_properties"))
    for part in ("inertia", "properties", "force", "attraction", "rates"):
        function = getattr(module, f"{name}_{part}", None)
        assert function is None or getattr(dispatch, f"{name}_{part}") is function, f"{name}_{part} is not in dispatch"
    assert hasattr(module, f"{name}_force") == bool(module.FACTS.force)


def test_codes_differ_and_are_declared():
    importlib.import_module("kaneflex.structures.flexible")
    codes = [m.FACTS.code for m in FILES.values()]
    assert len(set(codes)) == len(codes)

    def kinds(cls):
        return {cls.facts.code}.union(*(kinds(c) for c in cls.__subclasses__()))

    assert set(codes) <= kinds(BodyBase)


# -- a kind of one's own -----------------------------------------------------------------------------------------------

KERNEL = '''"""A body whose inertia about the mass centre, at the origin of M, grows and shrinks as a whole: J = s(t) J_0.

What moves inside has no swirl, so that J omega is kept: torque -J-dot omega.
"""

from kaneflex.kernels.algebra import accumulate3, dot, load3, scale, sym_mul
from kaneflex.kernels.bodies.contract import BodyFacts
from kaneflex.kernels.bodies.rigid import rigid_properties, store_inertia
from kaneflex.kernels.forces.value import record_energy
from kaneflex.kernels.layout import (
    BODY_LAW, FORCE_BODY, LAW_ADDRESS, LAW_OUT, LAW_X, OMEGA, TORQUE, W_LAW_INPUT, W_LAW_OUTPUT,
    body_row, body_work, force_row, law_row,
)
from kaneflex.kernels.ops import call_law

BREATHING = 77
FACTS = BodyFacts(BREATHING, outputs=2, force="muscles")


def breathing_outputs(I, i):
    """Place in W of s and s-dot."""
    return I[W_LAW_OUTPUT] + I[law_row(I, I[body_row(i) + BODY_LAW]) + LAW_OUT]


def breathing_inertia(I, P, W, t, i):
    """Inertia of the time t."""
    law = law_row(I, I[body_row(i) + BODY_LAW])
    call_law(I[law + LAW_ADDRESS], t, W, I[W_LAW_INPUT] + I[law + LAW_X], W, breathing_outputs(I, i))
    m, h, J = breathing_properties(I, P, W, i)
    store_inertia(W, body_work(i), m, h, J)


def breathing_properties(I, P, W, i):
    """Mass, mass moment and inertia."""
    m, h, J = rigid_properties(P, W, i)
    s = W[breathing_outputs(I, i)]
    return m, h, (s * J[0], s * J[1], s * J[2], s * J[3], s * J[4], s * J[5])


def breathing_force(I, P, W, m):
    """Torque -J-dot omega; with the energy that goes into the motion inside, its power is half of it."""
    i = I[force_row(I, m) + FORCE_BODY]
    omega = load3(W, body_work(i) + OMEGA)
    _, _, J = rigid_properties(P, W, i)
    turn = scale(W[breathing_outputs(I, i) + 1], sym_mul(J, omega))
    accumulate3(W, body_work(i) + TORQUE, turn)
    record_energy(I, W, m, 0 * omega[0], -dot(omega, turn) / 2, 0 * omega[0])
'''

# the lines of `dispatch.py`: what each stands behind, and what it says
LINES = {
    "from kaneflex.kernels.bodies import modal, variable_mass\n": """from kaneflex.kernels.bodies import breathing
from kaneflex.kernels.bodies.breathing import BREATHING, breathing_force, breathing_inertia, breathing_properties
""",
    "KINDS = (modal, variable_mass)  # files of all kinds but the rigid body, whose code is in the callers'\n": (
        "KINDS = (*KINDS, breathing)\n"
    ),
    '    "variable_mass_inertia": Stage("Iwtn"),\n': (
        '    "breathing_inertia": Stage("IPwtn"),\n    "breathing_force": Stage("IPwn"),\n'
    ),
    "        variable_mass_inertia(I, W, t, i)\n": (
        "    elif kind == BREATHING:\n        breathing_inertia(I, P, W, t, i)\n"
    ),
    "        m, h, J = modal_properties(I, P, W, i)\n": (
        "    elif kind == BREATHING:\n        m, h, J = breathing_properties(I, P, W, i)\n"
    ),
    "        variable_mass_force(I, P, W, m)\n": "    elif kind == BREATHING:\n        breathing_force(I, P, W, m)\n",
}

DECLARATION = '''"""A declaration of somebody else's, and what it is good for."""

import sys
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

import kaneflex as kf
from kaneflex.kernels.bodies import breathing
from kaneflex.model.bodies import BodyBase


@dataclass(frozen=True)
class Breathing(BodyBase):
    """Mass, inertia at rest, how strongly and how fast it breathes."""

    mass: float
    inertia: Any
    depth: float
    rate: float
    frames: Any = field(default_factory=dict)
    facts: ClassVar[Any] = breathing.FACTS

    def mass_properties(self):
        return self.mass, np.zeros(3), np.diag(self.inertia)

    def law(self, R, p):
        a, w = self.depth, self.rate
        return lambda t: (1 + a * np.sin(w * t), a * w * np.cos(w * t))


s = kf.System("breathing", gravity=(0, 0, -9.81))
body = Breathing(2.0, (0.3, 0.4, 0.5), 0.3, 5.0)
if sys.argv[1] == "symbols":
    s.add("lung", body, kf.Revolute("z"), rates=3.0)
    eq = s.equations()
    t, u, T = eq.t, eq.u[0], 0.2
    M, F = (float(e.subs({t: T, u: 3.0})) for e in (eq.M[0][0], eq.F[0]))
    assert abs(M - 0.5 * (1 + 0.3 * np.sin(1))) < 1e-14, M
    assert abs(F + 3 * 0.5 * 0.3 * 5 * np.cos(1)) < 1e-14, F
else:
    s.add("lung", body, kf.Free(), rates=(0, 0, 0, 1.0, -2.0, 3.0))
    s.add("arm", kf.Rigid(0.2, (0.1, 0, 0), (0.01, 0.01, 0.01)), kf.Revolute("x"), parent="lung", at=(0.2, 0, 0))
    run = s.simulate(3.0, rtol=1e-11, atol=1e-11)
    assert run.audit.ok and run.audit.angular_momentum_drift < 1e-9 and run.audit.energy_drift < 1e-9, run.audit
    assert run.audit.applied_work**2 > 1e-6
    q, u = run.q[-1], run.u[-1]
    one, other = (s.dynamics(formulation=f).udot_at(3.0, q, u) for f in ("recursive", "dense"))
    assert abs(one - other).max() < 1e-12 * abs(one).max()
print("as it should")
'''


@pytest.mark.parametrize("what", ["symbols", pytest.param("numbers", marks=pytest.mark.thorough)])
def test_a_kind_of_ones_own(tmp_path, what):
    """One new file with the kernels, lines in `dispatch.py`, one declaration: nothing else knows of the new kind."""
    source = Path(kaneflex.__file__).parent
    shutil.copytree(source, tmp_path / "kaneflex", ignore=shutil.ignore_patterns("__pycache__"))
    place = tmp_path / "kaneflex" / "kernels" / "bodies"
    (place / "breathing.py").write_text(KERNEL)
    text = (place / "dispatch.py").read_text()
    for behind, line in LINES.items():
        assert text.count(behind) == 1, behind
        text = text.replace(behind, behind + line)
    (place / "dispatch.py").write_text(text)
    (tmp_path / "lung.py").write_text(DECLARATION)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    if what == "numbers":
        environment["KANEFLEX_CACHE"] = str(tmp_path / "cache")
    command = [sys.executable, str(tmp_path / "lung.py"), what]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert done.returncode == 0 and done.stdout.strip() == "as it should", done.stderr
