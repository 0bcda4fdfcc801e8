"""The review queue: open, hand out, hold, put back, close.

The lease is flipped on the locked item row, so two people never hold one item. Ranking and counting
are in services.ranking, merging and what an item shows in services.subjects.
"""

import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from moderation import locks, policy, workflow
from moderation.caller import Caller
from moderation.enums import (
    AuditEvent,
    DecisionKind,
    FlagOutcome,
    ItemKind,
    ItemOutcome,
    ItemStatus,
    OutboxKind,
)
from moderation.errors import Conflict, LeaseLost, StaleItem
from moderation.models import ClusterMember, Decision, Flag, Post, PostVersion, ReviewItem
from moderation.selectors import free_items, policies
from moderation.selectors.scopes import QueueScope
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

    A re-check of the post is that item too: one edit, one job. Must run in a transaction. The partial
    unique constraint decides between two openers.
    """
    if kind == ItemKind.REVIEW:
        re_check = ReviewItem.objects.filter(
            kind=ItemKind.RE_CHECK, post_id=version.post_id, status=ItemStatus.OPEN
        ).first()
        if re_check is not None:
            return re_check
    subject = _subject(version, now=now) if kind == ItemKind.REVIEW else {"post_id": version.post_id}
    return _open(subject, version, kind=kind, reasons=reasons, picked=picked, caller=caller, now=now)


def open_first(
    subject: dict[str, uuid.UUID],
    version: PostVersion,
    *,
    reason: str,
    rules: Mapping[str, Any],
    caller: Caller,
    now: datetime,
) -> None:
    """As `open_for_version`, for who has just seen that no item is open about its subject; somebody else
    may be faster."""
    _open(subject, version, kind=ItemKind.REVIEW, reasons=[reason], rules=rules, caller=caller, now=now)


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


def every_cluster_is_rated(version: PostVersion, *, now: datetime) -> bool:
    """Whether this version is in at least one cluster and each of them has a verdict in force."""
    clusters = _clusters_of(version)
    return bool(clusters) and not _unrated(clusters, now=now)


def is_rated(cluster_id: uuid.UUID, *, now: datetime) -> bool:
    """Whether a verdict is in force on this cluster."""
    return not _unrated([cluster_id], now=now)


def posts_with_open_items(
    post_ids: Collection[uuid.UUID], *, kinds: Collection[ItemKind] = tuple(ItemKind)
) -> list[uuid.UUID]:
    """Those of the posts that an open item (of these kinds) is about, directly or through a cluster."""
    opened = ReviewItem.objects.filter(status=ItemStatus.OPEN, kind__in=kinds)
    direct = opened.filter(post_id__in=post_ids).values_list("post_id", flat=True)
    through = ClusterMember.objects.filter(
        post_id__in=post_ids, left_at__isnull=True, cluster_id__in=opened.values("cluster_id")
    ).values_list("post_id", flat=True)
    return sorted({*direct, *through})


def posts_in_review(post_ids: Collection[uuid.UUID]) -> list[uuid.UUID]:
    """Those of the posts whose flags an open item will answer."""
    return posts_with_open_items(post_ids, kinds=(ItemKind.REVIEW, ItemKind.RE_CHECK))


# ── handing out ────────────────────────────────────────────────────────────────────────────────────


@transaction.atomic(savepoint=False)
def take_next(
    *,
    scope: QueueScope,
    exclude: Collection[uuid.UUID] = (),
    until: datetime | None = None,
    caller: Caller,
    now: datetime,
) -> ReviewItem:
    """Hand the highest-ranked free item in scope to the caller; the lease ends at `until` at the latest.

    One row is locked with SKIP LOCKED and flipped, so 20 people asking at once get 20 items.
    Raises NothingToTake with code `queue_empty`, `all_taken` or `only_skipped_left`.
    """
    rules = policies.at(now).data
    width = 32
    while True:
        candidates = free_items.best(scope, exclude, now=now, width=width)
        item = (
            ReviewItem.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
            .filter(
                Q(held_until__isnull=True) | Q(held_until__lte=now), pk__in=candidates, status=ItemStatus.OPEN
            )
            .order_by("-rank", "id")
            .first()
        )
        if item is not None:
            return _hand_over(item, caller=caller, now=now, rules=rules, until=until)
        if len(candidates) < width:
            raise free_items.why_none(scope, exclude, now=now)
        width *= 8


@transaction.atomic
def take(item_id: uuid.UUID, *, until: datetime | None = None, caller: Caller, now: datetime) -> ReviewItem:
    """Hand this item to the caller, until `until` at the latest; taking an item one holds renews it.

    Raises NotFound; Conflict (`item_closed`, or `held_by_other` with `held_until`).
    """
    item = locks.item(item_id)
    _require_open(item)
    if item.holder_id == caller.person_id and is_held(item, now):
        return renew(item_id, until=until, caller=caller, now=now)
    if is_held(item, now):
        raise Conflict("Somebody else holds this item.", code="held_by_other", held_until=item.held_until)
    return _hand_over(item, caller=caller, now=now, rules=policies.at(now).data, until=until)


@transaction.atomic
def renew(item_id: uuid.UUID, *, until: datetime | None = None, caller: Caller, now: datetime) -> ReviewItem:
    """Prolong the caller's lease, up to the longest time the policy allows and to `until`. Raises LeaseLost."""
    item = locks.item(item_id)
    _require_holder(item, caller)
    lease = policies.at(now).data["lease"]
    assert item.held_since is not None  # it has a holder
    longest = item.held_since + timedelta(minutes=lease["longest_minutes"])
    if now >= longest:
        raise LeaseLost("This lease has reached its longest time; take the item again.", longest=longest)
    item.held_until = min(now + timedelta(minutes=lease["minutes"]), longest, until or longest)
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
    person_ids: Collection[uuid.UUID] | None, *, organisations: Collection[uuid.UUID] | None = None
) -> list[ReviewItem]:
    """End every lease these people hold for these organisations (None: whoever, for whomever); the freed items."""
    held = ReviewItem.objects.select_for_update(no_key=True, of=("self",))
    held = held.filter(status=ItemStatus.OPEN, holder__isnull=False)
    if person_ids is not None:
        held = held.filter(holder_id__in=person_ids)
    if organisations is not None:
        held = held.filter(held_for__in=organisations)
    items = list(held.order_by("id"))
    for item in items:
        _let_go(item)
    return items


def lock_held(
    ref: ItemRef, *, together_with: Collection[uuid.UUID] = (), caller: Caller, now: datetime
) -> ReviewItem:
    """The item, locked, if the caller still holds it at the version they saw.

    An expired lease is good as long as nobody took the item since (domain 6). The open items about the post
    it shows and about the clusters in `together_with` are locked with it: a match may merge them, and who
    locks them one after the other may meet somebody on the way.
    Raises NotFound; Conflict (`item_closed`); LeaseLost; StaleItem with `current`.
    """
    shown = ReviewItem.objects.filter(pk=ref.id).values_list("displayed_version__post_id", flat=True)
    locks.open_items(item_ids=[ref.id], post_ids=list(shown), cluster_ids=together_with)
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


@transaction.atomic
def show_newest(item_id: uuid.UUID) -> None:
    """Let an open item follow an edit of its post now, not when a worker comes to it. Raises NotFound."""
    item = locks.item(item_id)
    if item.status == ItemStatus.OPEN:
        follow_edit(item)


def lock_about(*, post_ids: Collection[uuid.UUID] = (), cluster_ids: Collection[uuid.UUID] = ()) -> None:
    """Lock the open items about these posts and clusters: before any other row, as all who do both must."""
    locks.open_items(post_ids=post_ids, cluster_ids=cluster_ids)


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


def close(item: ReviewItem, *, outcome: ItemOutcome, caller: Caller, now: datetime) -> None:
    workflow.ITEM.step(item.status, "close")
    item.status, item.outcome, item.closed_at = ItemStatus.CLOSED, outcome, now
    item.version += 1
    item.holder = item.held_for = item.held_since = item.held_until = None
    item.save()
    if item.cluster_id is not None and outcome not in (ItemOutcome.RATED, ItemOutcome.MERGED):
        # Nothing was said about the other posts of the cluster: their flags want an item or an answer.
        members = ClusterMember.objects.filter(cluster_id=item.cluster_id, left_at__isnull=True)
        waiting = Flag.objects.filter(
            post_id__in=members.values("post_id"), outcome=FlagOutcome.PENDING, withdrawn_at__isnull=True
        )
        posts = waiting.order_by("post_id").values_list("post_id", flat=True).distinct()
        outbox.put(OutboxKind.REFRESH_ITEM, posts, now=now)
    audit.record(AuditEvent.ITEM_CLOSED, item, caller=caller, now=now, outcome=outcome)


# ── inside ─────────────────────────────────────────────────────────────────────────────────────────


def _open(
    subject: dict[str, Any],
    version: PostVersion,
    *,
    kind: ItemKind,
    caller: Caller,
    now: datetime,
    picked: bool = False,
    reasons: Iterable[str] = (),
    rules: Mapping[str, Any] | None = None,
) -> ReviewItem:
    """`rules` are those that hold, from who has looked already whether there is an item."""
    opened = ReviewItem.objects.filter(kind=kind, status=ItemStatus.OPEN, **subject)
    if rules is None and (found := opened.first()) is not None:
        return found
    rules = rules or policies.at(now).data
    post = version.post
    given = dict.fromkeys(reasons, 1)
    inputs = policy.PriorityInputs(0, given, {(0, 0): 1} if given else {}, 0, now)
    rank, factors = policy.priority(inputs, rules)
    due_at = policy.due_at(given, now, rules)
    if kind == ItemKind.RE_CHECK:
        due_at = now + timedelta(hours=rules["re_check"]["due_hours"])
    item = ReviewItem(
        kind=kind,
        **subject,
        displayed_version=version,
        language=post.language,
        countries=post.regions,
        topic=post.topic,
        opened_at=now,
        due_at=due_at,
        rank=rank,
        factors=factors,
        picked=picked,
    )
    stored = None
    while stored is None:  # the open item that was in the way may close before it is read
        ReviewItem.objects.bulk_create([item], ignore_conflicts=True)
        stored = opened.first()
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


def _hand_over(
    item: ReviewItem, *, caller: Caller, now: datetime, rules: Any, until: datetime | None
) -> ReviewItem:
    workflow.ITEM.step(item.status, "take")
    item.holder_id = caller.person_id
    item.held_for = caller.organisation_id
    item.held_since = now
    ends = now + timedelta(minutes=rules["lease"]["minutes"])
    item.held_until = min(ends, until or ends)
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
