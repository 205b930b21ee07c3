"""What a client did wrong, in vLLM's error shape.

vLLM 0.33.0 answers `{"error": {"message", "type", "param", "code"}}`; `type` is
`BadRequestError` for a refused value and `Bad Request` for a body that does not
fit the schema (`entrypoints/serve/exception_handling`).
"""

from __future__ import annotations

import orjson

SCHEMA_ERROR = "Bad Request"


class RequestError(Exception):
    """A request that is refused; the app layer turns it into the error answer.

    message: what was wrong and how to mend it.
    status: HTTP status, 4xx or 503.
    type: vLLM's error type.
    param: the field, as vLLM names it (`body.temperature` for schema errors).
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 400,
        type: str = "BadRequestError",
        param: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.type = type
        self.param = param

    def body(self) -> bytes:
        return orjson.dumps(
            {
                "error": {
                    "message": self.message,
                    "type": self.type,
                    "param": self.param,
                    "code": self.status,
                }
            }
        )


def schema_error(message: str, param: str | None = None) -> RequestError:
    """A body that does not fit the schema: vLLM's RequestValidationError."""
    return RequestError(message, type=SCHEMA_ERROR, param=param)


def model_not_found(name: str, served: tuple[str, ...]) -> RequestError:
    return RequestError(
        f"The model `{name}` does not exist. Valid aliases: {', '.join(served)}.",
        status=404,
        type="NotFoundError",
        param="model",
    )


def unavailable(message: str) -> RequestError:
    """This replica cannot; another may, or the same one later."""
    return RequestError(message, status=503, type="ServiceUnavailableError")


def overloaded(why: str) -> RequestError:
    return unavailable(f"The server is overloaded: {why}. Retry later.")
