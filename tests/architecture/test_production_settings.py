"""Production refuses to start half-configured, and says which variable is at fault."""

import json
import os
import subprocess
import sys

import pytest

from launcher.places import ROOT

GOOD = {
    "SECRET_KEY": "k3J9vQ2mX7pL5sT8wR4yB6nD1fG0hZ-cVuEoIaUiOyPqMxNzKt",
    "ALLOWED_HOSTS": "facts.example.org",
    "DATABASE_URL": "postgresql://app:secret@db.example.org/veracity",
    "REDIS_URL": "redis://cache.example.org/0",
    "EMAIL_URL": "smtp+tls://mailer:p%40ss@mail.example.org",
}
SHOW = """
import json
from config.settings import production as s
names = ("EMAIL_HOST EMAIL_PORT EMAIL_HOST_PASSWORD EMAIL_USE_TLS EMAIL_USE_SSL DEFAULT_FROM_EMAIL"
         " SESSION_COOKIE_SECURE CSRF_COOKIE_SECURE SECURE_SSL_REDIRECT SECURE_HSTS_SECONDS DEBUG TRUSTED_PROXIES").split()
print(json.dumps({n: getattr(s, n) for n in names} | {"proxy": hasattr(s, "SECURE_PROXY_SSL_HEADER")}))
"""


def with_environment(*argv: str, **given: str | None) -> subprocess.CompletedProcess[str]:
    """Run Python in an environment that holds GOOD and nothing else of ours; None takes a variable away."""
    wanted = {"PATH": os.defpath, **GOOD, **given}
    env = {name: value for name, value in wanted.items() if value is not None}
    return subprocess.run(
        [sys.executable, *argv], env=env, cwd=ROOT, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("SECRET_KEY", None),
        ("SECRET_KEY", "short"),
        ("SECRET_KEY", "a" * 60),
        ("ALLOWED_HOSTS", None),
        ("ALLOWED_HOSTS", "*"),
        ("DATABASE_URL", None),
        ("DATABASE_URL", "sqlite:///data.db"),
        ("REDIS_URL", None),
        ("REDIS_URL", "memory://"),
        ("EMAIL_URL", None),
        ("EMAIL_URL", "mail.example.org"),
        ("TRUSTED_PROXIES", "one"),
    ],
)
def test_production_does_not_start_without_a_fit_value_for_each_variable(variable, value):
    result = with_environment("-c", "import config.settings.production", **{variable: value})

    assert result.returncode != 0
    complaint = result.stderr.strip().splitlines()[-1]
    assert "ImproperlyConfigured" in complaint
    assert f"{variable} must" in complaint


def test_production_names_all_that_is_missing_at_once():
    result = with_environment("-c", "import config.settings.production", **dict.fromkeys(GOOD))

    assert all(f"{variable} must" in result.stderr for variable in GOOD)


def test_production_passes_the_deployment_check():
    result = with_environment(
        "manage.py", "check", "--deploy", "--fail-level", "WARNING",
        DJANGO_SETTINGS_MODULE="config.settings.production",
    )  # fmt: skip

    assert result.returncode == 0, result.stdout + result.stderr


def shown(**given: str | None) -> dict[str, object]:
    result = with_environment("-c", SHOW, **given)
    assert result.returncode == 0, result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


def test_production_keeps_cookies_and_pages_on_https():
    settings = shown()

    assert (
        settings["SESSION_COOKIE_SECURE"]
        and settings["CSRF_COOKIE_SECURE"]
        and settings["SECURE_SSL_REDIRECT"]
    )
    assert settings["SECURE_HSTS_SECONDS"] == 365 * 24 * 3600
    assert settings["DEBUG"] is False


def test_the_mail_address_gives_host_port_password_and_encryption():
    settings = shown()

    assert settings["EMAIL_HOST"] == "mail.example.org"
    assert settings["EMAIL_PORT"] == 587
    assert settings["EMAIL_HOST_PASSWORD"] == "p@ss"
    assert (settings["EMAIL_USE_TLS"], settings["EMAIL_USE_SSL"]) == (True, False)
    assert settings["DEFAULT_FROM_EMAIL"] == "Veracity <no-reply@facts.example.org>"


def test_no_proxy_is_believed_unless_one_is_named():
    assert shown()["proxy"] is False
    assert shown(TRUSTED_PROXIES="1")["proxy"] is True
