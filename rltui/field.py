"""Field constants and control columns."""

from __future__ import annotations

TICKS_PER_SECOND = 120
GRAVITY = 650.0  # uu/s²

SIDE_WALL_X = 4096.0
BACK_WALL_Y = 5120.0
CEILING_Z = 2044.0
CORNER = 8064.0  # |x| + |y| of the corner walls
NET_Y = 6000.0  # the back of the nets
GOAL_POST_X = 893.0  # |x| of the goals' posts
GOAL_CENTRE_Z = 321.39  # half the goals' height
GOAL_LINE_Y = 5215.5  # |y| of the ball's centre past which a goal counts

BALL_RADIUS = 91.25
BALL_REST_Z = 93.15
BALL_MAX_SPEED = 6000.0
BALL_MAX_SPIN = 6.0
BALL_DAMPING = 0.030459  # per second, −ln(1 − 0.03): how fast air drag takes its speed

MOST_CARS = 3  # a team
CAR_REST_Z = 17.0
CAR_REACH = 95.0  # no part of the car is further from its origin
CAR_ROOF = 40.085  # from the car's origin up to the top of the Octane's hitbox
CAR_HALF_WIDTH = 43.35
CAR_MIDDLE = 13.876  # from the origin forward to the middle of the hitbox
CAR_MAX_SPEED = 2300.0
CAR_MAX_SPIN = 5.5
KICKOFF_BOOST = 33.3
BOOST_MAX = 100.0
BOOST_USE = 33.3  # per second, RLGym's number (the simulator's own default is 100 / 3)
LEAST_BOOST_SECONDS = 0.1  # that a press lasts

PADS = 34
BIG_PADS = (3, 4, 15, 18, 29, 30)  # in RLGym's order: by y, then x
_BLUE_PADS = (  # x, y, z; the other half is the same after a half turn of the field
    (0.0, -4240.0, 70.0),
    (-1792.0, -4184.0, 70.0),
    (1792.0, -4184.0, 70.0),
    (-3072.0, -4096.0, 73.0),
    (3072.0, -4096.0, 73.0),
    (-940.0, -3308.0, 70.0),
    (940.0, -3308.0, 70.0),
    (0.0, -2816.0, 70.0),
    (-3584.0, -2484.0, 70.0),
    (3584.0, -2484.0, 70.0),
    (-1788.0, -2300.0, 70.0),
    (1788.0, -2300.0, 70.0),
    (-2048.0, -1036.0, 70.0),
    (0.0, -1024.0, 70.0),
    (2048.0, -1036.0, 70.0),
    (-3584.0, 0.0, 73.0),
    (-1024.0, 0.0, 70.0),
)
PAD_POSITIONS = (*_BLUE_PADS, *((-x, -y, z) for x, y, z in reversed(_BLUE_PADS)))
SMALL_PAD_SECONDS = 4.0
BIG_PAD_SECONDS = 10.0
SMALL_PAD_BOOST = 12.0
BIG_PAD_BOOST = 100.0

FLIP_SECONDS = 0.65  # of a flip's torque
FLIP_WINDOW_SECONDS = 1.25  # after a jump's end, in which a flip can start


CONTROLS = ("throttle", "steer", "pitch", "yaw", "roll", "jump", "boost", "handbrake")
THROTTLE, STEER, PITCH, YAW, ROLL, JUMP, BOOST, HANDBRAKE = range(8)
AXES = 5  # so many come first, −1..1; buttons follow, 0 or 1

# Left-right mirror image of the field, x → −x: factors of a vector and of a spin, which is a pseudovector; pads; controls
MIRROR_VECTOR, MIRROR_SPIN = (-1.0, 1.0, 1.0), (1.0, -1.0, -1.0)
MIRROR_PADS = tuple(PAD_POSITIONS.index((-x, y, z)) for x, y, z in PAD_POSITIONS)
MIRROR_CONTROLS = tuple(-1.0 if control in (STEER, YAW, ROLL) else 1.0 for control in range(len(CONTROLS)))
