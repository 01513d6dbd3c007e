"""attest.py: `hkgit attest`, a verdict signed for those who will see other commits."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.commands.common import echo_json, json_option, open_repository
from hkgit.commands.judging import load_policy, resolve_range
from hkgit.commands.manners import confirm
from hkgit.git.repository import Repository


@click.command()
@click.argument("commits", metavar="A..B", required=False)
@click.option("--key", metavar="FILE", help="The private SSH key to sign with.")
@click.option("--target", metavar="REF", help="The ref that the commits are for.")
@click.option("--policy", metavar="FILE|REV:PATH", help="Another policy than A's.")
@click.option("--output", metavar="FILE", help="Write it to a file instead of a ref.")
@click.option("--add", metavar="FILE", help="Keep an attestation that stands in a file.")
@json_option
def command(
    commits: str | None,
    key: str | None,
    target: str | None,
    policy: str | None,
    output: str | None,
    add: str | None,
    as_json: bool,
) -> None:
    """Judge A..B and, if every commit passes, sign that with an SSH key.

    A later commit whose tree is B's, on a parent whose tree is A's, then passes as `attested`
    where the policy trusts the key: a squash that a host makes of judged work. Kept under
    refs/hkgit/attestations/: push them to where the gate runs.
    """
    repository = open_repository()
    if add is not None:
        if commits is not None or key is not None:
            raise click.UsageError("--add takes no range and no key.")
        _keep(repository, Path(add).read_bytes(), as_json)
        return
    if commits is None or key is None:
        raise click.UsageError("A..B and --key are needed.")
    from hkgit.attesting import attest

    old, new = resolve_range(repository, commits)
    trusted = load_policy(repository, policy, old)
    data = attest(repository, old, new, trusted, Path(key), target).to_bytes()
    if output is None:
        _keep(repository, data, as_json)
        return
    Path(output).write_bytes(data)
    if as_json:
        echo_json({"status": "attested", "file": output})
    else:
        confirm(f"attested {commits} in {output}")


def _keep(repository: Repository, data: bytes, as_json: bool) -> None:
    from hkgit.attestations.envelope import read_envelope
    from hkgit.attestations.keeping import keep

    ref = keep(repository, read_envelope(data))
    if as_json:
        echo_json({"status": "attested", "ref": ref})
    else:
        confirm(f"attested in {ref}")
