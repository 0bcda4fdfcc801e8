from django.urls import path

from moderation.views import desk

urlpatterns = [
    path("desk/", desk.cases, {"chosen": "open"}, name="desk"),
    path("desk/keys/", desk.cases, {"chosen": "keys"}, name="desk_keys"),
    path("desk/decided/", desk.cases, {"chosen": "decided"}, name="desk_decided"),
    path("desk/<uuid:case_id>/", desk.case, name="desk_case"),
    path("desk/<uuid:case_id>/decide/", desk.decide, name="desk_decide"),
    path("desk/<uuid:case_id>/proposals/<uuid:proposal_id>/", desk.judge, name="desk_judge"),
]
