"""Hypothesis strategies for bodies that a client may send, well-meant or not."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.sampled_from([0, 1, -1, 5, 2**31, 2**63, 2**64])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["", "auto", "none", "null", "true", "1", "1.5", "nan", "text", "left"])
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(max_size=6)
            | st.sampled_from(["role", "content", "type", "text", "name", "function", "arguments"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def bodies(fields: list[str], base: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """`base` with some of the fields set to anything."""
    changes = st.dictionaries(st.sampled_from(fields), values, min_size=1, max_size=3)
    return changes.map(lambda changed: {**base, **changed})
