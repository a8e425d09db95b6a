"""An operator, who runs commands."""

import pytest
from support.operator import Operator


@pytest.fixture
def operator(app) -> Operator:
    return Operator(app)
