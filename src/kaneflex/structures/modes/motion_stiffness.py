"""Stiffening by motion: integrals of the second-order displacements that modes bring with them.

A point of a body that deforms by modes moves along r = p + sum phi_i eta_i + 1/2 sum g_ij eta_i eta_j, where g undoes the
strain that phi alone would cause at second order (a cantilever's tip comes nearer to its root as it bends). g is never
formed. For any load l with the static solution u_l,

    int l . g_ij = -phi_i^T KG(u_l) phi_j                                                                        (1)

KG(u_l) being the geometric stiffness of the stress state of u_l. Proof: g has the linear strain that makes up for the
second-order strain n(phi_i, phi_j) as well as displacements can, K g_ij = -int B^T C n(phi_i, phi_j); times u_l = K^-1 l.
With this g the strain energy is eta^T k eta/2 up to fourth order.

Loads of unit accelerations give what the equations of motion need of g: three of uniform fields and nine of fields that are
linear in the place, the twelve inertia loads of Banerjee and Dickens (J. Guidance 13, 1990). Along a beam they act between
its nodes too. Six unit forces and moments at a node give its second-order displacement and rotation.
"""

import numpy as np

from kaneflex.model.checks import Vector, warn
from kaneflex.structures.elements.contract import cross_matrix
from kaneflex.structures.statics import Statics


def second_order(statics: Statics, shapes: Vector, loads: Vector, fields: Vector) -> Vector:
    """int l . g_ij of (1) for every load.

    Args:
        statics: the structure as it is held when its modes are taken.
        shapes: modes (6n, m).
        loads: nodal forces and moments (6n, k).
        fields: (k, 3, 4), the acceleration fields (c, C), c + C p from the structure's origin, of those loads that are
            mass times a field; zero for others.

    Returns:
        (k, m, m), symmetric in the modes; zeros, with a warning, when the geometric stiffness of the structure is unknown.
    """
    structure = statics.structure
    m = shapes.shape[1]
    found = np.zeros((loads.shape[1], m, m))
    if not structure.stiffens:
        warn(
            f"{structure!r} is given by its mass and stiffness only, so motion cannot stiffen it: results are wrong "
            "when it turns at rates near its lowest frequency; give `geometric`, or say stiffening=False if that is meant"
        )
        return found
    displacements, balanced, relief = statics.displacements(loads), statics.balanced(loads), statics.relief(loads)
    for k in range(loads.shape[1]):
        # a reduced model does not tell all loads of a field, and needs none where these have their stiffness
        known = structure.stiffens_by_inertia_alone and fields[k].any()
        if known or displacements[:, k].any() or balanced[:, k].any():
            field = fields[k] - np.column_stack([relief[:3, k], cross_matrix(relief[3:, k])])
            KG = structure.geometric_stiffness(displacements[:, k], balanced[:, k], field)
            assert KG is not None
            found[k] = -(shapes.T @ (KG @ shapes))
    return (found + found.transpose(0, 2, 1)) / 2
