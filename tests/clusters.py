"""A real Ray cluster of several machines, all of them on this one; `tests/conftest.py` hands it to all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # nobody is to be told of our tests
MEMORY = 80 << 20


def need_ray() -> None:
    """Skips where Ray is not installed, but not in CI."""
    if os.environ.get("CI"):
        import_module("ray")
    else:
        pytest.importorskip("ray", reason="Ray is not installed: pip install 'lapilli[ray]'")


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A head that plays nothing, and a machine that stays."""
    need_ray()
    from ray.cluster_utils import Cluster  # takes seconds to load, and most tests need none

    quick = {"health_check_period_ms": 500}  # else a machine that is gone is believed in for up to 15 s
    head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": MEMORY, "_system_config": quick}
    made = Cluster(initialize_head=True, head_node_args=head)
    try:
        made.add_node(num_cpus=2, object_store_memory=MEMORY)
        yield made
    finally:
        made.shutdown()


@pytest.fixture
def machine(cluster: Any) -> Iterator[Any]:
    """A second machine, which a test may take away."""
    made = cluster.add_node(num_cpus=2, object_store_memory=MEMORY)
    yield made
    if made in cluster.worker_nodes:
        cluster.remove_node(made)
