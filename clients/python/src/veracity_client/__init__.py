"""A live copy of Veracity's distribution effects, and the few calls a platform's servers need."""

from .answers import NO_EFFECT, UNKNOWN_POST, Answer, Article, Effect, NoEffect, Surface, UnknownPost
from .api import Api
from .copies import Changed
from .errors import CursorLost, NotReady, Refused, Unavailable, Unintelligible, VeracityError
from .replica import Replica, Status

__all__ = [
    "NO_EFFECT",
    "UNKNOWN_POST",
    "Answer",
    "Api",
    "Article",
    "Changed",
    "CursorLost",
    "Effect",
    "NoEffect",
    "NotReady",
    "Refused",
    "Replica",
    "Status",
    "Surface",
    "Unavailable",
    "Unintelligible",
    "UnknownPost",
    "VeracityError",
]
