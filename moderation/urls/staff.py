from django.urls import path, re_path

from moderation.views import audit, health, keys, people, policies, styleguide, system

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("system/", system.system, name="system"),
    path("system/fan-outs/<uuid:fan_out_id>/pause/", system.pause, name="system-pause"),
    path("system/fan-outs/<uuid:fan_out_id>/resume/", system.resume, name="system-resume"),
    path("system/retry/<uuid:row_id>/", system.retry, name="system-retry"),
    path("audit/", audit.rows, name="audit"),
    path("audit/verify/", audit.verify, name="audit-verify"),
    path("audit/export/", audit.export, name="audit-export"),
    path("keys/", keys.keys, name="keys"),
    path("keys/<uuid:key_id>/revoke/", keys.revoke, name="keys-revoke"),
    path("policies/", policies.versions, name="policies"),
    path("policies/draft/", policies.draft, name="policies-new"),
    path("policies/<int:number>/", policies.version, name="policies-version"),
    path("policies/drafts/<uuid:draft_id>/", policies.one, name="policies-draft"),
    path("policies/drafts/<uuid:draft_id>/country/", policies.country, name="policies-country"),
    re_path(
        r"^policies/drafts/(?P<draft_id>[0-9a-f-]{36})/(?P<verb>dry-run|propose|approve|refuse|withdraw)/$",
        policies.step,
        name="policies-step",
    ),
    path("people/", people.directory, name="people"),
    path("people/<uuid:person_id>/", people.one, name="people-one"),
    path("people/<uuid:person_id>/grant/", people.grant, name="people-grant"),
    path("people/<uuid:person_id>/end-role/", people.end_role, name="people-end-role"),
    path("people/<uuid:person_id>/off/", people.turn_off, name="people-off"),
    path("people/<uuid:person_id>/on/", people.turn_on, name="people-on"),
    path("styleguide/", styleguide.styleguide, name="styleguide"),
]
