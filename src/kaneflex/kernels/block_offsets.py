"""Where the parts of blocks begin. Written by scripts/make-layout from `schema`: change that and run it."""


def delassus_factor_work(h):
    """Place of `factor` in a block `delassus`: L, with a column for each independent equation."""
    return h * h


def delassus_order_work(h, m):
    """Place of `order` in a block `delassus`: of pivots, then of the others."""
    return h * h + h * m


def delassus_rank_work(h, m):
    """Place of `rank` in a block `delassus`: number of independent equations."""
    return h * h + h * m + h


def delassus_left_work(h, m):
    """Place of `left` in a block `delassus`: what is left of the diagonal."""
    return h * h + h * m + h + 1


def delassus_slope_work(h, m):
    """Place of `slope` in a block `delassus`: of half the sum of squares that least norm makes least."""
    return h * h + h * m + h + m + 1


def delassus_size_work(h, m):
    """Length of a block `delassus`."""
    return h * h + h * m + 2 * h + m + 1


def pivoted_order_work(n):
    """Place of `order` in a block `pivoted`: of its rows."""
    return n * n


def pivoted_b_work(n):
    """Place of `b` in a block `pivoted`: right-hand side."""
    return n * n + n


def pivoted_x_work(n):
    """Place of `x` in a block `pivoted`: solution."""
    return n * n + 2 * n


def pivoted_size_work(n):
    """Length of a block `pivoted`."""
    return n * n + 3 * n


def modal_C_par(m):
    """Place of `C` in a block `modal`: modal damping."""
    return m


def modal_D_par(m):
    """Place of `D` in a block `modal`: int p x phi dm, about the origin of M (not RATES)."""
    return m * m + m


def modal_B_par(m, c):
    """Place of `B` in a block `modal`: int phi dm."""
    return 3 * c + m * m + m


def modal_J1_par(m, c):
    """Place of `J1` in a block `modal`: inertia by modal coordinates."""
    return 6 * c + m * m + m


def modal_d_par(m, c):
    """Place of `d` in a block `modal`: int phi_i x phi_j dm."""
    return 12 * c + m * m + m


def modal_J2_par(m, c):
    """Place of `J2` in a block `modal`: second derivatives of the inertia that second-order displacements have."""
    return 3 * c * c + 12 * c + m * m + m


def modal_root_par(m, c):
    """Place of `root` in a block `modal`: the root, about which the body turns, from the origin of M (RATES)."""
    return 9 * c * c + 12 * c + m * m + m


def modal_root_mass_par(m, c, o):
    """Place of `root_mass` in a block `modal`: square root of the mass."""
    return 9 * c * c + 12 * c + m * m + m + 3 * o


def modal_inertia_par(m, c, o):
    """Place of `inertia` in a block `modal`: of the undeformed body about the origin of M, rotors included."""
    return 9 * c * c + 12 * c + m * m + m + 4 * o


def modal_places_par(m, c, o):
    """Place of `places` in a block `modal`: c_k of the undeformed body."""
    return 9 * c * c + 12 * c + m * m + m + 10 * o


def modal_T_par(m, c, o):
    """Place of `T` in a block `modal`: mean rotation by modal coordinates."""
    return 9 * c * c + 12 * c + m * m + m + 22 * o


def modal_c1_par(m, c, o, r):
    """Place of `c1` in a block `modal`: columns of c_k."""
    return 9 * c * c + 12 * c + m * m + m + 22 * o + 3 * r


def modal_E_par(m, c, o, r):
    """Place of `E` in a block `modal`: residual modal mass."""
    return 9 * c * c + 12 * c + m * m + m + 22 * o + 15 * r


def modal_forms_par(m, c, o, r):
    """Place of `forms` in a block `modal`: by rows of all forms."""
    return 9 * c * c + 12 * c + m * m + m + 22 * o + r * r + 15 * r


def modal_size_par(m, c, o, r, f):
    """Length of a block `modal`."""
    return 9 * c * c + 12 * c + f * r * r + m * m + m + 22 * o + r * r + 15 * r


def modal_mass_right_sides_work(m):
    """Place of `right_sides` in a block `modal_mass`: room for those behind its rows."""
    return m * m


def modal_mass_size_work(m):
    """Length of a block `modal_mass`."""
    return m * m + 7 * m


def own_mass_size_work(m):
    """Length of a block `own_mass`."""
    return m * m


def node_Psi_par():
    """Place of `Psi` in a block `node`: rotation by modal coordinates."""
    return 3


def node_Phi_par(m):
    """Place of `Phi` in a block `node`: displacement by modal coordinates."""
    return 3 * m + 3


def node_H_par(m):
    """Place of `H` in a block `node`: second derivatives of the rotation."""
    return 6 * m + 3


def node_G_par(m):
    """Place of `G` in a block `node`: second derivatives of the displacement."""
    return 3 * m * m + 6 * m + 3


def node_size_par(m):
    """Length of a block `node`."""
    return 6 * m * m + 6 * m + 3


def node_slopes_work(m):
    """Place of `slopes` in a block `node`: of its rotation vector by modal coordinates."""
    return 6 * m


def node_theta_work(m):
    """Place of `theta` in a block `node`: its rotation vector."""
    return 9 * m


def node_square_work(m):
    """Place of `square` in a block `node`: H sigma sigma, G sigma sigma."""
    return 9 * m + 3


def node_deflection_work(m):
    """Place of `deflection` in a block `node`: of its origin, axes of the flexible body's M."""
    return 9 * m + 9


def node_place_work(m):
    """Place of `place` in a block `node`: in the mean axes, from the root."""
    return 9 * m + 12


def node_turn_work(m):
    """Place of `turn` in a block `node`: rotation vector of the mean axes."""
    return 9 * m + 15


def node_size_work(m):
    """Length of a block `node`."""
    return 9 * m + 18


def node_load_size_work(m):
    """Length of a block `node_load`."""
    return 6 * m


def projection_change_work(n):
    """Place of `change` in a block `projection`: of the speeds in a step."""
    return n


def projection_rates_work(n):
    """Place of `rates` in a block `projection`: of the coordinates in a step."""
    return 2 * n


def projection_size_work(n, c):
    """Length of a block `projection`."""
    return c + 2 * n


def jacobian_Z_work(m, n):
    """Place of `Z` in a block `jacobian`: M^-1 J^T."""
    return m * n


def jacobian_friction_work(m, n):
    """Place of `friction` in a block `jacobian`: M^-1 times generalized forces of friction under unit normal forces."""
    return 2 * m * n


def jacobian_size_work(m, n, k):
    """Length of a block `jacobian`."""
    return k * n + 2 * m * n


def embedded_TMT_work(n):
    """Place of `TMT` in a block `embedded`: T^T M T, then its factors."""
    return n * n


def embedded_h_work(n):
    """Place of `h` in a block `embedded`: rates with those of the independent speeds zero."""
    return 2 * n * n


def embedded_kind_work(n):
    """Place of `kind` in a block `embedded`: of each speed the equation that it is dependent by, or -1."""
    return 2 * n * n + n


def embedded_x_work(n):
    """Place of `x` in a block `embedded`: rates of the independent speeds."""
    return 2 * n * n + 2 * n


def embedded_size_work(n):
    """Length of a block `embedded`."""
    return 2 * n * n + 3 * n
