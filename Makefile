# Every target starts with any Python from 3.11 on; the launcher makes .venv and does the rest.
launch = @sh launcher/find_python.sh
export PYTHON PORT

.PHONY: run stop reset shell manage pg rehearse bench test check

run:        ## Start Veracity with demo data and print where it is; Ctrl-C stops it
	$(launch) run

stop:       ## Stop it from another terminal
	$(launch) stop

reset:      ## Stop it and remove its data
	$(launch) reset

shell:      ## A Django shell on its data
	$(launch) manage shell

manage:     ## Any other command, as in: make manage CMD="import_posts posts.jsonl --format jsonl"
	$(launch) manage $(CMD)

pg:         ## One of PostgreSQL's tools on its database, as in: make pg CMD="pg_dump -Fc -f backup.dump"
	$(launch) pg $(CMD)

rehearse:   ## The whole job under load, verified, as in: make rehearse DATA=titles.csv
	$(launch) rehearse $(DATA)

bench:      ## Every figure beside its bound, or some: make bench ONLY=take,lookup
	$(launch) bench

test:       ## Everything that must hold; ARGS go to pytest
	$(launch) test $(ARGS)

check:      ## The same without browser and fault tests: the inner loop
	$(launch) check $(ARGS)
