"""What the scripted token engine says: token IDs chosen by a script instead of a model.

Three sources, the first that speaks wins:
1. the request: `sampling_params.extra_args.outputs`, a list of outputs;
2. the script file given at start: `{"outputs": [...], "chunk_tokens": [...]}`;
3. the prompt: reasoning, words, and a call that fits the first function in its `<tools>` section,
   or, after a tool's result, an answer that quotes it.

An output is text or a list of token IDs. Text ends with the turn's end token, a list of IDs is
taken as it is. Choice i says output i modulo their number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

TOOLS = re.compile(r"<tools>\n(.*?)\n</tools>", re.DOTALL)
TURN = re.compile(r"<\|im_start\|>user\n(.*?)<\|im_end\|>", re.DOTALL)
RESULT = re.compile(r"<tool_response>\n(.*?)\n</tool_response>", re.DOTALL)
NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+(?: [A-Z]\w+)*")  # a capitalised word inside a sentence


class ScriptError(ValueError):
    """A script that cannot be said; the message is for whoever wrote it."""


class TokenScript:
    """folder: model folder with tokenizer.json, config.json, generation_config.json.

    outputs: the script file's, empty for answers to the prompt. chunk_tokens: sizes of the
    streamed chunks, repeated as needed. end: ID that ends a turn, None where the model has none.
    """

    def __init__(
        self, folder: Path, outputs: Sequence[Any] = (), chunk_tokens: Sequence[int] = (1,)
    ) -> None:
        path = folder / "tokenizer.json"
        if not path.is_file():
            raise ScriptError(f"no tokenizer.json in {folder}")
        self.tokenizer = Tokenizer.from_file(str(path))
        config = read_json(folder / "config.json")
        self.vocab_size = int(config.get("vocab_size") or self.tokenizer.get_vocab_size())
        self.max_model_len = int(config.get("max_position_embeddings") or 4096)
        generation = read_json(folder / "generation_config.json")
        end = generation.get("eos_token_id", config.get("eos_token_id"))
        self.ends: list[int] = end if isinstance(end, list) else [] if end is None else [end]
        self.chunk_tokens = check_chunks(chunk_tokens)
        self.outputs = [self._ids(output) for output in outputs]

    def say(
        self, prompt: Sequence[int], extra: Mapping[str, Any], count: int
    ) -> tuple[list[list[int]], Sequence[int]]:
        """Token IDs of `count` choices, and the sizes of their chunks. Raises ScriptError."""
        chunks = check_chunks(extra.get("chunk_tokens") or self.chunk_tokens)
        given = extra.get("outputs")
        if given is not None and (not isinstance(given, list) or not given):
            raise ScriptError("extra_args.outputs must be a list of texts or lists of token IDs")
        outputs = [self._ids(output) for output in given] if given else self.outputs
        if not outputs:
            text = self.tokenizer.decode(list(prompt), skip_special_tokens=False)
            outputs = [self._ids(answer(text))]
        return [ids for ids, _ in zip(cycle(outputs), range(count), strict=False)], chunks

    def _ids(self, output: Any) -> list[int]:
        if isinstance(output, str):
            ids: list[int] = self.tokenizer.encode(output, add_special_tokens=False).ids
            return ids + self.ends[:1]
        if not isinstance(output, list) or not output:
            raise ScriptError("an output is a text or a list of token IDs, and not empty")
        if not all(type(token) is int and 0 <= token < self.vocab_size for token in output):
            raise ScriptError(f"token IDs must be integers from 0 to {self.vocab_size - 1}")
        return output


def load_script(folder: Path, script: Path | None, chunk_tokens: Sequence[int]) -> TokenScript:
    """The script of a file; the file's `chunk_tokens` win. Raises ScriptError."""
    if script is None:
        return TokenScript(folder, chunk_tokens=chunk_tokens)
    if not script.is_file():
        raise ScriptError(f"no script {script}")
    document = read_json(script)
    return TokenScript(
        folder, document.get("outputs") or (), document.get("chunk_tokens") or chunk_tokens
    )


def check_chunks(sizes: Any) -> Sequence[int]:
    if not isinstance(sizes, list | tuple) or not sizes:
        raise ScriptError("chunk_tokens must be a list of integers")
    if not all(type(size) is int and size > 0 for size in sizes):
        raise ScriptError("chunk_tokens must be at least 1")
    return sizes


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object; an absent file is an empty one."""
    if not path.is_file():
        return {}
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ScriptError(f"{path}: {error}") from None
    if not isinstance(document, dict):
        raise ScriptError(f"{path}: expected a JSON object")
    return document


def answer(prompt: str) -> str:
    """What a model of the Qwen3 kind may say next, from the prompt's text alone."""
    thinks = not prompt.endswith("</think>\n\n")
    question = next((t for t in reversed(TURN.findall(prompt)) if not RESULT.search(t)), "")
    last_turn = prompt.rsplit("<|im_start|>user\n", 1)[-1]
    if results := RESULT.findall(last_turn):
        thought = "The tool has answered, so I can answer too."
        said = f"Here is what I found: {'; '.join(results)}"
    elif functions := tools(prompt):
        name, parameters = functions[0]
        call = json.dumps({"name": name, "arguments": example(parameters, question)})
        thought = f"The user asks for something that {name} can tell. I will call it."
        said = f"Let me look that up.\n<tool_call>\n{call}\n</tool_call>"
    else:
        thought = "No tool is needed for this."
        said = f"You said: {question}" if question else "Hello! How can I help?"
    return f"<think>\n{thought}\n</think>\n\n{said}" if thinks else said


def tools(prompt: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Name and parameters' schema of each function in the prompt's tools section."""
    section = TOOLS.search(prompt)
    found = []
    for line in section[1].splitlines() if section else ():
        try:
            function = json.loads(line)["function"]
            found.append((str(function["name"]), function.get("parameters") or {}))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue  # the words around the list
    return found


def example(schema: Any, question: str, depth: int = 8) -> Any:
    """A value that fits a JSON schema's type; texts are taken from the question."""
    if not isinstance(schema, Mapping) or depth == 0:
        return None
    if isinstance(choices := schema.get("enum"), list) and choices:
        return choices[0]
    match schema.get("type"):
        case "object":
            properties = schema.get("properties")
            properties = properties if isinstance(properties, Mapping) else {}
            return {k: example(v, question, depth - 1) for k, v in properties.items()}
        case "array":
            return [example(schema["items"], question, depth - 1)] if "items" in schema else []
        case "integer":
            return 1
        case "number":
            return 1.5
        case "boolean":
            return True
        case "string":
            named = NAME.search(question)
            return named[0] if named else question.strip()
        case _:
            return None
