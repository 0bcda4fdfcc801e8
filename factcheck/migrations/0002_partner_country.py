"""Partners get a home; verdicts recorded before say whose ratings they rest on, as switches ask for both."""

from django.db import migrations, models

from factcheck import policy
from factcheck.enums import Verdict


def name_organisations(apps, schema_editor):
    """For each verdict: the partners whose ratings, in force when it was recorded, it rests on."""
    Decision = apps.get_model("moderation", "Decision")
    Claim, Rating, Withdrawal = (
        apps.get_model("factcheck", name) for name in ("Claim", "Rating", "Withdrawal")
    )
    for claim in Claim.objects.order_by("id").iterator(chunk_size=1000):
        verdicts = list(
            Decision.objects.filter(
                cluster_id=claim.cluster_id, kind="standing_verdict", ends=False, organisations=[]
            )
        )
        if not verdicts:
            continue
        ratings = list(Rating.objects.filter(claim=claim))
        ended = {r.supersedes_id: r.at for r in ratings if r.supersedes_id}
        ended |= dict(Withdrawal.objects.filter(rating__claim=claim).values_list("rating_id", "at"))
        partners = {str(r.pk): r.partner_id for r in ratings}
        for verdict in verdicts:
            given = [
                policy.Given(str(r.pk), str(r.partner_id), Verdict(r.verdict), r.at)
                for r in ratings
                if r.at <= verdict.at and not (r.pk in ended and ended[r.pk] <= verdict.at)
            ]
            stands = policy.standing(given)
            if stands is not None:
                verdict.organisations = sorted({partners[i] for i in stands.rests_on})
                verdict.save(update_fields=["organisations"])


class Migration(migrations.Migration):

    dependencies = [
        ('factcheck', '0001_initial'),
        ('moderation', '0003_switches'),
    ]

    operations = [
        migrations.AddField(
            model_name='partner',
            name='country',
            field=models.CharField(blank=True, default='', max_length=2),
        ),
        migrations.AlterField(
            model_name='lease',
            name='ending',
            field=models.CharField(blank=True, choices=[('', '–'), ('rated', 'Rated'), ('not_eligible', 'Not eligible'), ('released', 'Released'), ('skipped', 'Skipped'), ('snoozed', 'Snoozed'), ('taken_over', 'Ran out; taken by another'), ('freed', 'Freed when access ended or ratings stopped')], default='', max_length=12),
        ),
        migrations.RunPython(name_organisations, migrations.RunPython.noop),
    ]
