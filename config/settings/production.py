"""Production: everything comes from the environment, and what is missing is said before anything starts.

SECRET_KEY, ALLOWED_HOSTS (commas), DATABASE_URL, REDIS_URL and EMAIL_URL must be set. TRUSTED_PROXIES is
the number of reverse proxies in front, 0 without; RUNTIME_ROLE and LOG_LEVEL as in base.py.
"""

import os
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from config.settings.base import *  # noqa: F403
from config.settings.base import ALLOWED_HOSTS, BASE_DIR, SECRET_KEY

_SMTP_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


def _refusals() -> list[str]:
    """One sentence for each variable that is missing or unfit."""
    scheme = {
        name: urlsplit(os.environ.get(name, "")).scheme for name in ("DATABASE_URL", "REDIS_URL", "EMAIL_URL")
    }
    found = []
    if len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 10:
        found.append("SECRET_KEY must be set to at least 50 random characters.")
    if not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS:
        found.append("ALLOWED_HOSTS must name the hosts to answer for, separated by commas, without “*”.")
    if scheme["DATABASE_URL"] not in ("postgresql", "postgres"):
        found.append("DATABASE_URL must be the address of a PostgreSQL database (postgresql://…).")
    if scheme["REDIS_URL"] not in ("redis", "rediss", "unix"):
        found.append(
            "REDIS_URL must be the address of a Redis or Valkey server (redis://…, rediss://… or unix://…)."
        )
    if scheme["EMAIL_URL"] not in _SMTP_PORTS:
        found.append("EMAIL_URL must be the address of a mail server (smtp://…, smtp+tls://… or smtps://…).")
    if not os.environ.get("TRUSTED_PROXIES", "0").isdigit():
        found.append("TRUSTED_PROXIES must be the number of reverse proxies in front, 0 without.")
    return found


if _found := _refusals():
    raise ImproperlyConfigured("\n".join(_found))

DEBUG = False

SECURE_SSL_REDIRECT = True
# The load balancer and the container's health check ask on the inside, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600
SECURE_HSTS_INCLUDE_SUBDOMAINS = True
SECURE_HSTS_PRELOAD = True
SESSION_COOKIE_SECURE = True
CSRF_COOKIE_SECURE = True

# Nobody's word about scheme and address is taken unless somebody said that a proxy of ours gives it.
TRUSTED_PROXIES = int(os.environ.get("TRUSTED_PROXIES", "0"))
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# Made when the image is built; `var/` of a running container may be empty.
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT", BASE_DIR / "var" / "staticfiles"))

_mail: SplitResult = urlsplit(os.environ["EMAIL_URL"])
EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
EMAIL_HOST = _mail.hostname or "localhost"
EMAIL_PORT = _mail.port or _SMTP_PORTS[_mail.scheme]
EMAIL_HOST_USER = unquote(_mail.username or "")
EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
EMAIL_USE_TLS = _mail.scheme == "smtp+tls"
EMAIL_USE_SSL = _mail.scheme == "smtps"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", f"Veracity <no-reply@{ALLOWED_HOSTS[0]}>")
SERVER_EMAIL = DEFAULT_FROM_EMAIL
