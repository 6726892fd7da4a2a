"""Every attack in every mode: nobody gets further than docs/security.md says."""

from __future__ import annotations

import os

import pytest

from hostile.sandbox.attacks import ALLOWED, ATTACKS
from hostile.sandbox.modes import MODES, possible, told

pytestmark = pytest.mark.usefixtures("needs_sandbox")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [*ATTACKS, *ALLOWED])
def test_an_attack(mode: str, name: str) -> None:
    if mode not in possible():
        assert not os.environ.get("CI"), "CI tries all modes: it must run as root"
        pytest.skip("root alone can try this mode")
    attack = (ATTACKS | ALLOWED)[name]
    assert told(mode).outcomes[name].startswith(attack.outcome), f"a bot could {attack.promise}"


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_is_what_it_says(mode: str) -> None:
    if mode in possible():
        as_user, with_groups = MODES[mode]
        assert bool(told(mode).user) == as_user
        assert with_groups or not told(mode).groups
