"""One loaded detector for all tests of detection."""

import pytest

from gateway.detect.engine import Detector, load_detector


@pytest.fixture(scope="session")
def detector() -> Detector:
    """The defaults, loaded once."""
    return load_detector()
