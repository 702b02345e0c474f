"""Every number that decides on contacts, with its unit and its reason.

Lengths and speeds are absolute: too small to matter in any machine, and above the rounding of places up to kilometres from
the origin, 1e-13 m, and of speeds up to a kilometre a second. Shares are of the largest number of the same kind, so that
they hold in any units: 1e-12 and less where only rounding of one solution (1e-16, times its condition) is to pass, 1e-9
where the result of an iteration or of several solutions is looked at.
"""

from kaneflex.plan.load_tables import NO_SLIP as NO_SLIP  # m/s: a slip of less has no direction of its own

# -- kinematics ----------------------------------------------------------------------------------------------------------
TOUCHING = 1e-9  # m: a gap of less is none. A bounce that is lower than this is none either
SUNK = 1e-8  # m: a point below its plane by so much got there unnoticed. Above TOUCHING, and what the audit lets pass
AT_REST = 1e-9  # m/s: slower along the normal, a point does not move. Projected speeds have a thousandth of it by rounding
STOPPED = 1e-6  # m/s: what slides no faster has come to rest. Not less: slip ends in a corner of the motion, at full slope
SLIPPING = 2 * STOPPED  # m/s: what slides faster does slip. Above STOPPED, so that a point at its event has stopped
PRESSED = 1e-6  # m/s^2: an open point that touches and is accelerated towards its plane by more is pressed on
DIFFERENCE = 1e-6  # s: step of the central difference for that; rounding leaves 1e-10 m/s^2 at 1 m/s, well below PRESSED

# -- when things happen --------------------------------------------------------------------------------------------------
SAME_INSTANT = 1e-9  # of the time, at least of 1 s: what happens closer together is of one instant; of impacts there,
MOST_IMPACTS = 30  # so many of one point are too many: they have no end. Chains of bodies that come to rest take a few
SOUGHT = 1e-12  # of the time, at least of 1 s: to which the instant is sought at which a redundant contact fails: rounding
SOON = 1e-6  # of the time, at least of 1 s: when the sign of a force that is zero now is looked at, clear of rounding

# -- forces and impulses -------------------------------------------------------------------------------------------------
TENSION = 1e-12  # of the largest multiplier: a normal multiplier below minus this is a pull, and not rounding
LOADED = 1e-9  # of the largest normal force: a contact that carries less carries nothing. Shares come from iterations
FIXED = 1e-9  # of the mobility without closed contacts: a point to which these leave less stays on its plane. Two solutions
BLOCKED = 1e-14  # of the largest mobility of a point: with less along the normal, the model holds it there: rounding
MET = 1e-9  # of the largest acceleration, velocity or force: what counts as zero where the laws are checked: iterations
IMMOVABLE = 1e-10  # of the largest mobility: a direction with less is held by something. Rounding leaves 1e-15 of one
HIGHEST_GAIN = 1e-13  # of impulse times velocity: kinetic energy gained in an impact beyond it is not rounding
SHARE_FOUND = 1e-12  # to which the share of restitution is found that gains no energy: rounding

# -- the search for forces of several points (friction_law) --------------------------------------------------------------
LEAST_NORM = 1e-11  # of the largest singular value: forces of least norm have none along less. As for redundant equations
NEWTON = 1e-13  # of the forces: a change of less is the last of Newton's method: rounding
TRACE = 1e-13  # of the largest mobility: what is added to make a singular one regular, little above rounding
SLACK = 1e-4  # of the friction at hand: a point that uses all but this may slip; SWEEPS do not tell it better
IDLE = 1e-7  # of the largest normal force: what TURNS leave of one that is zero
WORTH = 1e-3  # of what is left of the equations: a direction on a cone that takes less of it is not worth adding
TURNS, SWEEPS = 100, 40  # iterations: of normal forces and friction in turn, and of friction in each
FEW = 2  # points of which all that they may do is tried: six things each
NUDGES = (0.0, 1e-6, 1e-4)  # more of what points at rest are held against, where nothing was found without

# -- slip during an impact (impact_law) ----------------------------------------------------------------------------------
SLIP_ENDED = 1e-13  # of the velocity before: less slip is none
SLIP_LASTS = 1e-12  # of the velocity before: slip of more at the end has lasted throughout
FOLLOWED, FOLLOWED_ANGLE, FOLLOWED_SMALL = 1e-12, 1e-12, 1e-15  # tolerances of the slip followed: relative, rad, of the rest
GROWTH = 1e-15  # relative, to which the growth of slip from rest is found

# -- slip that begins (onset) --------------------------------------------------------------------------------------------
QUICK = 1e-3  # s: friction that turns the slip in less makes an explicit method take small steps
SLOW = 0.01  # of the acceleration by friction: less than that leaves the slip where it turns quickly
FIRST, SHORTEST, LONGEST = 1e-3, 1e-7, 0.3  # s: of the times tried for a given direction of slip
TURN = 1e-3  # rad: by which directions of friction are turned to see what follows
ENOUGH = 1e-2  # of the tolerance: defects of less are not made smaller
NO_DIRECTION = 1e-9  # m/s: slip of less is taken to have the direction that friction was given
