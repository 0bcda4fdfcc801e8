"""How often somebody may ask: counted per key, per person, and per address for who is neither.

Counts live in Redis, so all processes share them; while Redis is absent each process counts for itself.
The address is the connection's own: forwarded headers count only from as many proxies as are trusted.
"""

import logging
import math
import time
from functools import lru_cache

import redis
from django.conf import settings
from django.http import HttpRequest
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from moderation.caller import Caller
from moderation.http.problems import Problem
from moderation.redis_client import key, server

logger = logging.getLogger(__name__)


def spend(caller: Caller | None, request: HttpRequest, *, kind: str) -> None:
    """Count one request of `kind` ("read" or "write"). Raises Problem 429 with Retry-After."""
    if caller is None:
        who, whose = f"address:{client_address(request)}", "address"
    else:
        who, whose = caller.key, "client" if caller.client_id else "person"
    limit = _limit(settings.API_LIMITS[whose][kind])
    wait = _hit(limit, who, kind)
    if wait is not None:
        raise Problem(
            429,
            "too_many_requests",
            f"The limit is {limit}. Try again in {wait} s.",
            headers={"Retry-After": str(wait)},
        )


def client_address(request: HttpRequest) -> str:
    """Where the request comes from: the peer, or what the outermost trusted proxy saw."""
    peer: str = request.META.get("REMOTE_ADDR", "")
    trusted: int = settings.TRUSTED_PROXIES
    if not trusted:
        return peer
    hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
    return hops[-trusted] if len(hops) >= trusted else peer


def _hit(limit: RateLimitItem, *who: str) -> int | None:
    """None, or the seconds to wait."""
    redis_server = server()
    if not redis_server.absent():
        try:
            return _spend(_shared(settings.REDIS_URL), limit, *who)
        except redis.RedisError as error:
            redis_server.failed()
            logger.warning("limits_count_alone", extra={"error": str(error)})
    return _spend(_alone(), limit, *who)


def _spend(counter: SlidingWindowCounterRateLimiter, limit: RateLimitItem, *who: str) -> int | None:
    if counter.hit(limit, *who):
        return None
    return max(1, math.ceil(counter.get_window_stats(limit, *who).reset_time - time.time()))


@lru_cache(maxsize=32)
def _limit(text: str) -> RateLimitItem:
    return parse(text)


@lru_cache(maxsize=2)
def _shared(url: str) -> SlidingWindowCounterRateLimiter:
    pool = server().client.connection_pool
    storage = RedisStorage("redis://", connection_pool=pool, key_prefix=key("limit"))
    return SlidingWindowCounterRateLimiter(storage)


@lru_cache(maxsize=1)
def _alone() -> SlidingWindowCounterRateLimiter:
    return SlidingWindowCounterRateLimiter(MemoryStorage())
