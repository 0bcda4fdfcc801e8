"""docs/workflow.md, printed from the transition tables: `manage.py print_workflow > docs/workflow.md`."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from django.apps import apps
from django.core.management.base import BaseCommand
from django.utils.module_loading import module_has_submodule

from moderation.enums import Role
from moderation.workflow import Machine

INTRODUCTION = """\
# State machines

Printed by `manage.py print_workflow` from the tables in `workflow.py`; do not edit. A status changes by
the moves shown here and by no other. “Who acts next” owns a state; a state without a way out is final.
"""


class Command(BaseCommand):
    help = "Prints every state machine as a diagram and a table."

    def handle(self, **options: Any) -> None:
        parts = [INTRODUCTION, *(part for machine in machines() for part in _chapter(machine))]
        self.stdout.write("\n".join(parts), ending="")


def machines() -> Iterator[Machine]:
    """The machines of every installed app that has some, in the order of the apps."""
    for app in apps.get_app_configs():
        if app.module is not None and module_has_submodule(app.module, "workflow"):
            yield from import_module(f"{app.name}.workflow").MACHINES


def _chapter(machine: Machine) -> Iterator[str]:
    yield f"## {machine.noun.capitalize()}\n"
    yield "```mermaid\nstateDiagram-v2"
    yield f"    [*] --> {machine.initial}"
    for state, moves in machine.moves.items():
        for to in dict.fromkeys(moves.values()):
            verbs = ", ".join(verb for verb, target in moves.items() if target == to)
            yield f"    {state} --> {to}: {verbs}"
        if not moves:
            yield f"    {state} --> [*]"
    yield "```\n"
    yield "| state | who acts next | moves |\n|---|---|---|"
    for state, moves in machine.moves.items():
        named = "; ".join(f"{verb} → {to}" if to != state else verb for verb, to in moves.items())
        owner = machine.owner[state]
        who = Role(owner).label.lower() if owner in Role else owner
        yield f"| {state} | {who} | {named or 'final'} |"
    yield ""
