"""Numbers of the game that the simulation's own parts need. uu, uu/s, rad/s, seconds, boost 0–100."""

from __future__ import annotations

TICKS_PER_SECOND = 120

SIDE_WALL_X = 4096.0
BACK_WALL_Y = 5120.0
CEILING_Z = 2044.0
CORNER = 8064.0  # |x| + |y| of the corner walls
GOAL_LINE_Y = 5215.5  # |y| of the ball's centre past which a goal counts

BALL_RADIUS = 91.25
BALL_REST_Z = 93.15
BALL_MAX_SPEED = 6000.0
BALL_MAX_SPIN = 6.0

CAR_REST_Z = 17.0
CAR_REACH = 95.0  # no part of the car is further from its origin
CAR_MAX_SPEED = 2300.0
CAR_MAX_SPIN = 5.5
KICKOFF_BOOST = 33.3
BOOST_USE = 33.3  # per second, RLGym's number (the simulator's own default is 100 / 3)

PADS = 34
BIG_PADS = (3, 4, 15, 18, 29, 30)  # in RLGym's order: by y, then x
SMALL_PAD_SECONDS = 4.0
BIG_PAD_SECONDS = 10.0

FLIP_SECONDS = 0.65  # of a flip's torque
FLIP_WINDOW_SECONDS = 1.25  # after a jump's end, in which a flip can start
