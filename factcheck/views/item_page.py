"""One item as the triage shows it: the post, what is known about it, the form. Words and shapes, no decisions."""

import math
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from factcheck.enums import DEFINITIONS, NOT_ELIGIBLE, SkipReason, Verdict
from factcheck.forms import DRAFT_FIELDS, EscalationForm, RatingForm, wake_times
from factcheck.models import Rating
from factcheck.selectors import consequences, dossier
from factcheck.selectors.consequences import Consequences
from factcheck.selectors.dossier import ItemFile
from factcheck.views import history, holding, outlook, rows
from factcheck.views.doors import Reading
from factcheck.views.holding import Seen
from moderation import iso, scrutiny
from moderation.enums import EscalationStatus, Ground, ItemKind
from moderation.errors import DomainError
from moderation.permissions import may_escalate, may_note
from moderation.views import cards

if TYPE_CHECKING:
    from moderation.models import PostVersion, ReviewItem

FACTORS = {
    "reach_velocity": gettext_lazy("Reach"),
    "harm": gettext_lazy("Harm"),
    "flaggers": gettext_lazy("Flaggers"),
    "flagger_reliability": gettext_lazy("Reliability"),
    "signals": gettext_lazy("Signals"),
}
STRONGEST_FACTOR = 30.0  # a bar is full from here on
KEYS = {verdict: str(i) for i, verdict in enumerate([*Verdict.values, NOT_ELIGIBLE], start=1)}


def context(
    request: Reading,
    item: "ReviewItem",
    *,
    seen: Seen | None = None,
    since: str = "",
    form: RatingForm | None = None,
    escalation: EscalationForm | None = None,
    note: str = "",
    refusal: DomainError | None = None,
    now: datetime,
) -> dict[str, Any]:
    """What templates/factcheck/work.html takes. `seen`: what the person's page was opened on, if not now.
    `since`: the post version they saw, to show what changed."""
    file = dossier.of_item(item, caller=request.caller, now=now)
    seen = seen or holding.seen_now(item, request)
    held = holding.judge(item, seen, request, now=now)
    if form is None and request.partner:
        form = RatingForm(
            initial=_initial(item, file), partner=request.partner, claim_known=file.claim is not None
        )
    version = item.displayed_version
    return {
        "item": item,
        "title": _title(item),
        "holding": held,
        "seen": seen,
        "draft": file.draft,
        "form": form,
        "options": options(),
        "claim": file.claim,
        "own_rating": file.own_rating(request.partner),
        "others": others(request, file),
        "earlier": _earlier(file),
        "alike": file.alike,
        **outlook_of(request, item, form, now=now),
        "domains": ", ".join(request.partner.domains) if request.partner else "",
        "skip_reasons": SkipReason.choices,
        "post": _post(version, file),
        "hidden": scrutiny.hidden_characters(version.content.text),
        "bare": scrutiny.laid_bare(version.content.text),
        "links": [_link(url) for url in version.content.links],
        "reach": getattr(file.platform.post, "reach", None),
        "posts": file.platform.posts,
        "spark": [max(b.views - a.views, 0) for a, b in pairwise(file.platform.reach)],
        "why": _why(item),
        "factors": _factors(item, now),
        "effect": history.effect_in_words(file.platform.effect),
        "reasons": [
            {
                "label": rows.reasons({curve.reason: 0})[0]["label"],
                "curve": curve,
                "spoken": ngettext("%(n)d in 24 hours", "%(n)d in 24 hours", curve.lately)
                % {"n": curve.lately},
            }
            for curve in file.reasons
        ],
        "flaggers": item.flaggers,
        "flag_notes": [
            {"note": flag.note, "at": flag.at, "reason": flag.get_reason_display()}
            for flag in file.platform.notes_of_flags
        ],
        "signals": file.platform.signals,
        "actor": file.actor,
        "strikes": strikes_in_words(file),
        "diffs": _diffs(file),
        "changed_since": _since(file, since),
        "cases": [_case(case, file) for case in file.platform.cases],
        "notes": _notes(request, file),
        "note": note,
        "refusal": refusal,
        "timeline": history.of_item(file),
        "may_note": may_note(request.caller),
        "may_escalate": may_escalate(request.caller),
        "escalation": escalation or EscalationForm(initial={"seen": version.pk, "regions": item.countries}),
        "grounds": list(Ground.choices),
        "wake_times": wake_times(now),
        "now": now,
    }


def options() -> list[dict[str, Any]]:
    """The verdicts as the picker takes them, each with its definition and key."""
    labels = {**dict(Verdict.choices), NOT_ELIGIBLE: _("Not eligible")}
    return [
        {"value": value, "label": labels[value], "definition": DEFINITIONS[value], "key": KEYS[value]}
        for value in KEYS
    ]


def outlook_of(
    request: Reading, item: "ReviewItem", form: RatingForm | None, *, now: datetime
) -> dict[str, Any]:
    """What the verdict chosen in the form would do, as figures and in sentences; without a form, whom it
    would reach."""
    if request.partner is None or form is None:
        return {"outlook": Consequences(consequences.reach_of(item, cluster_id=item.cluster_id))}
    found = consequences.of_rating(item, verdict=form.chosen, partner=request.partner, now=now)
    name = item.displayed_version.post.actor.name
    return {"outlook": found, "outlook_lines": outlook.lines(found, actor_name=name)}


def others(request: Reading, file: ItemFile) -> list[Rating]:
    """Ratings in force by other partners, of the claims that this item is about."""
    about = {m.claim_id for m in file.made} | ({file.claim.pk} if file.claim else set())
    return [
        rating
        for claim_id, given in file.ratings.items()
        if claim_id in about
        for rating in given
        if request.partner is None or rating.partner_id != request.partner.pk
    ]


def strikes_in_words(file: ItemFile) -> str:
    """How many strikes count now, and what the next level needs."""
    count, following = len(file.actor.strikes), file.actor.next_level
    words = ngettext("%(n)d strike counts now", "%(n)d strikes count now", count) % {"n": count}
    if not count:
        words = _("No strike counts now")
    if following is not None and following["multiplier"] < consequences.FULL:
        missing = following["at"] - count
        words += "; " + (
            ngettext("%(n)d more lowers its reach further", "%(n)d more lower its reach further", missing)
            if file.actor.level["multiplier"] < consequences.FULL
            else ngettext("%(n)d more makes a repeat offender", "%(n)d more make a repeat offender", missing)
        ) % {"n": missing}
    return words


def _title(item: "ReviewItem") -> str:
    words = " ".join(item.displayed_version.content.text.split()[:9])
    return cards.plain(words) or _("Post without text")


def _initial(item: "ReviewItem", file: ItemFile) -> dict[str, Any]:
    if file.draft is not None:
        kept = {name: value for name, value in file.draft.fields.items() if name in DRAFT_FIELDS}
        return kept | ({"claim_text": file.claim.text} if file.claim else {})
    return {"claim_text": file.claim.text if file.claim else "", "countries": item.countries}


def _post(version: "PostVersion", file: ItemFile) -> dict[str, Any]:
    post = file.platform.post
    return {
        "actor": {
            "name": post.actor.name,
            "kind": post.actor.kind,
            "initials": cards.initials(post.actor.name),
            "level": file.actor.level["level"],
        },
        "published_at": post.published_at,
        "lang": post.language,
        "media_id": "item-media",
        "edited": version.number > 1,
        "deleted_at": post.deleted_at,
        "external_id": post.external_id,
        "language": iso.language_name(post.language) or post.language,
        "regions": [iso.region_name(code) or code for code in post.regions],
        **cards.content(version.content),
        "link": None,  # shown below with its host spelled out
    }


def _link(url: str) -> dict[str, Any]:
    host = scrutiny.host_of(url)
    return {
        "url": url if scrutiny.is_web_link(url) else "",
        "shown": url,
        "host": host,
        "disguised": host.startswith("xn--") or ".xn--" in host,
    }


def _why(item: "ReviewItem") -> str:
    """The strongest factors in a sentence."""
    strong = sorted(item.factors, key=lambda f: -float(f["value"]))[:3]
    words = [str(f["words"]) for f in strong if float(f["value"]) > 1]
    return "; ".join(words) or _("nothing raises it beyond its age")


def _factors(item: "ReviewItem", now: datetime) -> list[dict[str, Any]]:
    """Each stored factor with its words, its weight and a bar; waiting raises the rank as well."""
    shown = [
        {
            "name": FACTORS.get(f["factor"], str(f["factor"]).replace("_", " ").capitalize()),
            "words": _("%(words)s (×%(value).1f)") % {"words": f["words"], "value": float(f["value"])},
            "share": min(max(round(100 * math.log(float(f["value"])) / math.log(STRONGEST_FACTOR)), 0), 100),
        }
        for f in item.factors
    ]
    hours = (now - item.opened_at).total_seconds() / 3600
    waited = ngettext("%(n)d hour in the queue", "%(n)d hours in the queue", int(hours)) % {"n": int(hours)}
    shown.append({"name": _("Waiting"), "words": waited, "share": min(round(hours / 48 * 100), 100)})
    return shown


def _earlier(file: ItemFile) -> list[dict[str, Any]]:
    """For a re-check: the claims of earlier versions, with what was found about them."""
    if file.platform.item.kind != ItemKind.RE_CHECK:
        return []
    return [{"claim": match.claim, "ratings": file.ratings.get(match.claim_id, ())} for match in file.earlier]


def _diffs(file: ItemFile) -> list[dict[str, Any]]:
    """Each edit of the post, newest first."""
    versions = list(file.platform.versions)
    return [
        {
            "old": before.content.text,
            "new": after.content.text,
            "old_label": _("Version %(n)d") % {"n": before.number},
            "new_label": _("Version %(n)d") % {"n": after.number},
            "at": after.seen_at,
        }
        for before, after in reversed(list(pairwise(versions)))
    ]


def _since(file: ItemFile, since: str) -> dict[str, Any] | None:
    """What changed between the version somebody saw and the one displayed now; None if the post is the same."""
    old = next((v for v in file.platform.versions if str(v.pk) == since), None)
    new = next(v for v in file.platform.versions if v.pk == file.platform.version.pk)
    if old is None or old.pk == new.pk:
        return None
    return {
        "old": old.content.text,
        "new": new.content.text,
        "old_label": _("What you saw (version %(n)d)") % {"n": old.number},
        "new_label": _("Now (version %(n)d)") % {"n": new.number},
        "links": [url for url in new.content.links if url not in old.content.links],
    }


def _case(case: Any, file: ItemFile) -> dict[str, Any]:
    tones = {EscalationStatus.OPEN: "warn", EscalationStatus.PROPOSED: "warn", EscalationStatus.REMOVED: "bad",
             EscalationStatus.RESTRICTED: "info", EscalationStatus.KEPT: "good"}  # fmt: skip
    return {
        "ground": case.get_ground_display(),
        "status": case.get_status_display(),
        "tone": tones[EscalationStatus(case.status)],
        "at": case.opened_at,
        "by": file.partners.get(case.opened_for) or _("the policy desk"),
        "regions": case.regions,
    }


def _notes(request: Reading, file: ItemFile) -> list[dict[str, Any]]:
    """Notes, signed by a colleague's first name or by the other organisation."""
    own = request.partner
    return [
        {
            "text": note.text,
            "at": note.at,
            "by": str(note.author).split()[0]
            if own and note.organisation == own.pk
            else file.partners.get(note.organisation) or _("Policy desk"),  # type: ignore[arg-type]
        }
        for note in file.platform.notes
    ]
