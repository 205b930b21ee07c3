# Every habit is a script; `make demo` and `make test` work from a fresh clone.
.PHONY: install demo test lint format bench bench-pieces fetch-models lock serve fleet fuzz release image-size

install demo test lint format bench bench-pieces fetch-models lock serve fleet fuzz release image-size:
	@scripts/$@ $(ARGS)
