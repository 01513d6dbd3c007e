"""`hkgit policy check` and `gate --explain`: what a policy says, and what it does."""

from tests.support.running import Bench

ORG = "[gate]\nmin_confidence = 0.9\n"


def test_the_built_in_policy_is_said_in_words(bench: Bench) -> None:
    result = bench.run("policy", "check")
    assert result.code == 0
    assert result.out.splitlines()[0] == "built-in policy is valid:"
    assert "- mode: enforce (`enforce` rejects;" in result.out
    for words in (("-q", "policy", "check"), ("policy", "check", "--quiet")):
        quiet = bench.run(*words)
        assert (quiet.code, quiet.out, quiet.err) == (0, "", "")


def test_a_policy_of_a_revision_may_be_looked_at(bench: Bench) -> None:
    bench.repo.commit({".hkgit/config.toml": '[gate]\nmode = "warn"\n'}, "Warn")
    result = bench.run("policy", "check", "--policy", "HEAD:.hkgit/config.toml", "--json")
    said = result.json()
    assert said["status"] == "ok"
    assert said["source"] == "HEAD:.hkgit/config.toml"
    assert said["mode"] == "warn"


def test_a_policy_over_that_of_an_organisation_is_looked_at_with_it(bench: Bench) -> None:
    org = bench.write(ORG, "org.toml")
    bench.repo.write(".hkgit/config.toml", f'[gate]\nextends = "{org}"\naccept = ["hash"]\n')
    result = bench.run("policy", "check")
    assert result.out.startswith(f".hkgit/config.toml over {org} is valid:\n")
    assert "- min_confidence: 0.90 (" in result.out


def test_a_policy_that_is_not_in_order_is_4(bench: Bench) -> None:
    bench.repo.write(".hkgit/config.toml", "[gate]\nroles = {attest = ['ada']}\n")
    result = bench.run("policy", "check", "--json")
    assert (result.code, result.json()["status"]) == (4, "invalid")
    assert "roles: names principals" in result.err


def test_a_policy_without_a_repository_is_7(bench: Bench) -> None:
    assert bench.run("policy", "check", cwd=bench.scratch).code == 7


def test_a_commit_being_made_is_held_to_what_its_branch_takes(bench: Bench) -> None:
    target = '[[gate.targets]]\nrefs = ["refs/heads/main"]\nverdicts = ["strict"]\n'
    bench.repo.commit({".hkgit/config.toml": target}, "Take strict commits alone")
    bench.repo.write("README.md", "By hand\n")
    bench.repo.git("add", "-A")
    on_main = bench.run("gate", "--staged")
    bench.repo.git("switch", "-q", "-c", "topic")
    elsewhere = bench.run("gate", "--staged")
    assert on_main.code == 6
    assert elsewhere.code == 0
    assert "the policy does not accept ungoverned" in on_main.out


# Why


def test_the_rules_are_told_in_the_order_in_which_they_were_tried(history: Bench) -> None:
    result = history.run("gate", "--range", "start..strict", "--explain")
    lines = result.out.splitlines()
    assert result.code == 0
    assert lines[0].endswith("replay strict, policy passes: verdict strict")
    assert lines[1:3] == [
        "     1. govern: governed: it carries ledger entries",
        "     2. replay: strict",
    ]
    assert any(line.startswith("     evidence: ") and "tightness" in line for line in lines)


def test_the_rule_that_decided_is_told(history: Bench) -> None:
    result = history.run("gate", "--range", "start..blind-edit", "--explain", "--format", "json")
    [commit] = result.json()["commits"]
    assert result.code == 6
    assert commit["policy"]["passes"] is False
    assert commit["policy"]["rule"] == "blind"
    tried = [each["rule"] for each in commit["tried"]]
    assert tried[:2] == ["govern", "replay"]
    assert "blind" in tried


def test_only_text_and_json_explain(history: Bench) -> None:
    result = history.run("gate", "--range", "start..good", "--explain", "--format", "sarif")
    assert result.code == 64
    assert "needs --format text or json" in result.out
