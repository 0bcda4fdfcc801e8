"""The review queue: open, hand out, hold, put back, merge, close.

The lease is flipped on the locked item row, so two people never hold one item. Ranking and counting
are in services.ranking.
"""

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from moderation import locks, policy, workflow
from moderation.caller import Caller
from moderation.enums import AuditEvent, DecisionKind, ItemKind, ItemOutcome, ItemStatus, OutboxKind
from moderation.errors import Conflict, LeaseLost, NothingToTake, StaleItem
from moderation.models import ClusterMember, Decision, Post, PostVersion, ReviewItem
from moderation.selectors import policies
from moderation.selectors.scopes import QueueScope, in_scope
from moderation.services import audit, outbox


@dataclass(frozen=True)
class ItemRef:
    """An item as the caller saw it."""

    id: uuid.UUID
    version: int


# ── opening ────────────────────────────────────────────────────────────────────────────────────────


def open_for_version(
    version: PostVersion,
    *,
    now: datetime,
    caller: Caller,
    kind: ItemKind = ItemKind.REVIEW,
    reasons: Iterable[str] = (),
    picked: bool = False,
) -> ReviewItem:
    """The open item about this version's post or its unrated cluster; opened if there is none.

    Must run in a transaction. The partial unique constraint decides between two openers.
    """
    subject = _subject(version, now=now) if kind == ItemKind.REVIEW else {"post_id": version.post_id}
    return _open(subject, version, kind=kind, reasons=reasons, picked=picked, caller=caller, now=now)


def open_for_cluster(
    cluster_id: uuid.UUID,
    version: PostVersion,
    *,
    now: datetime,
    caller: Caller,
    kind: ItemKind = ItemKind.REVIEW,
    picked: bool = False,
) -> ReviewItem:
    """The open item about a cluster, rated or not, showing `version`; opened if there is none."""
    return _open({"cluster_id": cluster_id}, version, kind=kind, picked=picked, caller=caller, now=now)


def is_open_for(version: PostVersion) -> bool:
    clusters = _clusters_of(version)
    return ReviewItem.objects.filter(
        Q(post_id=version.post_id) | Q(cluster_id__in=clusters), status=ItemStatus.OPEN
    ).exists()


def every_cluster_is_rated(version: PostVersion, *, now: datetime) -> bool:
    """Whether this version is in at least one cluster and each of them has a verdict in force."""
    clusters = _clusters_of(version)
    return bool(clusters) and not _unrated(clusters, now=now)


def posts_with_open_items(post_ids: Collection[uuid.UUID]) -> list[uuid.UUID]:
    """Those of the posts that an open item is about, directly or through a cluster."""
    direct = ReviewItem.objects.filter(status=ItemStatus.OPEN, post_id__in=post_ids).values_list(
        "post_id", flat=True
    )
    through = ClusterMember.objects.filter(
        post_id__in=post_ids, left_at__isnull=True, cluster__items__status=ItemStatus.OPEN
    ).values_list("post_id", flat=True)
    return sorted({*direct, *through})


# ── handing out ────────────────────────────────────────────────────────────────────────────────────


@transaction.atomic
def take_next(
    *, scope: QueueScope, exclude: Collection[uuid.UUID] = (), caller: Caller, now: datetime
) -> ReviewItem:
    """Hand the highest-ranked free item in scope to the caller.

    One row is locked with SKIP LOCKED and flipped, so 20 people asking at once get 20 items.
    Raises NothingToTake with code `queue_empty`, `all_taken` or `only_skipped_left`.
    """
    rules = policies.at(now).data
    width = 32
    while True:
        candidates = _candidates(scope, exclude, now=now, width=width)
        item = (
            ReviewItem.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
            .filter(
                Q(held_until__isnull=True) | Q(held_until__lte=now), pk__in=candidates, status=ItemStatus.OPEN
            )
            .order_by("-rank", "id")
            .first()
        )
        if item is not None:
            return _hand_over(item, caller=caller, now=now, rules=rules)
        if len(candidates) < width:
            raise _nothing(scope, exclude, now=now)
        width *= 8


@transaction.atomic
def take(item_id: uuid.UUID, *, caller: Caller, now: datetime) -> ReviewItem:
    """Hand this item to the caller; taking an item one holds renews it.

    Raises NotFound; Conflict (`item_closed`, or `held_by_other` with `held_until`).
    """
    item = locks.item(item_id)
    _require_open(item)
    if item.holder_id == caller.person_id and is_held(item, now):
        return renew(item_id, caller=caller, now=now)
    if is_held(item, now):
        raise Conflict("Somebody else holds this item.", code="held_by_other", held_until=item.held_until)
    return _hand_over(item, caller=caller, now=now, rules=policies.at(now).data)


@transaction.atomic
def renew(item_id: uuid.UUID, *, caller: Caller, now: datetime) -> ReviewItem:
    """Prolong the caller's lease, up to the longest time the policy allows. Raises LeaseLost."""
    item = locks.item(item_id)
    _require_holder(item, caller)
    lease = policies.at(now).data["lease"]
    longest = item.held_since + timedelta(minutes=lease["longest_minutes"])  # type: ignore[operator]
    if now >= longest:
        raise LeaseLost("This lease has reached its longest time; take the item again.", longest=longest)
    item.held_until = min(now + timedelta(minutes=lease["minutes"]), longest)
    item.save(update_fields=["held_until"])
    return item


@transaction.atomic
def put_back(item_id: uuid.UUID, *, caller: Caller, now: datetime, reason: str) -> ReviewItem:
    """End the caller's lease; the item stays open for others. Raises LeaseLost."""
    item = locks.item(item_id)
    _require_holder(item, caller)
    _let_go(item)
    audit.record(AuditEvent.ITEM_PUT_BACK, item, caller=caller, now=now, reason=reason)
    return item


def free_all_of(
    person_ids: Collection[uuid.UUID], *, organisation: uuid.UUID | None = None
) -> list[ReviewItem]:
    """End every lease these people hold (for one organisation, if named); returns the freed items."""
    held = ReviewItem.objects.select_for_update(no_key=True, of=("self",)).filter(
        status=ItemStatus.OPEN, holder_id__in=person_ids
    )
    if organisation is not None:
        held = held.filter(held_for=organisation)
    items = list(held.order_by("id"))
    for item in items:
        _let_go(item)
    return items


def lock_held(ref: ItemRef, *, caller: Caller, now: datetime) -> ReviewItem:
    """The item, locked, if the caller still holds it at the version they saw.

    An expired lease is good as long as nobody took the item since (domain 6).
    Raises NotFound; Conflict (`item_closed`); LeaseLost; StaleItem with `current`.
    """
    item = locks.item(ref.id)
    _require_open(item)
    _require_holder(item, caller)
    follow_edit(item)
    if item.version != ref.version:
        raise StaleItem(
            "The item changed since you read it; look at what changed and decide again.",
            current={"version": item.version, "displayed_version": str(item.displayed_version_id)},
        )
    return item


def is_held(item: ReviewItem, now: datetime) -> bool:
    """Expiry is judged when read: no clean-up job is needed for a lease to end."""
    return item.held_until is not None and item.held_until > now


# ── changing and closing (the caller holds the item's lock) ────────────────────────────────────────


def follow_edit(item: ReviewItem) -> bool:
    """Show the newest version of the item's post; raises the item's version if it changed."""
    if item.post_id is None:
        return False
    current = Post.objects.values_list("current_version_id", flat=True).get(pk=item.post_id)
    if current == item.displayed_version_id:
        return False
    item.displayed_version_id = current
    item.version += 1
    item.save(update_fields=["displayed_version", "version"])
    return True


def move_to_cluster(item: ReviewItem, cluster_id: uuid.UUID) -> None:
    """The post's item becomes the claim's item, lease and all."""
    item.post_id, item.cluster_id = None, cluster_id
    item.save(update_fields=["post", "cluster"])


def close(item: ReviewItem, *, outcome: ItemOutcome, caller: Caller, now: datetime) -> None:
    workflow.ITEM.step(item.status, "close")
    item.status, item.outcome, item.closed_at = ItemStatus.CLOSED, outcome, now
    item.version += 1
    item.holder = item.held_for = item.held_since = item.held_until = None
    item.save()
    audit.record(AuditEvent.ITEM_CLOSED, item, caller=caller, now=now, outcome=outcome)


def close_for_deleted_post(item: ReviewItem, *, caller: Caller, now: datetime) -> None:
    """A deleted post's own item closes; a claim's item goes on while it has live posts."""
    if item.post_id is not None:
        close(item, outcome=ItemOutcome.DELETED, caller=caller, now=now)


def join_cluster(
    *, post: Post, cluster_id: uuid.UUID, caller: Caller, now: datetime, by_person: bool
) -> None:
    """Bring the open review items of a post and a cluster together after a confirmed match.

    A rated cluster answers the post's item; an open item of the cluster takes it in (earliest due time,
    a live lease kept); otherwise the post's item becomes the cluster's. Exact copies leave the version
    of the cluster's item alone; a person's match raises it.
    """
    items = [
        i for i in locks.open_items(post_ids=[post.pk], cluster_ids=[cluster_id]) if i.kind == ItemKind.REVIEW
    ]
    own = next((i for i in items if i.post_id == post.pk), None)
    shared = next((i for i in items if i.cluster_id == cluster_id), None)
    if shared is not None and by_person:
        shared.version += 1
        shared.save(update_fields=["version"])
    if own is None:
        return
    if not _unrated([cluster_id], now=now):
        close(own, outcome=ItemOutcome.RATED, caller=caller, now=now)
    elif shared is None:
        move_to_cluster(own, cluster_id)
    else:
        shared.due_at = min(shared.due_at, own.due_at)
        if is_held(own, now) and not is_held(shared, now):
            shared.holder_id, shared.held_for = own.holder_id, own.held_for
            shared.held_since, shared.held_until = own.held_since, own.held_until
            shared.fence += 1
        shared.touched = shared.touched or own.touched
        shared.save()
        close(own, outcome=ItemOutcome.MERGED, caller=caller, now=now)
        audit.record(AuditEvent.ITEM_MERGED, own, caller=caller, now=now, into=str(shared.pk))
    outbox.put(OutboxKind.REFRESH_ITEM, [post.pk], now=now)


def close_removed(post: Post, *, outcome: ItemOutcome, caller: Caller, now: datetime) -> None:
    """The desk removed the post everywhere: its own items close; a claim's item stays for its other posts."""
    for item in locks.open_items(post_ids=[post.pk]):
        close(item, outcome=outcome, caller=caller, now=now)


# ── inside ─────────────────────────────────────────────────────────────────────────────────────────


def _open(
    subject: dict[str, Any],
    version: PostVersion,
    *,
    kind: ItemKind,
    picked: bool,
    caller: Caller,
    now: datetime,
    reasons: Iterable[str] = (),
) -> ReviewItem:
    found = ReviewItem.objects.filter(kind=kind, status=ItemStatus.OPEN, **subject).first()
    if found is not None:
        return found
    rules = policies.at(now).data
    post = version.post
    given = list(reasons)
    rank, factors = policy.priority(policy.PriorityInputs(0, dict.fromkeys(given, 1), [], 0, now), rules)
    item = ReviewItem(
        kind=kind,
        **subject,
        displayed_version=version,
        language=post.language,
        countries=post.regions,
        topic=post.topic,
        opened_at=now,
        due_at=policy.due_at(given, now, rules),
        rank=rank,
        factors=factors,
        picked=picked,
    )
    ReviewItem.objects.bulk_create([item], ignore_conflicts=True)
    stored = ReviewItem.objects.get(kind=kind, status=ItemStatus.OPEN, **subject)
    if stored.pk == item.pk:
        audit.record(AuditEvent.ITEM_OPENED, stored, caller=caller, now=now, kind=kind)
    return stored


def _subject(version: PostVersion, *, now: datetime) -> dict[str, Any]:
    clusters = _unrated(_clusters_of(version), now=now)
    return {"cluster_id": clusters[0]} if clusters else {"post_id": version.post_id}


def _clusters_of(version: PostVersion) -> list[uuid.UUID]:
    return list(
        ClusterMember.objects.filter(post_version=version, left_at__isnull=True)
        .order_by("joined_at", "id")
        .values_list("cluster_id", flat=True)
    )


def _unrated(clusters: Sequence[uuid.UUID], *, now: datetime) -> list[uuid.UUID]:
    rated = set(
        Decision.objects.filter(
            cluster_id__in=clusters,
            kind=DecisionKind.STANDING_VERDICT,
            ends=False,
            superseded_by__isnull=True,
            in_force_from__lte=now,
        ).values_list("cluster_id", flat=True)
    )
    return [c for c in clusters if c not in rated]


_CANDIDATES = """
SELECT picked.id FROM unnest(%(languages)s::text[]) AS wanted(language)
CROSS JOIN LATERAL (
    SELECT i.id, i.rank FROM moderation_reviewitem i
    WHERE i.status = 'open' AND i.language = wanted.language
      AND (i.held_until IS NULL OR i.held_until <= %(now)s)
      AND (%(anywhere)s OR i.countries = '{}' OR i.countries && %(countries)s::varchar[])
      AND NOT i.id = ANY(%(exclude)s::uuid[])
    ORDER BY i.rank DESC, i.id LIMIT %(width)s
) AS picked ORDER BY picked.rank DESC, picked.id LIMIT %(width)s
"""


def _candidates(
    scope: QueueScope, exclude: Collection[uuid.UUID], *, now: datetime, width: int
) -> list[uuid.UUID]:
    """The best free items, read from the per-language rank index without locking any."""
    with connection.cursor() as cursor:
        cursor.execute(
            _CANDIDATES,
            {
                "languages": list(scope.languages),
                "countries": list(scope.countries),
                "anywhere": not scope.countries,
                "exclude": list(exclude),
                "now": now,
                "width": width,
            },
        )
        return [row[0] for row in cursor.fetchall()]


def _nothing(scope: QueueScope, exclude: Collection[uuid.UUID], *, now: datetime) -> NothingToTake:
    open_items = ReviewItem.objects.filter(in_scope(scope), status=ItemStatus.OPEN)
    free = open_items.filter(Q(held_until__isnull=True) | Q(held_until__lte=now))
    if not open_items.exists():
        return NothingToTake("The queue is empty.", code="queue_empty", open=0)
    if free.filter(pk__in=exclude).exists():
        skipped = free.filter(pk__in=exclude).count()
        return NothingToTake(
            f"Nothing else for you: {skipped} skipped.", code="only_skipped_left", skipped=skipped
        )
    return NothingToTake("Every open item is being reviewed by somebody.", code="all_taken")


def _hand_over(item: ReviewItem, *, caller: Caller, now: datetime, rules: Any) -> ReviewItem:
    workflow.ITEM.step(item.status, "take")
    item.holder_id = caller.person_id
    item.held_for = caller.organisation_id
    item.held_since = now
    item.held_until = now + timedelta(minutes=rules["lease"]["minutes"])
    item.fence += 1
    item.touched = True
    item.save(update_fields=["holder", "held_for", "held_since", "held_until", "fence", "touched"])
    follow_edit(item)
    audit.record(AuditEvent.ITEM_TAKEN, item, caller=caller, now=now, fence=item.fence)
    return item


def _let_go(item: ReviewItem) -> None:
    item.holder = item.held_for = item.held_since = item.held_until = None
    item.save(update_fields=["holder", "held_for", "held_since", "held_until"])


def _require_open(item: ReviewItem) -> None:
    if item.status != ItemStatus.OPEN:
        raise Conflict(
            "This item is closed.",
            code="item_closed",
            current={"outcome": item.outcome, "closed_at": item.closed_at, "version": item.version},
        )


def _require_holder(item: ReviewItem, caller: Caller) -> None:
    _require_open(item)
    same_person = item.holder_id is not None and item.holder_id == caller.person_id
    if not same_person or item.held_for != caller.organisation_id:
        raise LeaseLost("You no longer hold this item.", held_until=item.held_until)
