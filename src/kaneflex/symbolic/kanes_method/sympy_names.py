"""What SymPy's KanesMethod calls its private results: tools for it, such as PyDy and SymPy's own System, read them.

By this class ours is one of SymPy's, so that `issubclass` and `isinstance` say so. A matrix is made when it is asked for.
"""

from typing import Any

import sympy
from sympy.physics.mechanics import KanesMethod as OfSympy
from sympy.physics.vector import dynamicsymbols

from kaneflex.symbolic.kanes_method.inputs import KaneInputs


class SympyNames(KaneInputs, OfSympy):
    """Names of SymPy's class, in its notation: k_kqdot q' + k_ku u + f_k = 0 and k_d u' + f_d = 0, k_nh u + f_nh = 0."""

    def _rows(self, rows: Any) -> Any:
        """A SymPy matrix; SymPy's empty one where there are no rows."""
        return self.symbols.matrix(rows) if rows else sympy.Matrix()

    def _column(self, entries: Any) -> Any:
        return self._rows([[e] for e in entries])

    @property
    def _qdot(self) -> Any:
        return self._q.diff(dynamicsymbols._t)

    @property
    def _udot(self) -> Any:
        return self._u.diff(dynamicsymbols._t)

    @property
    def _qdot_u_map(self) -> Any:
        return self.kindiffdict() if self._kinematical else None

    @property
    def _k_kqdot(self) -> Any:
        return sympy.eye(len(self._q)) if self._kinematical else sympy.Matrix()

    @property
    def _k_ku(self) -> Any:
        return -self._rows(self._W)

    @property
    def _f_k(self) -> Any:
        return -self._column(self._X)

    @property
    def _k_kqdot_implicit(self) -> Any:
        return self._rows(self._implicit[0])

    @property
    def _k_ku_implicit(self) -> Any:
        return self._rows(self._implicit[1])

    @property
    def _f_k_implicit(self) -> Any:
        return self._column(self._implicit[2])

    @property
    def _f_h(self) -> Any:
        return self._column(self.ties.f_h)

    @property
    def _k_nh(self) -> Any:
        return self._rows(self.ties.k_nh)

    @property
    def _f_nh(self) -> Any:
        return self._column(self.ties.f_nh)

    @property
    def _k_dnh(self) -> Any:
        return self._rows(self.ties.k_dnh)

    @property
    def _f_dnh(self) -> Any:
        """Without u': ours is the rate of the whole constraint, in which u' counts as zero."""
        return self._column(self.ties.f_dnh)

    @property
    def _Ars(self) -> Any:
        return self._rows(self.ties.A_rs)

    @property
    def _fr(self) -> Any:
        return self.fr if self._formed else None

    @property
    def _frstar(self) -> Any:
        return self.frstar if self._formed else None

    @property
    def _k_d(self) -> Any:
        return self.mass_matrix[: len(self._u) - self._dependent, :]

    @property
    def _f_d(self) -> Any:
        return -self.forcing[: len(self._u) - self._dependent, :]

    @property
    def _aux_eq(self) -> Any:
        return self.auxiliary_eqs


__all__ = ["SympyNames"]
