"""Corrections put in place of refused edits."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from hkgit.edits import Spec
from hkgit.values import replace


def correct_spec(spec: Spec, refused: Sequence[int], reply: Spec) -> Spec:
    """Put the edits of a reply in place of refused ones, which are numbered from 1.

    Where they differ in number, edits that are sent again although they applied are not doubled;
    if they still do, what applied stays and the corrections come last.
    """
    sent = [(edit, at in spec.miscounted) for at, edit in enumerate(spec.edits, 1)]
    fresh = [(edit, at in reply.miscounted) for at, edit in enumerate(reply.edits, 1)]
    kept = [each for at, each in enumerate(sent, 1) if at not in refused]
    if len(fresh) != len(refused):
        applied = [edit for edit, _ in kept]
        fresh = [each for each in fresh if each[0] not in applied]
    if len(fresh) == len(refused):
        places = dict(zip(refused, fresh, strict=True))
        batch = [places.get(at, each) for at, each in enumerate(sent, 1)]
    else:
        batch = [*kept, *fresh]
    return replace(
        spec,
        edits=tuple(edit for edit, _ in batch),
        digest=join_digests(spec, reply),
        miscounted=frozenset(at for at, (_, is_wrong) in enumerate(batch, 1) if is_wrong),
    )


def join_digests(spec: Spec, reply: Spec) -> str:
    """Digest a spec together with what answered its refusal."""
    return hashlib.sha256((spec.digest + reply.digest).encode()).hexdigest()
