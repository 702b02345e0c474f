"""Kane's equations solved for u-dot: dense and recursive, from the same stages; the formulations themselves in `kinds`."""

from kaneflex.formulations import (
    absolute_error,
    array_entries,
    coordinate_step,
    dense,
    dense_solve,
    embedded,
    evaluate,
    least_norm,
    loop_elimination,
    modal_elimination,
    momentum,
    multipliers,
    other_coordinates,
    projection,
    recursive,
    row_solve,
    sliding_friction,
    statics,
    symmetric_solve,
    tension,
    tree_matrix,
)
from kaneflex.formulations import kinds as kinds  # which registers them
from kaneflex.formulations.cartesian import equations, layout, matrix, motion, rates, supernodes
from kaneflex.kernels import backend
from kaneflex.kernels.backend import Stage

backend.register(
    momentum,
    multipliers,
    least_norm,
    loop_elimination,
    sliding_friction,
    fastmath=False,
    stages={
        "begin_loops": Stage("Iw"),
        "close_loops": Stage("Iwn"),
        "carry_loops": Stage("Iwn"),
        "push_columns": Stage("Iwn"),
        "find_multipliers": Stage("Iwn"),
        "spread_multipliers": Stage("Iw"),
        "begin_friction": Stage("Iw"),
        "solve_friction": Stage("Iwn"),
    },
)
backend.register(
    row_solve,
    symmetric_solve,
    modal_elimination,
    inline=False,
    stages={
        "begin_modes": Stage("Iw"),
        "pass_to_modes": Stage("Iwn"),
        "eliminate_modes": Stage("Iwn"),
        "back_substitute_modes": Stage("Iwnw"),
        "solve_modes": Stage("Iwnn"),
    },
)
backend.register(dense_solve)
backend.register(embedded, fastmath=False, stages={"embedded_udot": Stage("Iww")})
backend.register(
    dense,
    recursive,
    stages={"form_equations": Stage("IPww"), "dense_udot": Stage("IPww"), "independent_udot": Stage("IPww")},
)
backend.register(
    evaluate,
    array_entries,
    statics,
    projection,
    fastmath=False,
    stages={
        "forward_pass": Stage("IPwtww"),
        "forward_pass_at_rest": Stage("IPwtww"),
        "moving": Stage("IPwww"),
        "placed": Stage("IPwtw"),
        "signals": Stage("IPwtw"),
        "sum_seen": Stage("IPwtw"),
        "sum_seen_at_rest": Stage("IPwtw"),
        "prepare": Stage("IPwtww"),
        "prepare_at_rest": Stage("IPwtww"),
        "solve": Stage("IPww"),
        "solve_dense": Stage("IPww"),
        "solve_embedded": Stage("IPww"),
        "derivative": Stage("IPwtww"),
        "event_values": Stage("IPwtww"),
        "kinetic_energy": Stage("IPwtww"),
        "project": Stage("IPwtwntt", "n"),
    },
)
backend.register(
    tension,
    tree_matrix,
    absolute_error,
    inline=False,
    stages={
        "make_tree_matrix": Stage("IPwtwwtttt"),
        "solve_tree_real": Stage("IPwwtw"),
        "solve_tree_complex": Stage("IPwwttww"),
        "tree_error": Stage("IPwwwwtnw"),
    },
)
backend.register(coordinate_step, fastmath=False, stages={"coordinate_step": Stage("Iwww")})
backend.register(momentum, inline=False, fastmath=False, stages={"hold_momentum": Stage("IPwtwtwt")})
backend.register(
    other_coordinates,
    fastmath=False,
    stages={
        "to_tree": Stage("IPwtww"),
        "from_tree": Stage("IPwtww"),
        "other_event_values": Stage("IPwtww"),
        "other_kinetic_energy": Stage("IPwtww"),
        "other_project": Stage("IPwtwntt", "n"),
    },
)
backend.register(supernodes, inline=False)
backend.register(
    layout,
    motion,
    equations,
    matrix,
    rates,
    fastmath=False,
    stages={
        "cartesian_to_tree": Stage("IPwtww"),
        "cartesian_from_tree": Stage("IPwtww"),
        "cartesian_derivative": Stage("IPwtww"),
        "cartesian_project": Stage("IPwtwntt", "n"),
    },
)
