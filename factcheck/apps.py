from django.apps import AppConfig


class FactcheckConfig(AppConfig):
    name = "factcheck"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import post_migrate

        from factcheck import (
            menu,
            receivers,  # noqa: F401 (connects itself)
            reference,
        )
        from factcheck.services import roles

        post_migrate.connect(
            reference.name_organisations, sender=self, dispatch_uid="factcheck.name_organisations"
        )
        roles.register()
        menu.add_entries()
