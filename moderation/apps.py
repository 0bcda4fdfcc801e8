from django.apps import AppConfig


class ModerationConfig(AppConfig):
    name = "moderation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from django.db.models.signals import post_migrate

        from moderation import (
            messages,
            middleware,  # noqa: F401 (connects itself to signing in)
            reference,
            tasks,
        )

        post_migrate.connect(reference.load, sender=self, dispatch_uid="moderation.reference")
        tasks.hang_bells()
        messages.hang_sender()
