"""Where our answer is deliberately not vLLM's whole answer: which cases, and why.

The answers are in `golden/parsers/differences.json`; `record/parser_differences.py` writes it,
to be read before it is committed.
"""

from __future__ import annotations

REASONS = {
    "framing": "muse: vLLM hands on the markup of messages where the request wants no calls; for "
    "muse_glimmer also where no message names its recipient.",
    "no message": "Harmony: what is no message, or one whose header vLLM does not read, is "
    "content; vLLM's whole answer loses it, or takes a word before it for the name of a call.",
    "lost text": "vLLM's whole answer loses text beside or inside a call; here it is content.",
    "text in a value": "A tag inside a JSON string or a parameter's value is part of the value.",
    "cut short": "A call that has begun when the output is cut short stays a call, with a prefix "
    "of its arguments, as in vLLM's streamed answer.",
    "malformed": "What goes wrong in a call after it began cannot be taken back: the call stays, "
    "and the text that no codec reads is content; vLLM's whole answer is all content.",
    "mended": "Arguments that would be no JSON are mended, or vLLM's would be no JSON.",
    "repeated key": "A repeated key or parameter stays repeated; vLLM keeps the last.",
    "spelt": "Text that only looks like a marker is text; vLLM's whole answer takes it for one.",
    "reasoning": "deepseek_r1: text before a late <think> is reasoning too, and <think> in the "
    "answer is text; vLLM's whole answer loses what comes before it.",
    "prompt": "The prompt decides whether reasoning is open, as in vLLM's streamed answer; its "
    "whole answer ignores the prompt for this name or vocabulary.",
    "reopened": "minimax_m3, minicpmv: every think block is reasoning, and so is what comes before "
    "one that the prompt opened; vLLM's whole answer knows one block, and has the rest content.",
    "no thoughts": "Reasoning without text is null.",
    "nonempty": "nemotron_v3: force_nonempty_content has the whole answer's reasoning turn into "
    "content where there is none, which a stream cannot take back.",
    "forced": "Text that is not the JSON that the request forces is content; vLLM's whole answer "
    "loses it, or hands it on as arguments.",
    "lenient": "A call whose markup lacks a part is a call, as in vLLM's streamed answer; its "
    "whole answer loses it, or takes what follows for part of it.",
    "typed": "Arguments that are JSON already stay as the model wrote them; vLLM adapts them to "
    "the schema, and then rewrites them all.",
    "white space": "White space beside a call is no content; vLLM keeps it where there is other "
    "text.",
    "python": "Pythonic calls are read as far as they are Python, also with parameters named like "
    "keywords, leading zeros, raw newlines and nested quotes, and whatever surrounds them; vLLM's "
    "parser of the name takes the whole list for text. Positional arguments are no call; vLLM "
    "drops them.",
    "gemma": "Gemma: text before an end of a channel that nothing opened is content, the name of a "
    "channel is markup in each, values may be bare, and a call's start and end count wherever they "
    "stand; vLLM's whole answer can look ahead, keeps later names, and drops or misreads the rest.",
    "unended": "Reasoning that nothing ends is reasoning, as in vLLM's streamed answer; its whole "
    "answer takes it for content.",
    "brackets": "phi4_mini_json: vLLM's whole answer ends the array at its first closing "
    "bracket, and then has neither call nor content.",
    "tags": "Content that is nothing beside calls is null; vLLM's whole answer has an empty string "
    "for some of the forms of a name's calls, or the call itself.",
    "xml": "minicpm5: a value is XML whatever the rest of its call is, its white space stays, tags "
    "in CDATA are text, and a parameter that the schema does not know stays; vLLM reads a call "
    "that is no XML in another way, drops such a parameter, and ends a call inside CDATA.",
    "group": "k2_horizon: vLLM reads a group of calls whole or not at all, and only at its end; "
    "here each call of it that has begun is one.",
    "unclosed": "k2_horizon: reasoning that no tag closes is reasoning, as in vLLM's streamed "
    "answer; and the tags of every effort count, whichever the request asks for.",
    "blank": "k2_horizon: white space alone is content, as everywhere; vLLM drops it.",
    "off": "With reasoning turned off special tokens are content, as in vLLM's streamed answer; a "
    "think block of minicpmv is reasoning even then, where vLLM drops it.",
    "empty call": "A call without a function is markup, whatever the reasoning parser is.",
}

_BY_REASON: dict[str, tuple[str, ...]] = {
    "framing": ("choice none: call", "no recipient", "thought, no recipient"),
    "no message": (
        "only the closing tag", "json answer", "text, then a message", "text, end",
        "no channel", "empty channel",
        "unknown channel", "text between messages", "text at the end", "no start",
        "another role", "unknown role", "too many words",
    ),
    "lost text": (
        "text before the calls", "text after the call", "prefix in a value", "element left open",
        "element closed by another", "empty element name", "text between elements",
        "text after the section, call",
        "opening tag in prose", "single quotes", "empty object", "array of numbers",
        "response tags, text after", "response tags, text before", "response tags, call",
        "answer tags, text after", "in tags, text",
        "text after an answer", "text after an action", "text in an action", "fenced action",
        "closers alone", "other keys", "no parameters", "text glued to the arguments",
        "no name, args token", "required: bare array and text", "named: bare array and text",
        "prose after the token", "named, blanks around",
        "text in a function",
        "content before", "content with blank lines before", "content between", "content after",
        "content before and after", "split emoji", "closing tag twice", "end token", "end tokens",
        "no function end, text", "no call tags, text", "text in the call", "text between",
        "text after function", "json body", "json in function", "empty name",
        "name then call end", "call without closing", "call in reasoning",
        "call tag in reasoning", "last parameter left open", "python tag and prose",
        "semicolon then text", "comma between", "call in a code block",
        "reasoning, content, call", "thinking False, call", "prompt opens",
        "choice none: prose", "choice required: prose", "choice named: prose",
        "not parallel: prose", "parallel: prose", "no tools: prose",
        "choice required: two calls", "choice named: two calls", "not parallel: two calls",
        "parallel: two calls", "no tools: two calls", "choice none: two calls",
        "blanks around content", "unknown tool", "value left open", "value left open, next",
        "key without value", "key left open", "value without key", "text after the name",
        "nothing in a call", "nothing in a call, text", "prose in a call",
        "text in the section", "text between calls", "no fence", "no separator",
        "no number in the ID", "no name in the ID", "empty section", "no section",
        "other attribute", "empty parameter name", "other outer tags", "invoke end in a value",
        "two calls", "three glued calls", "two calls with blank lines", "call again after the end",
        "all blocks", "two thoughts", "thought inside", "sampling end in a thought",
        "call in a thought", "long header", "no role", "no name", "empty body", "prose body",
        "prose section", "only section start", "two sections",
        "name with spaces", "no tool", "no attributes", "text in the channel", "response and call",
        "two tool channels", "empty tool channel", "prefilled: thought, response",
        "prefilled: thought, response, call", "prefilled: whole thought",
        "prefilled, thinking: thought, response", "prefilled, thinking: thought, response, call",
        "prefilled, thinking: whole thought", "prefilled, no thinking: thought, response",
        "prefilled, no thinking: thought, response, call", "prefilled, no thinking: whole thought",
        "text around", "newlines around a call", "code around a call", "backslash before a call",
        "closed twice", "commentary, tool call", "developer",
        "text after invoke", "text in the invoke", "unknown and known", "turn end in a call",
    ),
    "text in a value": (
        "split tag in a string", "tag in a string", "function end in a value",
        "function in a value", "call tag in a value",
        "value left open, text",
        "end token in a string", "end tag in a string",
        "call end in a value", "tags in a value",
        "block end in a value", "marker in a string",
    ),
    "cut short": (
        "named, cut short",
        *(f"cut at {tenth}" for tenth in range(1, 11)), "cut before its last character",
        "required, cut short",
    ),
    "malformed": (
        "no parameter name", "properties, no object",
        "second item is malformed", "text after the array", "array of calls", "comma missing",
        "code arguments", "text after arguments",
        "broken arguments", "object left open", "one brace too many", "text after the object",
        "second call is malformed", "no closing tag between", "opening tag twice",
        "call then braces",
        "prose arguments", "call token in a string",
        "f-string with a value", "bytes", "complex number", "list as a key", "variable as a value",
        "expression as a value", "call as a value", "argument left open", "mismatched brackets",
        "no value", "comma twice", "no end tag",
        "list body", "empty name in JSON",
        "call end in an argument",
    ),
    "mended": (
        "no arguments", "string parameters", "null parameters",
        "trailing comma", "raw newline in a string", "not a number", "empty arguments",
        "huge number",
        "values that look like JSON",
    ),
    "repeated key": (
        "repeated key", "repeated parameter",
        "keys that are no strings",
    ),
    "spelt": (
        "spelt markers",
        "spelt tags", "spelt think tags", "spelt call tag in reasoning", "spelt tokens",
    ),
    "reasoning": (
        "text before", "unopened, opened later",
        "newline before", "empty reasoning",
    ),
    "prompt": (
        "prompt: closed",
        "prompt closes", "prompt closes, text", "prompt closes, opened again",
        "prompt closes in an earlier turn", "prompt closes in an earlier turn, text",
        "prompt closes in an earlier turn, opened again", "prompt continues the answer",
        "prompt continues the answer, text", "prompt continues the answer, opened again",
        "prompt ends in a call",
        "prompt opens, text", "prompt ends in a call, text",
    ),
    "reopened": (
        "closed, reopened", "opened twice", "thinking enabled: late", "think tags in content",
    ),
    "no thoughts": ("empty reasoning", "only the opening tag"),
    "nonempty": ("nonempty content: reasoning alone", "nonempty content: closed, blank"),
    "forced": (
        "choice required: text", "choice required: call", "choice named: text",
        "choice named: call",
        "required, text after", "named, text after",
    ),
    "lenient": (
        "no closing tag", "no closing tag, text", "array left open", "no comma",
        "object without array", "response left open", "in tags, left open",
        "no call id", "parameters first", "only a name, then a call",
        "no function end, next", "name left open",
        "no call end", "no call end, next", "no invoke end, next", "fence left open",
        "no line before the fence", "no type", "name without end",
        "no end, next",
        "spaces in a key", "spaces between key and value", "no section end", "no section end, text",
        "call end twice", "call start twice", "json in the call",
        "parameter left open", "no invoke end", "no block end", "no block end, text", "json block",
        "no name end", "no arguments end",
    ),
    "typed": (
        "indented", "string arguments", "types that do not fit",
        "numbers", "types of the schema",
        "string args",
    ),
    "white space": (
        "choice required: blank", "choice named: blank",
        "call then newline",
        "two groups", "no tools: call",
    ),
    "python": (
        "spaces", "name with an underscore", "keyword as a parameter", "leading zeros",
        "nested quotes", "lines", "strings side by side", "positional argument",
        "only positional arguments", "second call is positional", "no closing bracket",
        "python end tag", "python tags and space", "no tags, then text", "start tag twice",
        "text before the end token", "no end token, text", "start token twice",
    ),
    "gemma": (
        "no call word", "text before the call word", "string left open", "list left open",
        "text after the body", "no end, next", "no end, text", "start in a string",
        "end in a string", "end in a value", "thought alone", "no channel, closed",
        "thought without a channel", "thought without an end", "channel, open",
        "channel, earlier turn", "channel without a prompt", "half a thought prefix",
        "two channels", "closed, reopened", "blank before closing", "bare values",
        "bare and quoted", "no arguments at all", "space in the name",
        "no opening tag", "thinking True, call",
    ),
    "unended": (
        "reasoning alone", "no tags", "only the opening tag", "thinking False", "thinking True",
    ),
    "brackets": (
        "nested arguments", "compact", "spaced", "two in one", "three in one, compact",
        "two in one, indented",
    ),
    "tags": (
        "in tags", "mistral tag", "message of its own, alone",
    ),
    "xml": (
        "escapes", "unknown parameter", "bare ampersand", "function end in cdata",
    ),
    "group": (
        "empty key", "call end in a value", "unexpected type", "no group end",
        "second tool is unknown", "as json, broken", "as json, unknown", "typed, one without",
    ),
    "unclosed": (
        "reasoning alone", "no tags", "thinking False", "thinking True", "another effort",
    ),
    "blank": (
        "blank only", "choice none: blank", "not parallel: blank", "parallel: blank",
        "no tools: blank",
    ),
    "off": (
        "thinking False, tags", "off, think block",
    ),
    "empty call": (
        "empty call", "only opening tag",
        "empty array",
        "empty block", "only block start",
    ),
}  # fmt: skip

WHY = {case: reason for reason, names in _BY_REASON.items() for case in names}
