"""Closed sets of words, the same in code, API, database and page."""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Role(TextChoices):
    MEMBER = "member", _("Member")
    REVIEWER = "reviewer", _("Reviewer")
    LEAD = "lead", _("Partner lead")
    POLICY_SPECIALIST = "policy_specialist", _("Policy specialist")
    ADMINISTRATOR = "administrator", _("Administrator")
    AUDITOR = "auditor", _("Auditor")
    API_CLIENT = "api_client", _("API client")
    SYSTEM = "system", _("System")


class Scope(TextChoices):
    POSTS_WRITE = "posts:write", _("Write posts, reach and deletions")
    FLAGS_WRITE = "flags:write", _("Write flags for members")
    SIGNALS_WRITE = "signals:write", _("Write machine signals")
    DISTRIBUTION_READ = "distribution:read", _("Read effective state")
    DECISIONS_READ = "decisions:read", _("Read decisions and escalations")
    PARTNERS_READ = "partners:read", _("Read partners")
    QUEUE_WORK = "queue:work", _("Work the queue as the key's person")
    DESK_WORK = "desk:work", _("Work the policy desk as the key's person")


class ActorKind(TextChoices):
    ACCOUNT = "account", _("Account")
    PAGE = "page", _("Page")
    GROUP = "group", _("Group")
    DOMAIN = "domain", _("Domain")


class FlagReason(TextChoices):
    FALSE_INFORMATION = "false_information", _("False information")
    ALTERED_MEDIA = "altered_media", _("Altered photo, audio or video")
    MISLEADING = "misleading", _("Misleading or missing context")
    SCAM = "scam", _("Scam or fraud")
    SATIRE_UNLABELLED = "satire_unlabelled", _("Satire that is not marked")
    VIOLENCE = "violence", _("Calls for violence")
    HATE = "hate", _("Hate against a group")
    HARASSMENT = "harassment", _("Harassment of a person")
    IMMINENT_HARM = "imminent_harm", _("May lead to harm soon")
    OTHER = "other", _("Something else")


# Like reasons corroborate only like reasons (domain 6); cool-off never holds back the dangerous ones.
DANGEROUS_REASONS = frozenset(
    {FlagReason.VIOLENCE, FlagReason.HATE, FlagReason.HARASSMENT, FlagReason.IMMINENT_HARM}
)


class FlagOutcome(TextChoices):
    """What the review of a flagged post says about the flag (domain 6, flagger reliability)."""

    PENDING = "pending", _("Waiting for review")
    AGREED = "agreed", _("Reviewers agreed")
    DISAGREED = "disagreed", _("Reviewers disagreed")
    NEUTRAL = "neutral", _("Reviewed, says nothing about the flag")


class ItemKind(TextChoices):
    REVIEW = "review", _("Review")
    RE_CHECK = "re_check", _("Re-check after an edit")
    SECOND_REVIEW = "second_review", _("Second review")
    CONFLICT = "conflict", _("Conflict between partners")
    CORRECTION = "correction", _("Correction")


class ItemStatus(TextChoices):
    OPEN = "open", _("Open")
    CLOSED = "closed", _("Closed")


class ItemOutcome(TextChoices):
    NONE = "", "–"
    RATED = "rated", _("Rated")
    NOT_ELIGIBLE = "not_eligible", _("Not eligible")
    REMOVED = "removed", _("Removed everywhere")
    DESK_CLOSED = "desk_closed", _("Closed by the policy desk")
    MERGED = "merged", _("Merged into the claim's item")
    DELETED = "deleted", _("Deleted by the author")
    WITHDRAWN = "withdrawn", _("Last flag withdrawn")


class DecisionKind(TextChoices):
    STANDING_VERDICT = "standing_verdict", _("Standing verdict")
    NOT_ELIGIBLE = "not_eligible", _("Not eligible")
    PROVISIONAL = "provisional", _("Provisional demotion")
    REMOVAL = "removal", _("Removal")
    HIDE = "hide", _("Emergency hide")
    RESTRICTION = "restriction", _("Restriction")
    KEPT = "kept", _("Kept by the desk")


class Surface(TextChoices):
    FEED = "feed", _("Feed")
    EXPLORE = "explore", _("Explore")
    RECOMMENDATIONS = "recommendations", _("Recommendations")
    SEARCH = "search", _("Search")
    SHARE = "share", _("Share")
    ADS = "ads", _("Ads")


class ViewerPreference(TextChoices):
    DEFAULT = "default", _("Default")
    REDUCE_MORE = "reduce_more", _("Reduce more")
    DO_NOT_REDUCE = "do_not_reduce", _("Do not reduce")


class MediaShown(TextChoices):
    """How media of other people's posts start on the pages of those who work on them (field lesson UI-01)."""

    BLURRED = "blurred", _("Blurred and grey")
    GREY = "grey", _("In grey")
    COLOUR = "colour", _("In colour")


class Ground(TextChoices):
    INCITES_VIOLENCE = "incites_violence", _("Incites violence")
    HATE = "hate", _("Hate against a group")
    HARASSMENT = "harassment", _("Harassment")
    IMMINENT_HARM = "imminent_harm", _("False and likely to contribute to harm soon")
    UNVERIFIABLE_RUMOUR = "unverifiable_rumour", _("Unverifiable rumour likely to contribute to harm")
    ILLEGAL = "illegal", _("Illegal")
    DANGER_TO_LIFE = "danger_to_life", _("Danger to life")
    CHILD_SAFETY = "child_safety", _("Child safety")


class EscalationStatus(TextChoices):
    OPEN = "open", _("Open")
    PROPOSED = "proposed", _("Waits for a second key")
    REMOVED = "removed", _("Removed")
    RESTRICTED = "restricted", _("Restricted")
    KEPT = "kept", _("Kept")


class DeskAction(TextChoices):
    REMOVE = "remove", _("Remove")
    RESTRICT = "restrict", _("Restrict")
    KEEP = "keep", _("Keep")


class ProposalStatus(TextChoices):
    WAITING = "waiting", _("Waits for a second specialist")
    CONFIRMED = "confirmed", _("Confirmed")
    REFUSED = "refused", _("Refused")


class PolicyStatus(TextChoices):
    """Of a draft that may become a policy version."""

    DRAFT = "draft", _("Draft")
    PROPOSED = "proposed", _("Waits for another administrator")
    APPROVED = "approved", _("Approved")
    REFUSED = "refused", _("Refused")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class SwitchKind(TextChoices):
    """The three programme switches (domain 4)."""

    STOP_RATINGS = "stop_ratings", _("Stop new ratings")
    LIFT_EFFECTS = "lift_effects", _("Lift effects")
    CLEAR_STRIKES = "clear_strikes", _("Clear strikes")


class SwitchStatus(TextChoices):
    PROPOSED = "proposed", _("Waits for another administrator")
    ON = "on", _("On")
    OFF = "off", _("Returned")
    REFUSED = "refused", _("Refused")
    WITHDRAWN = "withdrawn", _("Withdrawn")


class StandingLevel(TextChoices):
    """What an actor's counting strikes imply (domain 5). The numbers are policy."""

    NONE = "none", _("No strikes")
    NOTICE = "notice", _("Notice")
    REPEAT_OFFENDER = "repeat_offender", _("Repeat offender")
    SEVERE = "severe", _("Repeat offender, severe")


class NoticeKind(TextChoices):
    RATED = "rated", _("Your post was rated")
    WITHDRAWN = "withdrawn", _("A rating was withdrawn")
    REMOVED = "removed", _("Your post was removed")
    HIDDEN = "hidden", _("Your post is hidden for up to 24 hours")
    RESTORED = "restored", _("Your post is back")
    RESTRICTED = "restricted", _("Your post is restricted")
    STRIKE_LEVEL = "strike_level", _("Your standing changed")
    FLAG_OUTCOME = "flag_outcome", _("A post you flagged was reviewed")


class OutboxKind(TextChoices):
    RECOMPUTE_POST = "recompute_post", _("Recompute some posts")
    RECOMPUTE_CLUSTER = "recompute_cluster", _("Recompute every post of a cluster")
    RECOMPUTE_ACTOR = "recompute_actor", _("Recompute every post of an actor")
    PUBLISH = "publish", _("Write effective states to the cache")
    REFRESH_ITEM = "refresh_item", _("Count a post's flags and rank its items again")
    REFRESH_CLUSTER = "refresh_cluster", _("Count a cluster's flags and rank its items again")
    JUDGE_FLAGS = "judge_flags", _("Answer the flags on some posts")
    JUDGE_CLUSTER = "judge_cluster", _("Answer the flags on every post of a cluster")
    POST_VERSION_ADDED = "post_version_added", _("A post version was added")
    MESSAGE = "message", _("Send a message again that no worker understood")
    ROLL_OUT_POLICY = "roll_out_policy", _("Recompute every post that a policy version touches")
    RANK_AGAIN = "rank_again", _("Rank every open item again")
    DRY_RUN_POLICY = "dry_run_policy", _("Find out what a policy draft would change")
    ROLL_OUT_SWITCH = "roll_out_switch", _("Recompute every post that a programme switch touches")
    DRY_RUN_SWITCH = "dry_run_switch", _("Find out what a programme switch would change")


class WebhookEventType(TextChoices):
    POST_EFFECT_CHANGED = "post.effect_changed", _("A post's effect changed")
    POST_REMOVED = "post.removed", _("A post was removed")
    POST_RESTORED = "post.restored", _("A removed post is back")
    RATING_PUBLISHED = "rating.published", _("A rating was published")
    RATING_SUPERSEDED = "rating.superseded", _("A rating was revised")
    RATING_WITHDRAWN = "rating.withdrawn", _("A rating was withdrawn")
    ACTOR_STANDING_CHANGED = "actor.standing_changed", _("An actor's standing changed")
    ESCALATION_OPENED = "escalation.opened", _("The policy desk has a new case")
    ITEM_DUE_SOON = "item.due_soon", _("A review item is due soon")
    PING = "webhook.ping", _("Test")


class DisabledReason(TextChoices):
    """Why an endpoint is told nothing."""

    BY_PERSON = "by_person", _("Switched off by an administrator")
    GONE = "gone", _("Answered 410 Gone")


class DeliveryState(TextChoices):
    WAITING = "waiting", _("Waiting")
    DELIVERED = "delivered", _("Delivered")
    DEAD = "dead", _("Given up")


class AuditEvent(TextChoices):
    """Codes only: an audit row holds no names and no free text."""

    POST_ADDED = "post_added"
    POST_EDITED = "post_edited"
    POST_DELETED = "post_deleted"
    FLAG_RAISED = "flag_raised"
    FLAG_WITHDRAWN = "flag_withdrawn"
    SIGNAL_RECEIVED = "signal_received"
    ITEM_OPENED = "item_opened"
    ITEM_TAKEN = "item_taken"
    ITEM_PUT_BACK = "item_put_back"
    ITEM_CLOSED = "item_closed"
    ITEM_MERGED = "item_merged"
    NOTE_ADDED = "note_added"
    DECISION_RECORDED = "decision_recorded"
    CLUSTER_JOINED = "cluster_joined"
    CLUSTER_LEFT = "cluster_left"
    STRIKE_ADDED = "strike_added"
    ESCALATION_OPENED = "escalation_opened"
    ESCALATION_DECIDED = "escalation_decided"
    REMOVAL_PROPOSED = "removal_proposed"
    PROPOSAL_CONFIRMED = "proposal_confirmed"
    PROPOSAL_REFUSED = "proposal_refused"
    POST_HIDDEN = "post_hidden"
    POST_RESTORED = "post_restored"
    ROLE_GRANTED = "role_granted"
    ROLE_ENDED = "role_ended"
    ACCESS_ENDED = "access_ended"
    ACCESS_RESTORED = "access_restored"
    POLICY_DRAFTED = "policy_drafted"
    POLICY_CHANGED = "policy_changed"
    POLICY_PROPOSED = "policy_proposed"
    POLICY_APPROVED = "policy_approved"
    POLICY_REFUSED = "policy_refused"
    POLICY_WITHDRAWN = "policy_withdrawn"
    SWITCH_PROPOSED = "switch_proposed"
    SWITCH_CONFIRMED = "switch_confirmed"
    SWITCH_REFUSED = "switch_refused"
    SWITCH_WITHDRAWN = "switch_withdrawn"
    SWITCH_RETURNED = "switch_returned"
    FAN_OUT_PAUSED = "fan_out_paused"
    FAN_OUT_RESUMED = "fan_out_resumed"
    KEY_CREATED = "key_created"
    KEY_REVOKED = "key_revoked"
    WEBHOOK_ADDED = "webhook_added"
    WEBHOOK_ROTATED = "webhook_rotated"
    WEBHOOK_DISABLED = "webhook_disabled"
    WEBHOOK_ENABLED = "webhook_enabled"
    WEBHOOK_REMOVED = "webhook_removed"
    DELIVERY_RESENT = "delivery_resent"
    PARTNER_ADDED = "partner_added"
    PARTNER_CHANGED = "partner_changed"
    PARTNER_CERTIFIED = "partner_certified"
    PARTNER_SUSPENDED = "partner_suspended"
    PARTNER_RESUMED = "partner_resumed"
    PERSON_INVITED = "person_invited"
    PERSON_JOINED = "person_joined"
    PERSON_SUSPENDED = "person_suspended"
    PERSON_REMOVED = "person_removed"
    PERSON_ROLE_CHANGED = "person_role_changed"
    INVITATION_REVOKED = "invitation_revoked"
    CLAIM_ADDED = "claim_added"
    MATCH_CONFIRMED = "match_confirmed"
    MATCH_REJECTED = "match_rejected"
    RATING_SUBMITTED = "rating_submitted"
    RATING_REVISED = "rating_revised"
    RATING_WITHDRAWN = "rating_withdrawn"
    SENSITIVE_VIEWED = "sensitive_viewed"
