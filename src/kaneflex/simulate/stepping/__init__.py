"""The compiled step loop: explicit, implicit and linearly implicit steps, step control, dense output, events.

A run lives in four flat arrays, all made by `Stepper`, so that it can stop after any step, be stored, and go on with
the same bits:

- `N`, integers: sizes, the places of the vectors below, counters, flags;
- `C`, reals: the clock and the constants of step control;
- `T`, reals: the method's tableau;
- `S`, reals: state, stage vectors k_j, dense output, events, Jacobian.

The loop is written by reverse communication: the kernels do not call the right-hand side. A run is in one of the phases
below; each phase has a kernel that does its work, sets the next phase, and returns RK_GO, a status, or what it wants to
know: RK_SLOPE (y' at a state), RK_ALONG (its change along a direction) or RK_VALUES (the event functions there). Only the
two entries of `loop` link the right-hand side, which is by far the largest piece of code: called from the step, the search
for events and so on, it would be optimised again in each of them, and the loop would take twice as long to compile.

Sources: HNW = Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I (1993); HW = Hairer, Wanner, the same,
II (1996).
"""

from kaneflex.simulate.stepping import (
    alpha,
    control,
    coupled,
    dense_output,
    events,
    exact_tangent,
    explicit,
    implicit,
    lanes,
    layout,
    linear,
    loop,
    mixing,
    newton,
    scan,
    singular,
    vectors,
)

STEPS = (explicit, mixing, newton, implicit, coupled, exact_tangent, linear, alpha)
MODULES = (layout, vectors, dense_output, control, *STEPS, events, scan, singular, loop, lanes)
