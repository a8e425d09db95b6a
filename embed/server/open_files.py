"""How many files a process may open: each connection is one."""

import math
import resource


def allow_open_files(count: int) -> float:
    """Let the process open `count` files if the system permits it; return how many it may."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed, most = (math.inf if limit == resource.RLIM_INFINITY else limit for limit in limits)
    if allowed < count:
        allowed = int(min(count, most))
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, limits[1]))
    return allowed
