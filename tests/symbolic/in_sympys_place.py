"""A plugin of pytest: classes of kaneflex in the place of SymPy's of the same names, before tests are imported."""

import sympy.physics.mechanics as mechanics
from sympy.physics.mechanics import jointsmethod, kane, lagrange, linearize, system

from kaneflex.symbolic import KanesMethod, LagrangesMethod, Linearizer

mechanics.KanesMethod = kane.KanesMethod = KanesMethod
mechanics.LagrangesMethod = lagrange.LagrangesMethod = LagrangesMethod
mechanics.Linearizer = linearize.Linearizer = kane.Linearizer = lagrange.Linearizer = Linearizer
for form_eoms in (system.System.form_eoms, jointsmethod.JointsMethod.form_eoms):
    form_eoms.__defaults__ = (KanesMethod,)
