from django.apps import AppConfig


class FactcheckConfig(AppConfig):
    name = "factcheck"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from factcheck import (
            menu,
            receivers,  # noqa: F401 (connects itself)
        )
        from factcheck.services import roles

        roles.register()
        menu.add_entries()
