"""The Python code that a template is compiled to, with short cuts past the sandbox.

Rule: a short cut asks for the exact type first, takes what the sandbox would give for it, and
leaves all else to the sandbox. Most of a chat template's time is `message.role`, `loop.first` and
`text.startswith(...)`: half a microsecond to three each by the sandbox, a tenth by a short cut.
"""

from __future__ import annotations

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, optimizeconst

OF_DICT = frozenset(dir(dict))
"""What the sandbox must look at: all that a mapping has beside its items."""
OF_STR = frozenset(name for name in dir(str) if name[0] != "_") - {"format", "format_map"}
"""Methods that do no harm; formatting reaches attributes."""
_COUNTS = frozenset(("depth", "depth0", "index", "index0", "length", "revindex", "revindex0"))
OF_LOOP = _COUNTS | {"first", "last", "nextitem", "previtem"}

# The object that is looked at, a local of the compiled code. Jinja's own begin with l_ and t_.
_IT = "it_"


class ShortCuts(CodeGenerator):
    """In place of Jinja's own, for a sandbox that is not asynchronous."""

    @optimizeconst
    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        of_loop = isinstance(node.node, nodes.Name) and node.node.name == "loop"
        if of_loop and node.attr in OF_LOOP:
            self._short_cut(f"{_IT}.{node.attr}", "LoopContext", node.node, frame)
        elif node.attr not in OF_DICT:
            has_key = f"{node.attr!r} in {_IT}"
            self._short_cut(f"{_IT}[{node.attr!r}]", "dict", node.node, frame, where=has_key)
        else:
            super().visit_Getattr(node, frame)
            return
        self.write(f"environment.getattr({_IT}, {node.attr!r}))")

    @optimizeconst
    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        key = node.arg.value if isinstance(node.arg, nodes.Const) else None
        if isinstance(key, str):
            kind, where = "dict", f"{key!r} in {_IT}"
        elif type(key) is int:
            kind, where = "list", f"{key if key >= 0 else -key - 1} < len({_IT})"
        else:
            super().visit_Getitem(node, frame)
            return
        self._short_cut(f"{_IT}[{key!r}]", kind, node.node, frame, where=where)
        self.write(f"environment.getitem({_IT}, {key!r}))")

    @optimizeconst
    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        called = node.node
        constant = not (node.kwargs or node.dyn_args or node.dyn_kwargs) and all(
            isinstance(argument, nodes.Const) for argument in node.args
        )
        # Constants alone, since the arguments are written twice.
        if not (constant and isinstance(called, nodes.Getattr) and called.attr in OF_STR):
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        arguments = ", ".join(repr(argument.value) for argument in node.args)  # type: ignore[attr-defined]  # all are Const
        self._short_cut(f"{_IT}.{called.attr}({arguments})", "str", called.node, frame)
        self.write(f"environment.call(context, environment.getattr({_IT}, {called.attr!r})")
        inside = {"_loop_vars": frame.loop_frame, "_block_vars": frame.block_frame}
        self.signature(node, frame, {name: name for name, is_there in inside.items() if is_there})
        self.write("))")

    def _short_cut(
        self, value: str, kind: str, of: nodes.Expr, frame: Frame, where: str | None = None
    ) -> None:
        """`(value if the object is of this kind else `; the way past it is the caller's to write.

        where: that must hold as well.
        """
        self.write(f"({value} if type({_IT} := ")
        self.visit(of, frame)
        self.write(f") is {kind}{f' and {where}' if where else ''} else ")
