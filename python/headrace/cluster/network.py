"""The network of a cluster: its addresses, the bridge, and the links of given rate."""

import ipaddress
import json
from collections.abc import Iterator
from ipaddress import IPv4Network
from itertools import chain

from headrace.cluster.description import Cluster
from headrace.cluster.rate import Rate
from headrace.cluster.tools import inside, run_tool
from headrace.errors import HeadraceError

INTERFACE = "eth0"
MOST_NODES = 200
# Of the private addresses (RFC 1918), first those that are seldom chosen for anything else.
_CANDIDATES = ("10.77.0.0/16", "172.16.0.0/12", "10.0.0.0/8", "192.168.0.0/16")


def free_network() -> IPv4Network:
    """Private addresses that are no address of this machine, and to which it has no route.

    The nodes are cut off from all of these anyway: this is so that nobody mistakes one for another.
    """
    taken = list(_networks_of_this_machine())
    for network in chain(*(IPv4Network(range_).subnets(new_prefix=24) for range_ in _CANDIDATES)):
        if not any(network.overlaps(other) for other in taken):
            return network
    raise HeadraceError("this machine has routes to all private addresses: none is left for nodes")


def _networks_of_this_machine() -> Iterator[IPv4Network]:
    for route in json.loads(run_tool("ip", "-json", "-4", "route", "show", "table", "all")):
        if route["dst"] != "default":
            yield ipaddress.IPv4Network(route["dst"], strict=False)
    for link in json.loads(run_tool("ip", "-json", "-4", "address")):
        for address in link.get("addr_info", []):
            yield IPv4Network(f"{address['local']}/{address['prefixlen']}", strict=False)


def make_links(cluster: Cluster) -> None:
    """Joins the nodes, whose namespaces and that of the switch are there, by a bridge."""
    switch = cluster.switch
    inside(switch, "ip", "-batch", "-", script=_switch_script(cluster))
    prefix = IPv4Network(cluster.network).prefixlen
    for index, node in enumerate(cluster.nodes):
        namespace = cluster.namespace(node)
        script = f"""link set lo up
address add {node.address}/{prefix} dev {INTERFACE}
link set {INTERFACE} up
"""
        inside(namespace, "ip", "-batch", "-", script=script)
        if cluster.rate:
            inside(namespace, *_shape(INTERFACE, cluster.rate))
            inside(switch, *_shape(_port(index), cluster.rate))


def _switch_script(cluster: Cluster) -> str:
    lines = ["link add name bridge type bridge", "link set bridge up"]
    for index, node in enumerate(cluster.nodes):
        port, namespace = _port(index), cluster.namespace(node)
        lines += [
            f"link add name {port} type veth peer name {INTERFACE} netns {namespace}",
            f"link set {port} master bridge up",
        ]
    return "\n".join(lines) + "\n"


def _port(index: int) -> str:
    return f"port{index}"


def _shape(interface: str, rate: Rate) -> list[str]:
    return [
        *["tc", "qdisc", "add", "dev", interface, "root", "tbf"],
        *["rate", rate.text, "burst", str(rate.burst_bytes), "limit", str(rate.limit_bytes)],
    ]
