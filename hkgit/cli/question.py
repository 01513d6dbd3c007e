"""question.py: let the shell ask, before Python starts, whether the judge lets such a commit pass.

A local cache, never used as evidence, beside that of `remembering`: no server, no CI and no
`verify` reads it. One script both keeps and asks: what it prints is all that the answer depends on,
and Python never writes that text by itself. Where the script is in doubt, Python is asked.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.facts import Facts

SCRIPT, ANSWERS = "hkgit/ask", "hkgit/passed"
"""In the git directory: the script, and what it printed of commits that passed."""
_HARMLESS = ("HKGIT_SESSION", "HKGIT_REAL_EDITS")
"""Variables that the judge does not heed, and that say nothing of where edits wait."""
_ASSIGNED, _QUOTED = b"kept='%s'\n", b"'\\''"
"""What the script runs to know the answers, and how a quote stands in them."""
_MOST = 8
_LONGEST = 2**16

_TEXT = """\
# Whether hkgit's judge has let such a commit of a person pass in this clone; a cache that
# hkgit writes, and that may be deleted. Arguments: none, or `message FILE`, or `print`.
place=${GIT_DIR:-.git}
[ -d "$place" ] && [ ! -L "$place/HEAD" ] && [ ! -e "$place/MERGE_HEAD" ] || exit 1
[ ! -e "$place/commondir" ] && [ ! -e "$place/info/grafts" ] || exit 1
[ ! -e "$place/hkgit/sessions/.waiting" ] && [ ! -e .hkgit/local/sessions/.waiting ] || exit 1
unset @HARMLESS@
[ -z "@SHELLS@" ] || exit 1
read -r head <"$place/HEAD" || exit 1
case $head in
    'ref: refs/heads/.'*) exit 1 ;;
    'ref: refs/heads/'*) ;;
    *) exit 1 ;;
esac
export LC_ALL=C GIT_NO_REPLACE_OBJECTS=1 GIT_NO_LAZY_FETCH=1 GIT_OPTIONAL_LOCKS=0
export GIT_TERMINAL_PROMPT=0

# Every process is felt, a copy of the shell too: short messages are read without any.
is_telling() {
    case $1 in
        [Ss]igned-off-by:\\ *-*) return 0 ;;
        [Ss]igned-off-by:\\ *) return 1 ;;
        *-[Bb][Yy]*|*[Rr][Ee][Vv][Ee][Rr][Tt][Ss]\\ [Cc][Oo][Mm][Mm][Ii][Tt]*) return 0 ;;
    esac
    [ ${#1} -gt 60000 ]
}
if [ "$1" = message ]; then
    left=30
    while IFS= read -r line || [ -n "$line" ]; do
        ! is_telling "$line" || exit 1
        left=$((left - 1))
        [ $left -gt 0 ] || { line=$(cat) && ! is_telling "-$line" || exit 1; }
    done <"$2" || exit 1
fi

nl='
'
tree=$(export -p && exec git -c core.fsmonitor=false write-tree 2>/dev/null) || exit 1
case $tree in *HKGIT_*|*GITHEAD_*) exit 1 ;; esac
tree=${tree##*"$nl"}
format='%(objectname) %(objecttype)'
said=$(exec git -c core.fsmonitor=false cat-file --batch-check="$format" 2>/dev/null <<END
HEAD^{tree}
HEAD:@POLICY1@
HEAD:@POLICY2@
HEAD:@LEDGER@
$tree:@LEDGER@
END
) || exit 1
{ read -r before; read -r one; read -r two; read -r old; read -r new; } <<END
$said
END
case $before in "$tree tree") exit 1 ;; *' tree') ;; *) exit 1 ;; esac
[ -n "$new" ] && [ "${old#HEAD}" = "${new#"$tree"}" ] || exit 1
said=$(exec git -c core.fsmonitor=false var -l 2>/dev/null) || exit 1
mark="${nl}GIT_AUTHOR_IDENT=" marked="${nl}GIT_COMMITTER_IDENT="
# A value of several lines may look like a name.
case $said in *"$mark"*"$mark"*|*"$marked"*"$marked"*) exit 1 ;; esac
case $said in *"$mark"*) author=${said#*"$mark"} ;; *) exit 1 ;; esac
case $said in *"$marked"*) committer=${said#*"$marked"} ;; *) exit 1 ;; esac
author=${author%%"$nl"*} committer=${committer%%"$nl"*}
judge=$(command -v hkgit || echo; exec ls -liL @SELF@ 2>/dev/null) || exit 1
said="
$head
${author% * *}
${committer% * *}
$one
$two
$judge
."
[ "$1" != print ] || { printf '%s\\n' "$said"; exit 0; }
kept=
[ -f "$place/@ANSWERS@" ] && . "$place/@ANSWERS@" || exit 1
case $kept in *"$said"*) exit 0 ;; esac
exit 1
"""


def keep_question(facts: Facts) -> None:
    """Let the shell know that such a commit passes, if it does not yet."""
    from hkgit.git.facts import run_shell

    if not _is_plain(facts) or _is_kept(facts):
        return
    script = f"{facts.git_dir}/{SCRIPT}"
    text = os.fsencode(_script())
    replace_file(script, text)
    said = os.fsencode(run_shell(script, "print"))
    if said.count(b"\n") > 8 and len(said) < _LONGEST:
        kept = [each for each in _answers(facts) if each != said]
        answers = b"".join([said, *kept][:_MOST])
        replace_file(f"{facts.git_dir}/{ANSWERS}", _ASSIGNED % answers.replace(b"'", _QUOTED))


def _is_plain(facts: Facts) -> bool:
    """Whether the script would answer at all here."""
    from hkgit.git.facts import find_agent_shell

    is_linked = os.path.lexists(f"{facts.git_dir}/commondir")
    own = any(name.startswith("HKGIT_") for name in os.environ if name not in _HARMLESS)
    return facts.ref != "" and not is_linked and not own and find_agent_shell() is None


def _is_kept(facts: Facts) -> bool:
    """Whether there is an answer for such a commit, as far as can be seen without the script."""
    if not os.path.exists(f"{facts.git_dir}/{SCRIPT}"):
        return False
    inode = f"\n{os.stat(_package()).st_ino} "
    known = (f"\nref: {facts.ref}\n{facts.author}\n{facts.committer}\n", inode, f"\n{_found()}\n")
    marks = [*map(os.fsencode, known)]
    return any(all(mark in each for mark in marks) for each in _answers(facts))


def _found() -> str:
    """What `command -v hkgit` says."""
    for place in os.environ.get("PATH", "").split(os.pathsep):
        program = f"{place}/hkgit"
        if place and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return ""


def _answers(facts: Facts) -> list[bytes]:
    try:
        with open(f"{facts.git_dir}/{ANSWERS}", "rb") as file:
            said = file.read(_MOST * _LONGEST)
    except FileNotFoundError:
        return []
    kept = said.replace(_QUOTED, b"'").removeprefix(_ASSIGNED.partition(b"%s")[0])
    return [each + b"\n.\n" for each in kept.split(b"\n.\n")[:-1]]


def _script() -> str:
    from hkgit.git.facts import AGENT_SHELLS, LEDGER, POLICIES

    quoted = "'" + _package().replace("'", "'\\''") + "'"
    text = (
        _TEXT.replace("@ANSWERS@", ANSWERS)
        .replace("@HARMLESS@", " ".join(_HARMLESS))
        .replace("@POLICY1@", POLICIES[0])
        .replace("@POLICY2@", POLICIES[1])
        .replace("@SHELLS@", "".join(f"${{{name}-}}" for name in AGENT_SHELLS))
    )
    return text.replace("@LEDGER@", LEDGER).replace("@SELF@", quoted)


def _package() -> str:
    """A file that every installation of hkgit makes anew."""
    import hkgit

    return os.path.abspath(hkgit.__file__)


def replace_file(path: str, data: bytes) -> None:
    """Write a file in one step: two commits of one clone may end at the same time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "wb") as file:
        file.write(data)
    os.replace(f"{path}.{os.getpid()}", path)
