"""What data from before an upgrade lacks, completed after every migrate."""

from typing import Any

from django.apps import apps as installed
from django.core.exceptions import FieldDoesNotExist

from factcheck import policy
from factcheck.enums import Verdict


def name_organisations(sender: Any, using: str, apps: Any = installed, **_: Any) -> None:
    """Let verdicts recorded before there were switches name the partners that they rest on.

    Those are the partners of the ratings that were in force when the verdict was recorded. Safe to repeat; does
    nothing while the tables are at an earlier version.
    """
    try:
        decision = apps.get_model("moderation", "Decision")
        decision._meta.get_field("organisations")
        claim, rating, withdrawal = (
            apps.get_model("factcheck", name) for name in ("Claim", "Rating", "Withdrawal")
        )
    except (LookupError, FieldDoesNotExist):
        return
    nameless = decision.objects.using(using).filter(kind="standing_verdict", ends=False, organisations=[])
    claims = claim.objects.using(using).filter(cluster__in=nameless.values("cluster"))
    for one in claims.order_by("id").iterator(chunk_size=1000):
        ratings = list(rating.objects.using(using).filter(claim=one))
        ended = {r.supersedes_id: r.at for r in ratings if r.supersedes_id}
        ended |= dict(
            withdrawal.objects.using(using).filter(rating__claim=one).values_list("rating_id", "at")
        )
        partners = {str(r.pk): r.partner_id for r in ratings}
        for verdict in nameless.filter(cluster=one.cluster_id):
            in_force = [
                r for r in ratings if r.at <= verdict.at and not (r.pk in ended and ended[r.pk] <= verdict.at)
            ]
            stands = policy.standing(
                [policy.Given(str(r.pk), str(r.partner_id), Verdict(r.verdict), r.at) for r in in_force]
            )
            if stands is not None:
                verdict.organisations = sorted({partners[i] for i in stands.rests_on})
                verdict.save(using=using, update_fields=["organisations"])
