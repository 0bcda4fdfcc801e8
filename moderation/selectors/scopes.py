"""Which items somebody sees."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q


@dataclass(frozen=True)
class QueueScope:
    """What a partner's people see: items in these languages, about these countries or none in particular."""

    languages: Sequence[str]
    countries: Sequence[str] = ()


def in_scope(scope: QueueScope | None) -> Q:
    """The scope as a filter on ReviewItem; None: every item, for whoever reads everything."""
    if scope is None:
        return Q()
    about = Q(language__in=scope.languages)
    if scope.countries:
        about &= Q(countries=[]) | Q(countries__overlap=list(scope.countries))
    return about
