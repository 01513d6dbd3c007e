"""written.py: every file of its own that hkgit has ever written for an agent, by its digest.

A file with one of them is as hkgit wrote it, by this version or another: it may be replaced and
taken away. Whoever changes such a file adds its new digest here, and takes none out.
"""

from __future__ import annotations

from hkgit.edits import encode_text
from hkgit.text.hashing import sha256

WRITTEN = frozenset(
    {
        # .agents/plugins/hkgit/hooks/hooks.json
        "d5f719dcf1ba863ea756a699a437feca",
        "7ffc36d08562c4c4a6ade194ce270d5e",
        "3a762e30fd06f88f18a2db1f9a08213b",
        "9fe5b3fb30fd78acf0b9d140c4c50f2e",
        "872d03b5a9126fc54e350bae57ad7064",
        "9d8f19d8fc3f1b8c28dd3bb69e1f9f51",
        # .agents/plugins/hkgit/plugin.json
        "ed37abcd071b46a62ac53c414733c9be",
        # .clinerules/hkgit.md
        "a211a30f57d04d0823ee427839d3a71a",
        # .clinerules/hooks/PostToolUse
        "6b5042b976af408fce9045a99561c1bb",
        "69101b24e357a7da845f2108f4f8693c",
        "72c84f655ebe08bcd525295181456495",
        # .clinerules/hooks/PreToolUse
        "1a6b26fb114f33aded19542495cda268",
        "4974fc7bcf3e631b21b3d055485ae3c3",
        "31b29564726b33dca1fe061ec8d00bfd",
        # .github/hooks/hkgit.json
        "993d405a9385f9aa41261ac8e86988fe",
        "4265aebf023a0b5d0d0659972464d893",
        "17ce46c51f49513241ea480846f370f1",
        "c35098b629238c79300dbe265fcae96c",
        "cd268b61044a7cc56ab4b1eaa2261a89",
        "de781e5c63a5dade276f7321950b16ec",
        # .kilo/plugins/hkgit.js
        "fb2a2430bdda11a1fa0e0fe7eb087529",
        "7cb5650cd7b08411620cb6d90197fb75",
        "72fa4c1ef1ef3526b08a31cb4a819331",
        "bee8162c43b8f63e06763ecfdefc91c9",
        "5979f40ee7f025c531acb93a590b471f",
        "9e09552be8863f334fc6292e42fa5f5e",
        "a7e3010434813d40d9e8ab9f6b1a45b7",
        "b6f537cb8c77217a6fbbf0479fd7c9d7",
        "4b6b3ea0a3d430b040a07d1e329493ed",
        "96c0cad55a2c18959ad1ba2f4224774b",
        # .opencode/plugins/hkgit.js
        "fba7c78e39153796c298aa9ee7ad23d2",
        "8fdf8ca2a354e38181b9624eb14c7dca",
        "c030e150654e70d630d5db533cddadce",
        "f7607c85f2733541fdbaa0b368f54478",
        "040cea550833d303b265679fdad8dd6d",
        "18e2f4b4ed8ebc50a298362acecfc923",
        "3ffd0b3b8b6103d9da02494e11a2903a",
        "443ce5cccf00bda25bf5f457faf4d7d5",
        "4dff0009c1e32f56a342e034577456f0",
        "9454b207b3c9918a72a578b402b4d12e",
        "90e95e7160f629ddfb199147d6843421",
        "979a98ce4ea6d0b13ce8c2af30a861d3",
        # .pi/extensions/hkgit.js
        "daad9d4f0b63ccfd637dee73807a433c",
        "c4fd23f24879b76b53a6cdcdc8a32648",
        "61fb4940eee5fa3e718aa86c1c8015fb",
        "3bbde3df9470804d0c442498b01da65a",
        "f7c1f7541b3365465a1aef4ad3d4a446",
        "fd43cccf248d40dedb44af4e5ca63200",
        "257e9c25a34a58630eddb641fd6f2c8b",
        "38e89e28a29a1c027c5e5e3890d6bdc9",
        "12ac98e669693bc387c74e726d8e46d2",
        "798a2f3da546ffcf51c3473a44b20ba7",
        "9175e786d2f8c1fd967b5be24d7d339d",
        "de47e6d28fc0eb99e10f853cfe2d4c35",
        # ~/.copilot/hooks/hkgit.json
        "2861c0bc340285d5fabbec983b074724",
        "80e40b9e94f910fd8b94ad81d30c86e0",
        # ~/.agents/plugins/hkgit/hooks/hooks.json
        "5168fd29c731937448e4786628d0cd6c",
        "a7053a5731654a2ebb389a6de625f24a",
        # ~/.pi/agent/extensions/hkgit.js
        "3f2ff4a45b8424faedbbbb9d91c7616e",
        "609a0472271dadc8eb859f1a196cc9fa",
        "6d4237fd687d1de32e09d635084b5b0a",
    }
)
"""The first half of the SHA-256 of each."""


def is_ours(text: str) -> bool:
    """Whether a file is as some version of hkgit wrote it."""
    return digest_of(text) in WRITTEN


def digest_of(text: str) -> str:
    return sha256(encode_text(text)).hexdigest()[:32]
