"""Mail that the programme sends. Plain text only: nothing in it can act by being looked at."""

import logging
import smtplib

from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from factcheck.models import Invitation

logger = logging.getLogger(__name__)


def send_invitation(invitation: Invitation, *, link: str, inviter: str) -> bool:
    """Write to the invited address; returns whether the mail was taken. `link` opens a page and does nothing."""
    name = " ".join(invitation.partner.name.split())
    body = render_to_string(
        "factcheck/mail/invitation.txt",
        {"invitation": invitation, "partner": name, "inviter": " ".join(inviter.split()), "link": link},
    )
    subject = _("%(partner)s invites you to Veracity") % {"partner": name}
    try:
        return bool(send_mail(subject, body, None, [invitation.email]))
    except (OSError, smtplib.SMTPException) as error:
        logger.warning("invitation_not_sent", extra={"invitation": str(invitation.pk), "error": str(error)})
        return False
