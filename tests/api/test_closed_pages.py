"""No page shows anything to somebody who is not signed in."""

import re

import pytest
from django.test import Client

from tests.api.test_walk import ELSEWHERE, patterns

pytestmark = pytest.mark.django_db

# Pages that greet whoever comes: health, the style guide of development, an invitation's link.
OPEN_PAGES = {"/healthz", "/styleguide/", "/invitations/{token}/"}
PAGES = sorted({path for path, _ in patterns() if not path.startswith(("/api/", *ELSEWHERE))} - OPEN_PAGES)


@pytest.mark.parametrize("path", PAGES)
def test_no_page_is_shown_to_somebody_who_is_not_signed_in(path):
    address = re.sub(r"\{\w+\}", "0193787a-5f00-7abc-8def-000000000001", path)

    for method in ("GET", "POST"):
        answer = Client(raise_request_exception=False).generic(method, address)
        assert answer.status_code in (302, 401, 403, 404, 405), f"{method} {address}: {answer.status_code}"
        if answer.status_code == 302:
            assert answer.headers["Location"].startswith("/accounts/login/")
