"""McNemar's test where questions move together: whole clusters are swapped between the runs, not single questions."""

from collections.abc import Hashable, Sequence

import numpy as np

from metrics.decision.paired import McNemar, cluster_codes

__all__ = ["mcnemar_clustered"]


def mcnemar_clustered(signs: Sequence[int], clusters: Sequence[Hashable]) -> McNemar:
    """Whether one run won more questions than the other, by more than chance among clusters.

    Of each cluster the questions won less those lost are counted. If neither run is better, each cluster would be as
    likely with the runs' names swapped, so that its count keeps its size and takes either sign by the toss of a coin
    (the randomisation test of R. A. Fisher, "The Design of Experiments", 1935, section 21, with clusters as its pairs).
    With T the sum of the counts so drawn and t its size as seen: exact ``min(1, 2 P(T >= t))``, mid-p that less
    ``P(T = t)``. All outcomes are summed, nothing is drawn. Where no two discordant questions share a cluster, both are
    those of :func:`metrics.decision.paired.mcnemar`.

    Assumes that clusters do not move together. If the runs are alike the exact value never rejects more often than it
    says, with any number of clusters. Where they are equal only on average, one being much better in a few clusters and
    a little worse in the rest, it rejects up to 7.4% with 14 to 23 clusters, 5% with 165, and far more with six
    (``simulations/rejection.py``).

    Not to be used: for partial scores or means over repeats (take the clustered interval of
    :func:`metrics.decision.paired.paired_difference`); after each of several looks; with fewer than about
    fifteen clusters, unless runs without a difference must be alike; to find a difference with fewer than six clusters,
    where the exact value is never below 1/16.

    Args:
        signs: of each question 1 if it was won, -1 if it was lost, 0 if neither.
        clusters: for each question what it moves together with.

    Raises:
        ValueError: unequal lengths.
    """
    if len(signs) != len(clusters):
        raise ValueError(f"a cluster for each question is needed, got {len(clusters)} for {len(signs)}")
    if not signs:
        return McNemar(1.0, 1.0)
    counts = np.rint(np.bincount(cluster_codes(clusters), weights=np.sign(signs))).astype(np.int64)
    chances = np.ones(1)  # of each sum of the counts that came out positive
    for size in np.abs(counts[counts != 0]).tolist():
        tossed = np.zeros(len(chances) + size)
        tossed[: len(chances)] += chances / 2
        tossed[size:] += chances / 2
        chances = tossed
    total = len(chances) - 1
    positive = (total + abs(int(counts.sum()))) // 2
    both = 2 * float(chances[positive:].sum())
    return McNemar(min(1.0, max(0.0, both - float(chances[positive]))), min(1.0, both))
