import pytest
from support.world import USDC, World

from embed.db.models import Token


@pytest.fixture
def chain_world(world_with) -> World:
    """A page of a service with an endpoint, of a token of which there are 1,000."""
    world = world_with(SOLANA_RPC_URL="https://rpc.example/")
    Token.create(mint=USDC, supply=1000, supply_observed_at=world.clock())
    return world
