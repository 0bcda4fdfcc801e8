"""Partners, reviewers and ratings, made by driving the real services."""

import itertools
from datetime import timedelta

from factcheck.enums import MembershipRole
from factcheck.models import Partner, Rating
from factcheck.services import claims, leases, partners, people, ratings
from factcheck.services.claims import ClaimDraft
from factcheck.services.partners import PartnerDraft
from factcheck.services.ratings import RatingDraft
from moderation.caller import Caller
from moderation.models import Post, ReviewItem, User
from moderation.services import callers
from moderation.services.queue import ItemRef
from tests.factories.platform import Clock, administrator, person

_count = itertools.count(1)


def partner(
    *,
    clock: Clock,
    languages: tuple[str, ...] = ("en",),
    countries: tuple[str, ...] = (),
    country: str = "",
    certified: bool = True,
) -> Partner:
    number = next(_count)
    admin = administrator(clock=clock)
    draft = PartnerDraft(
        slug=f"partner-{number}",
        name=f"Partner {number}",
        languages=languages,
        countries=countries,
        domains=[f"partner-{number}.example"],
        country=country,
    )
    made = partners.add(draft, caller=admin, now=clock())
    if certified:
        partners.certify(
            made.pk,
            body="IFCN",
            valid_from=clock() - timedelta(days=100),
            valid_until=clock() + timedelta(days=265),
            caller=admin,
            now=clock(),
        )
    return made


def reviewer(of: Partner, *, clock: Clock, role: MembershipRole = MembershipRole.REVIEWER) -> Caller:
    someone = person("Rita" if role == MembershipRole.REVIEWER else "Lena")
    people.join(of, someone.pk, role=role, caller=None, now=clock())
    return callers.for_person(someone, acting=f"{role}:{of.pk}", now=clock())


def lead(of: Partner, *, clock: Clock) -> Caller:
    return reviewer(of, clock=clock, role=MembershipRole.LEAD)


def draft(
    of: Partner, verdict: str = "false", *, claim: str = "The well is poisoned.", **fields: object
) -> RatingDraft:
    return RatingDraft(
        verdict=verdict,
        headline="No, the well is not poisoned",
        explanation="The town published the laboratory's results on Monday.",
        claim=ClaimDraft(text=claim),
        article_url=f"https://{of.domains[0]}/checks/well",
        **fields,  # type: ignore[arg-type]
    )


def taken(on: Post, *, by: Caller, clock: Clock) -> ReviewItem:
    """The post's item in the reviewer's hands, picked if nobody flagged it."""
    item = claims.pick(post_ref=str(on.pk), caller=by, now=clock())
    return leases.take(item.pk, caller=by, now=clock())


def rate(
    on: Post, verdict: str = "false", *, by: Caller, clock: Clock, claim: str = "The well is poisoned."
) -> Rating:
    """Take the post's item and rate it."""
    item = taken(on, by=by, clock=clock)
    of = Partner.objects.get(pk=by.organisation_id)
    return ratings.submit(
        ItemRef(item.pk, item.version), draft(of, verdict, claim=claim), caller=by, now=clock()
    )


def person_of(caller: Caller) -> User:
    return User.objects.get(pk=caller.person_id)
