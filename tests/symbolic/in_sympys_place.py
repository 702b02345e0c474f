"""A plugin of pytest: KanesMethod of kaneflex in the place of SymPy's, before tests are imported."""

import sympy.physics.mechanics as mechanics
from sympy.physics.mechanics import jointsmethod, kane, system

from kaneflex.symbolic import KanesMethod

mechanics.KanesMethod = kane.KanesMethod = KanesMethod
for form_eoms in (system.System.form_eoms, jointsmethod.JointsMethod.form_eoms):
    form_eoms.__defaults__ = (KanesMethod,)
