"""question.py: let the shell ask, before Python starts, whether the judge lets such a commit pass.

A local cache, never used as evidence, beside that of `remembering`: no server, no CI and no
`verify` reads it. Of a person's commits one script both keeps and asks: what it prints is all that
the answer depends on, and Python never writes that text by itself. Of a commit with entries it
reads what `remembering` left. Where the script is in doubt, Python is asked.
"""

from __future__ import annotations

import os

from hkgit import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hkgit.git.facts import Facts

SCRIPT, ANSWERS = "hkgit/ask", "hkgit/passed"
"""In the git directory: the script, and what it printed of commits that passed."""
LAST = "hkgit/last"
"""There too: the branch on which commit-msg has let a person's commit pass, till the next one."""
RECORDED = "hkgit/recorded"
"""There too: of the commit with entries that pre-commit judged last, in a line each what tells it
from others, then its trailers."""
_HARMLESS = ("HKGIT_SESSION", "HKGIT_REAL_EDITS")
"""Variables that the judge does not heed, and that say nothing of where edits wait."""
_ASSIGNED, _QUOTED = b"kept='%s'\n", b"'\\''"
"""What the script runs to know the answers, and how a quote stands in them."""
_MOST = 8
_LONGEST = 2**16

_TEXT = """\
# Whether hkgit's judge has let such a commit pass in this clone: a person's, or the one with
# entries that pre-commit has just judged, whose plain message is signed here. A cache that hkgit
# writes, and that may be deleted. Arguments: none, or `message FILE`, or `print`.
place=${GIT_DIR:-.git}
[ -d "$place" ] && [ ! -L "$place/HEAD" ] && [ ! -e "$place/MERGE_HEAD" ] || exit 1
[ ! -e "$place/commondir" ] && [ ! -e "$place/info/grafts" ] || exit 1
is_persons=
[ -e "$place/hkgit/sessions/.waiting" ] || [ -e .hkgit/local/sessions/.waiting ] ||
    [ -n "@SHELLS@" ] || is_persons=1
# What sessions edited can only be signed here, where pre-commit has judged it.
[ -n "$is_persons" ] || { [ "$1" = message ] && [ -f "$place/@RECORDED@" ]; } || exit 1
unset @HARMLESS@
read -r head <"$place/HEAD" || exit 1
case $head in
    'ref: refs/heads/.'*) exit 1 ;;
    'ref: refs/heads/'*) ;;
    *) exit 1 ;;
esac
# What commit-msg will be asked of, pre-commit need not ask: so it is while commit-msg has answered
# for the commit before, on this branch. Each such answer is used once.
last=
if [ -z "$1" ] && [ -z "$HKGIT_STATE" ] && [ -f "$place/@LAST@" ]; then
    read -r last <"$place/@LAST@"
    [ "$last" != "$head" ] || { echo 2>/dev/null >"$place/@LAST@" && exit 0; }
fi
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
# Whether trailers cannot be put below a message without a closer look; `foot` is what the last
# paragraph has of a trailer's looks.
is_odd= foot= above= below=
look_at() {
    case $1 in
        *[!\\ -~]*|'#'*|---*|*[Hh][Kk][Gg][Ii][Tt]-*) is_odd=1 ;;
        *[!\\ ]*) case $below$1 in 1*:*|1\\ *|1'('*) foot=1 ;; esac ;;
        *) foot='' below=1; [ -n "$above" ] || is_odd=1 ;;
    esac
    above=$1
}
if [ "$1" = message ]; then
    left=30
    while IFS= read -r line || { [ -n "$line" ] && is_odd=1; }; do
        ! is_telling "$line" || exit 1
        look_at "$line"
        left=$((left - 1))
        [ $left -gt 0 ] || { is_odd=1 line=$(cat) && ! is_telling "-$line" || exit 1; }
    done <"$2" || exit 1
fi

nl='
' keeps_ledger=
tree=$(export -p && exec git -c core.fsmonitor=false write-tree 2>/dev/null) || exit 1
case $tree in *HKGIT_*|*GITHEAD_*) exit 1 ;; esac
tree=${tree##*"$nl"}
format='%(objectname) %(objecttype)'
said=$(exec git -c core.fsmonitor=false cat-file --batch-check="$format" 2>/dev/null <<END
HEAD^{commit}
HEAD^{tree}
HEAD:@POLICY1@
HEAD:@POLICY2@
HEAD:@LEDGER@
$tree:@LEDGER@
END
) || exit 1
{ read -r parent; read -r before; read -r one; read -r two; read -r old; read -r new; } <<END
$said
END
case $before in "$tree tree") exit 1 ;; *' tree') ;; *) exit 1 ;; esac
[ -n "$new" ] || exit 1
[ "${old#HEAD}" != "${new#"$tree"}" ] || keeps_ledger=1
[ "$is_persons" = "$keeps_ledger" ] || exit 1
said=$(exec git -c core.fsmonitor=false var -l 2>/dev/null) || exit 1
mark="${nl}GIT_AUTHOR_IDENT=" marked="${nl}GIT_COMMITTER_IDENT="
# A value of several lines may look like a name.
case $said in *"$mark"*"$mark"*|*"$marked"*"$marked"*) exit 1 ;; esac
case $said in *"$mark"*) author=${said#*"$mark"} ;; *) exit 1 ;; esac
case $said in *"$marked"*) committer=${said#*"$marked"} ;; *) exit 1 ;; esac
author=${author%%"$nl"*} committer=${committer%%"$nl"*}
author=${author% * *} committer=${committer% * *}
if [ -z "$keeps_ledger" ]; then
    case $is_odd$foot$said in 1*|*core.comment*) exit 1 ;; esac
    case $above in *[!\\ ]*) ;; *) exit 1 ;; esac
    lines=
    {
        for known in @VERSION@ "${head#ref: }" "$author" "$committer" "$parent" "$tree" '#'; do
            IFS= read -r line && [ "$line" = "$known" ] || exit 1
        done
        while IFS= read -r line; do lines=$lines$line$nl; done
    } <"$place/@RECORDED@" || exit 1
    [ -n "$lines" ] && printf '\\n%s' "$lines" >>"$2"
    exit
fi
judge=$(command -v hkgit || echo; exec ls -liL @SELF@ 2>/dev/null) || exit 1
said="
$head
$author
$committer
$one
$two
$judge
."
[ "$1" != print ] || { printf '%s\\n' "$said"; exit 0; }
kept=
[ -f "$place/@ANSWERS@" ] && . "$place/@ANSWERS@" || exit 1
case $kept in *"$said"*) ;; *) exit 1 ;; esac
[ "$1" != message ] || echo "$head" 2>/dev/null >"$place/@LAST@"
exit 0
"""


def keep_question(facts: Facts) -> None:
    """Let the shell know that such a commit passes, if it does not yet."""
    from hkgit.git.facts import run_shell

    if not _is_plain(facts) or _is_kept(facts):
        return
    keep_script(facts.git_dir)
    answer = os.fsencode(run_shell(f"{facts.git_dir}/{SCRIPT}", "print"))
    if answer.count(b"\n") > 8 and len(answer) < _LONGEST:
        kept = [each for each in _answers(facts) if each != answer]
        answers = b"".join([answer, *kept][:_MOST])
        replace_file(f"{facts.git_dir}/{ANSWERS}", _ASSIGNED % answers.replace(b"'", _QUOTED))


def keep_script(git_dir: str) -> None:
    """Leave the script, as this hkgit asks, in a git directory."""
    place, text = f"{git_dir}/{SCRIPT}", os.fsencode(_script())
    if not os.path.exists(place) or _read(place) != text:
        replace_file(place, text)


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
    inode, program = os.stat(_package()).st_ino, _find_hkgit()
    who = f"\nref: {facts.ref}\n{facts.author}\n{facts.committer}\n"
    marks = [*map(os.fsencode, (who, f"\n{inode} ", f"\n{program}\n"))]
    return any(all(mark in each for mark in marks) for each in _answers(facts))


def _find_hkgit() -> str:
    """Find the program that `command -v hkgit` prints; "" for none."""
    for place in os.environ.get("PATH", "").split(os.pathsep):
        program = f"{place}/hkgit"
        if place and os.path.isfile(program) and os.access(program, os.X_OK):
            return program
    return ""


def _answers(facts: Facts) -> list[bytes]:
    try:
        content = _read(f"{facts.git_dir}/{ANSWERS}")
    except FileNotFoundError:
        return []
    kept = content.replace(_QUOTED, b"'").removeprefix(_ASSIGNED.partition(b"%s")[0])
    return [each + b"\n.\n" for each in kept.split(b"\n.\n")[:-1]]


def _script() -> str:
    from hkgit.git.facts import AGENT_SHELLS, GOOSE_SESSION, LEDGER, POLICIES

    quoted = "'" + _package().replace("'", "'\\''") + "'"
    # Whether goose's variable means its shell, Python finds out.
    shells = "".join(f"${{{name}-}}" for name in (*AGENT_SHELLS, GOOSE_SESSION))
    text = (
        _TEXT.replace("@ANSWERS@", ANSWERS)
        .replace("@RECORDED@", RECORDED)
        .replace("@LAST@", LAST)
        .replace("@VERSION@", __version__)
        .replace("@HARMLESS@", " ".join(_HARMLESS))
        .replace("@POLICY1@", POLICIES[0])
        .replace("@POLICY2@", POLICIES[1])
        .replace("@SHELLS@", shells)
    )
    return text.replace("@LEDGER@", LEDGER).replace("@SELF@", quoted)


def _package() -> str:
    """A file that every installation of hkgit makes anew."""
    import hkgit

    return os.path.abspath(hkgit.__file__)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_MOST * _LONGEST)


def replace_file(path: str, data: bytes) -> None:
    """Write a file in one step: two commits of one clone may end at the same time."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "wb") as file:
        file.write(data)
    os.replace(f"{path}.{os.getpid()}", path)
