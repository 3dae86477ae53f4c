"""What all tests share: Hypothesis profiles and the folder of real samples."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Machines differ in speed by more than any deadline allows for; CI repeats itself exactly.
settings.register_profile("default", deadline=None)
settings.register_profile(
    "ci", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci" if os.environ.get("CI") else "default")


@pytest.fixture(scope="session")
def samples() -> Path:
    """The folder of real samples that PARARECOVER_SAMPLES names; skips without it."""
    folder = os.environ.get("PARARECOVER_SAMPLES")
    if not folder:
        pytest.skip("PARARECOVER_SAMPLES names no folder of real samples")
    path = Path(folder)
    assert path.is_dir(), f"PARARECOVER_SAMPLES={folder}: expected a folder"
    return path
