"""Channels of feeds besides their length, its rate and their states."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaneflex.model import quantities as Q
from kaneflex.model.rods.feed import Feed
from kaneflex.plan.channel import Channel

if TYPE_CHECKING:
    from kaneflex.plan.plan import Index


def exit_channels(index: "Index", feed: Feed) -> dict[str, Channel]:
    """The tension in the exit."""
    row, segments = Q.ROWS[Q.FEED, "tension"], feed.segments
    axes = np.array([index.own_frame[segment].R[:, 0] for segment in segments])  # along segments, in axes of M
    function: Callable[..., np.ndarray] = partial(_tension, axes, feed, index.joints[segments[0]].q0)
    return {"tension": Channel(row, (row.unit,), (), form=(1,), function=function, joints=segments, stateful=True)}


def _tension(axes: np.ndarray, feed: Feed, slide: int, carried: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Between what the joints at the two ends of the segment in the exit carry, by the part of it that is outside; of the
    last segment what the joint inside carries. Of a rod in a reel what its slide carries."""
    number, along = np.arange(len(states)), -np.einsum("nkj,kj->nk", carried[:, :, 3:], axes)
    if feed.store:
        return np.asarray(along[:, 0])
    n, length = len(feed.lengths), states[:, slide]
    passed = np.clip(np.searchsorted(feed.exits[:-1], length), 0, n - 1)
    beyond = np.concatenate([[0.0], feed.exits])[passed]
    segment = n - 1 - passed  # the one in the exit
    share = np.clip((length - beyond) / np.array(feed.lengths)[segment], 0.0, 1.0)
    outer = along[number, np.minimum(segment + 1, n - 1)]
    inner = along[number, segment]
    return np.asarray(np.where(passed > 0, share * inner + (1 - share) * outer, inner))


__all__ = ["exit_channels"]
