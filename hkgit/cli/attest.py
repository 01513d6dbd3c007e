"""`hkgit attest`: sign the verdict on a range, or its entries."""

from __future__ import annotations

from pathlib import Path

import click

from hkgit.cli.common import echo_json, json_option, open_repository
from hkgit.cli.output import print_info
from hkgit.cli.ruling_output import resolve_range
from hkgit.errors import InvalidInput
from hkgit.gate.policy.model import Policy
from hkgit.gate.trusted_policy import load_policy
from hkgit.git.repository import Repository
from hkgit.text.escape import count_noun


@click.command()
@click.argument("commits", metavar="A..B", required=False)
@click.option("--key", metavar="FILE", help="The private SSH key to sign with.")
@click.option("--entries", is_flag=True, help="Sign the entries that A..B adds, not the verdict.")
@click.option("--target", metavar="REF", help="The ref that the commits are for.")
@click.option("--policy", metavar="FILE|REV:PATH", help="The policy to use instead of A's.")
@click.option("--output", metavar="FILE", help="Write it to a file instead of a ref.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["hkgit", "slsa"]),
    default="hkgit",
    show_default=True,
    help="The verdict, or a SLSA verification summary for other tools.",
)
@click.option("--resource", metavar="URI", help="For slsa: the repository [default: its remote].")
@click.option("--add", metavar="FILE", help="Store an attestation from a file.")
@json_option
def command(
    commits: str | None,
    key: str | None,
    entries: bool,
    target: str | None,
    policy: str | None,
    output: str | None,
    form: str,
    resource: str | None,
    add: str | None,
    as_json: bool,
) -> None:
    """Judge A..B and, if every commit passes, sign that with an SSH key.

    A later commit with B's tree, on a parent with A's tree, then passes as `attested` if the
    policy trusts the key: a squash that a host makes of judged work. Kept under
    refs/hkgit/attestations/: push them to where the gate runs.

    With --entries each ledger entry is signed by its id, which a rebase, a squash and a
    cherry-pick do not change. Kept under refs/hkgit/entries/.

    With --format slsa the file of --output holds a SLSA source verification summary, an in-toto
    statement in DSSE with the same kind of signature. No gate of hkgit reads it.
    """
    repository = open_repository()
    if add is not None:
        if commits is not None or key is not None or entries:
            raise click.UsageError("--add takes no range, no key and no --entries.")
        _keep(repository, Path(add).read_bytes(), as_json)
        return
    if commits is None or key is None:
        raise click.UsageError("A..B and --key are needed.")
    if form == "slsa" and (output is None or entries):
        raise click.UsageError("--format slsa needs --output FILE, and takes no --entries.")
    if resource is not None and form != "slsa":
        raise click.UsageError("--resource is for --format slsa.")
    old, new = resolve_range(repository, commits)
    if entries:
        if (target, policy, output) != (None, None, None):
            raise click.UsageError("--entries takes a range and a key, nothing else.")
        _sign_entries(repository, old, new, Path(key), as_json)
        return
    trusted = load_policy(repository, policy, old)
    data = _attest(repository, (old, new), trusted, Path(key), target, form, resource)
    if output is None:
        _keep(repository, data, as_json)
    else:
        _write(output, data, commits, as_json)


def _attest(
    repository: Repository,
    ends: tuple[str, str],
    policy: Policy,
    key: Path,
    target: str | None,
    form: str,
    resource: str | None,
) -> bytes:
    from hkgit.workflows.attestation import attest, attest_summary

    if form == "hkgit":
        return attest(repository, *ends, policy, key, target).to_bytes()
    named = resource or _find_resource(repository)
    return attest_summary(repository, *ends, policy, key, target, resource=named).to_bytes()


def _find_resource(repository: Repository) -> str:
    """Find the URI of a repository by its remote, as SPDX writes it. Raises InvalidInput."""
    from hkgit.audit.tables.rows import find_url

    url = find_url(repository)
    if url is None or not url.startswith(("https://", "file://")):
        fix = "Give the URL: --resource git+https://HOST/PATH"
        raise InvalidInput("--format slsa", "no remote gives the repository's URL", fix)
    return f"git+{url}"


def _sign_entries(repository: Repository, old: str, new: str, key: Path, as_json: bool) -> None:
    from hkgit.workflows.attestation import sign_entries

    refs = sign_entries(repository, old, new, key)
    if as_json:
        signed = [{"entry": f"sha256:{name}", "ref": ref} for name, ref in refs.items()]
        echo_json({"status": "signed", "entries": signed})
    else:
        print_info("signed " + count_noun(len(refs), "entry", "entries"))


def _write(file: str, data: bytes, commits: str, as_json: bool) -> None:
    Path(file).write_bytes(data)
    if as_json:
        echo_json({"status": "attested", "file": file})
    else:
        print_info(f"attested {commits} in {file}")


def _keep(repository: Repository, data: bytes, as_json: bool) -> None:
    from hkgit.gate.attestations.statement import read_envelope, store_envelope

    ref = store_envelope(repository, read_envelope(data))
    if as_json:
        echo_json({"status": "attested", "ref": ref})
    else:
        print_info(f"attested in {ref}")
