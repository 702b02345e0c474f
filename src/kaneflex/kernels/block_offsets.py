"""Where the parts of blocks begin. Written by scripts/make-layout from `schema`: change that and run it."""


def added_H_par():
    """Place of `H` in a block `added`: torque by acceleration of the origin."""
    return 6


def added_M_par():
    """Place of `M` in a block `added`: force by acceleration of the origin."""
    return 15


def added_size_par():
    """Length of a block `added`."""
    return 21


def medium_level_par():
    """Place of `level` in a block `medium`: height of the surface at rest."""
    return 1


def medium_up_par():
    """Place of `up` in a block `medium`: unit vector, inertial axes."""
    return 2


def medium_east_par():
    """Place of `east` in a block `medium`: horizontal unit vector from which headings of waves count."""
    return 5


def medium_north_par():
    """Place of `north` in a block `medium`: up x east."""
    return 8


def medium_velocity_par():
    """Place of `velocity` in a block `medium`: below all bends."""
    return 11


def medium_bends_par():
    """Place of `bends` in a block `medium`: height (m), and change of the velocity's slope there (1/s)."""
    return 14


def medium_waves_par(b):
    """Place of `waves` in a block `medium`: as `medium` says."""
    return 4 * b + 14


def medium_size_par(b, c):
    """Length of a block `medium`."""
    return 4 * b + 8 * c + 14


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


def modal_size_par(m):
    """Length of a block `modal`."""
    return m * m + m


def shape_root_mass_par():
    """Place of `root_mass` in a block `shape`: square root of the mass."""
    return 3


def shape_inertia_par():
    """Place of `inertia` in a block `shape`: of the undeformed body about the origin of M, rotors included."""
    return 4


def shape_places_par():
    """Place of `places` in a block `shape`: c_k of the undeformed body."""
    return 10


def shape_T_par():
    """Place of `T` in a block `shape`: mean rotation by modal coordinates."""
    return 22


def shape_c1_par(m):
    """Place of `c1` in a block `shape`: columns of c_k, those without a form first; zeros behind them."""
    return 3 * m + 22


def shape_E_par(m):
    """Place of `E` in a block `shape`: modal mass of the residual modes and of columns without a form."""
    return 27 * m + 22


def shape_forms_par(m):
    """Place of `forms` in a block `shape`: of c_k and d."""
    return m * m + 27 * m + 22


def shape_residual_par(m, f):
    """Place of `residual` in a block `shape`: forms of the residual inertia."""
    return 8 * f * m + m * m + 27 * m + 22


def shape_size_par(m, f, r):
    """Length of a block `shape`."""
    return 8 * f * m + m * m + 8 * m * r + 27 * m + 22


def rod_root_mass_par():
    """Place of `root_mass` in a block `rod`: square root of the mass."""
    return 3


def rod_inertia_par():
    """Place of `inertia` in a block `rod`: of the unstrained rod about the origin of M, rotors included."""
    return 4


def rod_axes_par():
    """Place of `axes` in a block `rod`: components in axes of the root to components in M."""
    return 10


def rod_steps_par():
    """Place of `steps` in a block `rod`: mass and rotary inertia of a section, a1, a2, a3 of the step to it."""
    return 19


def rod_B_par(n):
    """Place of `B` in a block `rod`: a1, a2, a3 by coefficients, for each step."""
    return 22 * n + 19


def rod_size_par(n, m):
    """Length of a block `rod`."""
    return 3 * m * n + 22 * n + 19


def rod_columns_work(n):
    """Place of `columns` in a block `rod`: partial velocities of each section in axes of the root: angular, linear."""
    return 27 * n


def rod_size_work(n, m):
    """Length of a block `rod`."""
    return 6 * m * n + 27 * n


def modal_mass_right_sides_work(m):
    """Place of `right_sides` in a block `modal_mass`: room for those behind its rows."""
    return m * m


def modal_mass_size_work(m):
    """Length of a block `modal_mass`."""
    return m * m + 7 * m


def own_mass_size_work(m):
    """Length of a block `own_mass`."""
    return m * m


def modal_update_right_sides_work(n):
    """Place of `right_sides` in a block `modal_update`: room for those behind its rows."""
    return n * n


def modal_update_solution_work(n):
    """Place of `solution` in a block `modal_update`: of the rows."""
    return n * n + 7 * n


def modal_update_size_work(n):
    """Length of a block `modal_update`."""
    return n * n + 8 * n


def node_first_par():
    """Place of `first` in a block `node`: theta and r^ by modal coordinates, Psi and Phi, those without a form first."""
    return 3


def node_forms_par(m):
    """Place of `forms` in a block `node`: H and G, second derivatives."""
    return 6 * m + 3


def node_size_par(m, f):
    """Length of a block `node`."""
    return 8 * f * m + 6 * m + 3


def rod_node_axes_par():
    """Place of `axes` in a block `rod_node`: components in axes of the section to components in M."""
    return 3


def rod_node_turn_par():
    """Place of `turn` in a block `rod_node`: sum of the turns of all steps, axes of M."""
    return 12


def rod_node_size_par():
    """Length of a block `rod_node`."""
    return 15


def node_slopes_work(m):
    """Place of `slopes` in a block `node`: of theta and r^ by modal coordinates, as `first` has them."""
    return 6 * m


def node_rates_work(m):
    """Place of `rates` in a block `node`: forms times the modal speeds, then zeros."""
    return 12 * m


def node_theta_work(m):
    """Place of `theta` in a block `node`: its rotation vector."""
    return 19 * m


def node_deflection_work(m):
    """Place of `deflection` in a block `node`: of its origin, axes of the flexible body's M."""
    return 19 * m + 3


def node_rate_work(m):
    """Place of `rate` in a block `node`: its angular velocity and velocity in the flexible body's M,."""
    return 19 * m + 6


def node_bias_work(m):
    """Place of `bias` in a block `node`: and their rates without rates of modal speeds."""
    return 19 * m + 12


def node_size_work(m):
    """Length of a block `node`."""
    return 19 * m + 18


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
