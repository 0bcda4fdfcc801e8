"""Settings that hold everywhere. Secrets and addresses come from the environment."""

import os
from importlib.util import find_spec
from pathlib import Path

import dj_database_url
import structlog
from csp.constants import SELF

BASE_DIR = Path(__file__).resolve().parent.parent.parent
VAR_DIR = Path(os.environ.get("VERACITY_VAR", BASE_DIR / "var"))

SECRET_KEY = os.environ.get("SECRET_KEY", "")
DEBUG = False
ALLOWED_HOSTS: list[str] = [h for h in os.environ.get("ALLOWED_HOSTS", "").split(",") if h]

# The platform runs without the programme: factcheck is installed where its code is present.
PROGRAMME_APPS = ["factcheck"] if find_spec("factcheck") else []

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "django_htmx",
    "template_partials",
    "allauth",
    "allauth.account",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "django_structlog",
    "moderation",
    *PROGRAMME_APPS,
]

MIDDLEWARE = [
    "moderation.http.request_ids.RequestIdMiddleware",
    "moderation.http.problems.ProblemsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "moderation.middleware.CallerMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "moderation.navigation.context",
            ],
        },
    },
]

# READ COMMITTED and explicit transactions: services own them (ADR 0001).
DATABASES = {
    "default": dj_database_url.config(
        default="postgresql:///veracity", conn_max_age=0, conn_health_checks=True
    )
}
WEB_LOCK_TIMEOUT_MS = 3000
_session: list[str] = []
# Set for the processes that serve and work when they sign in to the database as its owner.
if RUNTIME_ROLE := os.environ.get("RUNTIME_ROLE", ""):
    _session.append(f"-c role={RUNTIME_ROLE}")
DATABASES["default"].setdefault("OPTIONS", {})
# Web process only (config/wsgi.py): under Celery's prefork the pool would be closed around every task.
if _pool_size := int(os.environ.get("DATABASE_POOL_SIZE", "0")):
    DATABASES["default"]["OPTIONS"]["pool"] = {"min_size": 1, "max_size": _pool_size, "timeout": 5.0}
    _session.append(f"-c lock_timeout={WEB_LOCK_TIMEOUT_MS}")
if _session:
    DATABASES["default"]["OPTIONS"]["options"] = " ".join(_session)

REDIS_URL = os.environ.get("REDIS_URL", "redis://127.0.0.1:6379/0")
REDIS_PREFIX = os.environ.get("REDIS_PREFIX", "veracity:")
# A dead cache must cost a request less than a second.
REDIS_TIMEOUT_SECONDS = 1.0

AUTH_USER_MODEL = "moderation.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*", "password2*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"

SESSION_ENGINE = "django.contrib.sessions.backends.db"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "moderation.views.errors.csrf_failure"

LANGUAGE_CODE = "en"
# Only what has a catalogue: another language would set direction and dates without the words.
LANGUAGES = [("en", "English")]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True
LOCALE_PATHS = [BASE_DIR / "locale"]

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "staticfiles"
MEDIA_ROOT = VAR_DIR / "media"
MEDIA_URL = "/media/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = VAR_DIR / "mail"
DEFAULT_FROM_EMAIL = "Veracity <no-reply@veracity.example>"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# No inline script or style anywhere, so no nonce and no 'unsafe-inline'.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": ["'none'"],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": ["'none'"],
    },
    "EXCLUDE_URL_PREFIXES": ("/admin/",),
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"

# Body limits of the HTTP contract (api.md): 1 MiB, 8 MiB for bulk.
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024
API_BODY_LIMIT = 1024 * 1024
API_BULK_BODY_LIMIT = 8 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "moderation.http.authentication.ApiKeyAuthentication",
        "moderation.http.authentication.SessionAuthentication",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["moderation.http.parsers.StrictJSONParser"],
    "DEFAULT_METADATA_CLASS": None,
    "DEFAULT_SCHEMA_CLASS": "moderation.http.schema.Documented",
    "EXCEPTION_HANDLER": "moderation.http.problems.exception_handler",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
# Requests per key, per person, and per address for who is neither.
API_LIMITS = {
    "client": {"read": "60000/minute", "write": "60000/minute"},
    "person": {"read": "1200/minute", "write": "240/minute"},
    "address": {"read": "120/minute", "write": "60/minute"},
}
# Whose word about a client's address is taken: the number of our own reverse proxies in front.
TRUSTED_PROXIES = 0
# Readers of the change feed that may wait in one process, how long, and how often they look.
LONG_POLL_WAITERS = 4
LONG_POLL_SECONDS = 25
LONG_POLL_LOOKS_EVERY = 0.5
# The id that RequestIdMiddleware has judged or made.
DJANGO_STRUCTLOG_TRUST_UPSTREAM_REQUEST_ID = True
SPECTACULAR_SETTINGS = {
    "TITLE": "Veracity",
    "DESCRIPTION": "Run a fact-checking programme: flags in, ratings by partners, effective state out.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "PATH_CONVERTER_OVERRIDES": {
        "ref": {"type": "string", "description": "An id, or `ext:` and the platform's own id."}
    },
    "COMPONENT_SPLIT_REQUEST": True,
    # Closed sets stand where they are used: the default hook would number those of the same name.
    "POSTPROCESSING_HOOKS": [],
}

# The outbox is the queue; a message only wakes a worker. So publishing never retries and never blocks a request.
# Kombu spells a Unix socket differently from redis-py.
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=", 1)
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 60,
    "global_keyprefix": f"{REDIS_PREFIX}celery:",
    "socket_timeout": 5,
    "socket_connect_timeout": REDIS_TIMEOUT_SECONDS,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 30
CELERY_TASK_SOFT_TIME_LIMIT = 25
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_DB_REUSE_MAX = 1000
CELERY_TIMEZONE = "UTC"
CELERY_TASK_DEFAULT_QUEUE = "effects"
CELERY_TASK_CREATE_MISSING_QUEUES = True
TASK_QUEUES = ("urgent", "effects", "delivery", "matching", "maintenance")
CELERY_WORKER_CONSUMER = "moderation.messages:Consumer"
CELERY_BEAT_SCHEDULER = "moderation.beat:SteadyScheduler"
# No message expires: by a clock that is ahead, a worker would throw every one of them away.
CELERY_BEAT_SCHEDULE: dict[str, dict[str, object]] = {
    "drain-urgent": {
        "task": "moderation.tasks.drain_outbox",
        "schedule": 2.0,
        "args": ("urgent",),
        "options": {"queue": "urgent"},
    },
    "drain-effects": {
        "task": "moderation.tasks.drain_outbox",
        "schedule": 2.0,
        "args": ("effects",),
        "options": {"queue": "effects"},
    },
    "drain-matching": {
        "task": "moderation.tasks.drain_outbox",
        "schedule": 5.0,
        "args": ("matching",),
        "options": {"queue": "matching"},
    },
    "drain-maintenance": {
        "task": "moderation.tasks.drain_outbox",
        "schedule": 5.0,
        "args": ("maintenance",),
        "options": {"queue": "maintenance"},
    },
    "sequence-changes": {
        "task": "moderation.tasks.sequence_changes",
        "schedule": 2.0,
        "options": {"queue": "effects"},
    },
    "sweep": {
        "task": "moderation.tasks.sweep",
        "schedule": 15.0,
        "options": {"queue": "maintenance"},
    },
    "seal-audit": {
        "task": "moderation.tasks.seal_audit",
        "schedule": 5.0,
        "options": {"queue": "maintenance"},
    },
    "deliver-notices": {
        "task": "moderation.tasks.deliver_notices",
        "schedule": 10.0,
        "options": {"queue": "delivery"},
    },
    "deliver-webhooks": {
        "task": "moderation.tasks.deliver_webhooks",
        "schedule": 2.0,
        "options": {"queue": "delivery"},
    },
    "heartbeat": {
        "task": "moderation.tasks.beat_heartbeat",
        "schedule": 5.0,
        "options": {"queue": "maintenance"},
    },
}

# Hosts to which webhooks may go although they are not public, without TLS and at any port, as
# "host" or "host:port"; all others are reached by https at port 443, at public addresses only.
WEBHOOK_HOSTS_ALLOWED = frozenset(
    host.strip().lower() for host in os.environ.get("WEBHOOK_HOSTS_ALLOWED", "").split(",") if host.strip()
)
WEBHOOK_TIMEOUT_SECONDS = 15.0  # (HTTP contract, webhooks)

# Rows of the outbox that one wake-up works through.
OUTBOX_BATCH = 500
STYLEGUIDE = False

# One JSON object a line with the request id, and tracebacks without the values of variables: they may
# hold what people wrote, or a key.
structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(),
    ],
    wrapper_class=structlog.stdlib.BoundLogger,
    logger_factory=structlog.stdlib.LoggerFactory(),
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "INFO")},
    "loggers": {"django_structlog": {"level": "WARNING"}},
}
