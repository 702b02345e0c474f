"""The choices of generalized speeds that a system has, and what the equations of each cost."""

import symengine

from kaneflex.model.checks import ModelError
from kaneflex.model.model import Model
from kaneflex.symbolic.simplify import simplified
from kaneflex.symbolic.speed_choice import SpeedChoice, operations
from kaneflex.symbolic.system.lagrange import Kinematics
from kaneflex.symbolic.system.system_equations import LARGEST_SIMPLIFIED, Derivation

CHOICES = {
    "customary": "customary: relative rates of joints",
    "efficient": "efficient: total components along hinge axes",
}


def choices_of_system(model: Model) -> list[SpeedChoice]:
    """The equations of a system with each choice, the cheapest first."""
    found = []
    for speeds, name in CHOICES.items():
        derivation = Derivation(model, speeds)
        eq = derivation.equations()
        if not eq.u:
            raise ModelError(f'system "{model.name}" has no speeds to choose')
        kinematics = Kinematics(derivation)
        rates = [symengine.Symbol(f"{s}'") for s in kinematics.q]
        shorter = simplified if len(eq.u) <= LARGEST_SIMPLIFIED else symengine.expand
        definitions = [shorter(row[0]) for row in kinematics.speeds_of([[s] for s in rates])]
        found.append(SpeedChoice(name, eq.u, definitions, operations(eq.qdot, eq.M, eq.F), eq))
    return sorted(found, key=lambda c: c.operations["total"])


__all__ = ["choices_of_system"]
