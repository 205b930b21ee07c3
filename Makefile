# Every habit is a script; `make demo` and `make test` work from a fresh clone.
.PHONY: install demo test lint format bench fetch-models lock serve fleet fuzz

install demo test lint format bench fetch-models lock serve fleet fuzz:
	@scripts/$@ $(ARGS)
