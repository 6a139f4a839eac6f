"""Real nodes on one machine: namespaces with a name, an address and a link of their own each.

A node is a network, a UTS and an IPC namespace, and for each program started on it a mount
namespace. They last by being mounted in the folder of the cluster, as those of `ip netns` do, so
no process keeps them, and unmounting that folder ends them.
"""

from headrace.cluster.description import Cluster, find_cluster, require_cluster
from headrace.cluster.lifecycle import bring_up, cluster, take_down
from headrace.cluster.rate import Rate, parse_rate

__all__ = [
    "Cluster",
    "Rate",
    "bring_up",
    "cluster",
    "find_cluster",
    "parse_rate",
    "require_cluster",
    "take_down",
]
