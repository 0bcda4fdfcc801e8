"""What must hold of a platform whose outbox is empty, worked out apart from the code that makes it so."""

import uuid
from datetime import datetime, timedelta

from django.db.models import Max

from factcheck import policy as verdicts
from factcheck.enums import Verdict
from factcheck.models import Claim, Rating
from moderation import effective_cache, policy
from moderation.models import (
    Actor,
    ChangeFeed,
    ClusterMember,
    EffectiveState,
    Flag,
    Outbox,
    Post,
    ReviewItem,
    Switch,
)
from moderation.selectors import distribution, inputs, policies, standing
from moderation.services import audit

STRIKING = {"false", "altered"}
WINDOW = timedelta(days=90)


class StrikeBook:
    """Strikes as the domain tells them (section 5), kept while the history happens.

    A rating that strikes is written against whoever published what it was made on, once for as long as
    its claim has a verdict without a break; the book is closed when none stands any more.
    """

    def __init__(self) -> None:
        self._since: dict[uuid.UUID, dict[uuid.UUID, tuple[datetime, uuid.UUID]]] = {}

    def look(self, *, now: datetime) -> None:
        """To be called after every act."""
        for claim in Claim.objects.order_by("id"):
            stands, leading = _stands(claim)
            if stands is None:
                self._since.pop(claim.pk, None)
            elif leading is not None and not stands.contested and stands.verdict in STRIKING:
                post = Post.objects.get(pk=leading.post_version.post_id)
                if post.deleted_at is None:
                    self._since.setdefault(claim.pk, {}).setdefault(post.actor_id, (now, post.pk))

    def counting(self, *, now: datetime) -> dict[uuid.UUID, int]:
        """How many strikes count against each actor; actors without any are left out."""
        found: dict[uuid.UUID, int] = {}
        for claim in Claim.objects.order_by("id"):
            stands, leading = _stands(claim)
            if stands is None or leading is None or stands.contested or stands.verdict not in STRIKING:
                continue
            publisher = Actor.objects.get(posts=leading.post_version.post_id)
            if _cleared(publisher, stands):
                continue
            actor = publisher.pk
            since, post = self._since.get(claim.pk, {}).get(actor, (None, None))
            member = ClusterMember.objects.filter(
                cluster=claim.cluster_id, post_id=post, left_at__isnull=True
            )
            if since is not None and now < since + WINDOW and member.exists():
                found[actor] = found.get(actor, 0) + 1
        return found


def _stands(claim: Claim) -> tuple[verdicts.Standing | None, Rating | None]:
    ratings = list(
        Rating.objects.filter(claim=claim, superseded_by__isnull=True, withdrawal__isnull=True)
        .select_related("post_version")
        .order_by("at", "id")
    )
    given = [verdicts.Given(str(r.pk), str(r.partner_id), Verdict(r.verdict), r.at) for r in ratings]
    stands = verdicts.standing(given)
    return stands, next((r for r in ratings if stands and r.verdict == stands.verdict), None)


def _cleared(actor: Actor, stands: verdicts.Standing) -> bool:
    """Whether switches that are on clear the strikes of this verdict: all whose word it is are covered."""
    on = Switch.objects.filter(
        kind="clear_strikes", status="on", country__in={"", actor.country}, outcome__in={"", stands.verdict}
    )
    covered = set(on.values_list("organisation", flat=True))
    resting_on = set(Rating.objects.filter(pk__in=stands.rests_on).values_list("partner_id", flat=True))
    return None in covered or resting_on <= covered


def check_states(*, now: datetime) -> None:
    """Stored = cached = looked up = the pure function of the decisions in force."""
    ids = list(Post.objects.order_by("id").values_list("pk", flat=True))
    right = inputs.compute(ids, now=now)
    rules = policies.at(now).data
    for region, preference in (
        ("", "default"),
        ("LK-1", "reduce_more"),
        ("FR", "do_not_reduce"),
        ("US", "default"),
    ):
        answers = distribution.lookup([str(i) for i in ids], region=region, preference=preference, now=now)
        for answer in answers:
            expected = right[answer.post_id].document  # type: ignore[index]
            if expected is not None:
                expected = policy.for_viewer(expected, region=region, preference=preference, policy=rules)
            assert answer.document == expected, (region, preference, answer.document, expected)
    cached = effective_cache.read(ids)
    for state in EffectiveState.objects.order_by("post_id"):
        computed = right[state.post_id]
        assert state.document == computed.document
        assert (state.feed_bp, state.removed) == (computed.feed_bp, computed.removed)
        # It may be looked at again too early (an actor's level lasts longer than it did), never too late.
        if computed.valid_until is not None:
            assert state.valid_until is not None and state.valid_until <= computed.valid_until
        if state.version > 0 or state.post_id in cached:
            entry = cached[state.post_id]
            assert (entry.version, entry.document) == (state.version, state.document)
            assert entry.valid_until == state.valid_until


def check_strikes(book: StrikeBook, *, now: datetime) -> None:
    actors = [a.pk for a in Actor.objects.order_by("id")]
    counted = {actor: len(rows) for actor, rows in standing.counting(actors, now=now).items()}
    assert counted == book.counting(now=now)


def check_feed() -> None:
    """Each post's versions in order without a gap, the last one as stored, positions without a gap."""
    last: dict[uuid.UUID, ChangeFeed] = {}
    for position, change in enumerate(ChangeFeed.objects.order_by("position"), 1):
        assert change.position == position
        before = last.get(change.post_id)
        assert change.version == (before.version + 1 if before else 1)
        last[change.post_id] = change
    stored = {s.post_id: (s.version, s.document) for s in EffectiveState.objects.filter(version__gt=0)}
    assert {i: (c.version, c.document) for i, c in last.items()} == stored


def check_queue() -> None:
    """No flag waits where nobody will look; every open item is about something; disputes have an item."""
    opened = ReviewItem.objects.filter(status="open")
    for item in opened:
        shown = item.displayed_version.post
        if item.cluster_id:
            live = ClusterMember.objects.filter(
                cluster_id=item.cluster_id, post_version=item.displayed_version, left_at__isnull=True
            )
            assert live.exists() or shown.deleted_at, f"a {item.kind} shows a version that is not its claim's"
        else:
            assert item.displayed_version_id == shown.current_version_id
    for flag in Flag.objects.filter(withdrawn_at__isnull=True, outcome="pending"):
        clusters = ClusterMember.objects.filter(post_id=flag.post_id, left_at__isnull=True).values("cluster")
        about = opened.filter(kind__in=["review", "re_check"])
        about = about.filter(post_id=flag.post_id) | about.filter(cluster_id__in=clusters)
        assert about.exists(), f"a flag of {flag.reason} waits on {flag.post_id} without an item"
    for claim in Claim.objects.order_by("id"):
        stands, _ = _stands(claim)
        live = ClusterMember.objects.filter(
            cluster_id=claim.cluster_id, left_at__isnull=True, post__deleted_at__isnull=True
        )
        conflict = opened.filter(kind="conflict", cluster_id=claim.cluster_id)
        if stands is None or not stands.contested:
            assert not conflict.exists()
        elif live.exists() and not EffectiveState.objects.filter(removed=True).exists():
            assert conflict.count() == 1


def check_everything(book: StrikeBook, *, now: datetime) -> None:
    assert not Outbox.objects.exists(), list(Outbox.objects.values("kind", "error", "attempts"))
    check_states(now=now)
    check_strikes(book, now=now)
    check_feed()
    check_queue()
    audit.seal()
    assert audit.verify() == []


def check_nothing_is_left(*, now: datetime) -> None:
    """After everything was reversed: as if it had never happened, notices and the audit log apart."""
    actors = [a.pk for a in Actor.objects.order_by("id")]
    assert standing.counting(actors, now=now) == {}
    for state in EffectiveState.objects.order_by("post_id"):
        assert (state.document, state.feed_bp, state.removed, state.valid_until) == (
            None,
            10_000,
            False,
            None,
        )
    cached = effective_cache.read([s.post_id for s in EffectiveState.objects.all()])
    assert all(entry.document is None for entry in cached.values())
    assert Flag.objects.filter(outcome__in=["agreed", "disagreed"]).count() == 0
    assert not ReviewItem.objects.filter(status="open", kind__in=["conflict", "re_check"]).exists()


def newest_versions() -> dict[uuid.UUID, int]:
    return dict(
        EffectiveState.objects.values("post_id").annotate(v=Max("version")).values_list("post_id", "v")
    )
