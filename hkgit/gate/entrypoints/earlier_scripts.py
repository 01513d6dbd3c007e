"""earlier_scripts.py: the hooks that earlier versions of hkgit wrote, known by their hashes."""

from __future__ import annotations

import re

from hkgit.values import late_pattern

FORMER = {
    "pre-commit": frozenset(
        {
            "14fdf0d753edf60a6db5887c234349ff0b47aedf6b4c522ceb6520dc666480ec",
            "f9ff1833ad99d7ffc61af93ed183b623bbb1acd457c65407f3aabfe5033d1fec",
            "7fa478bc0d347672e64b9b4b7d0ddb03addb6a23c9621c6d682e23dae88a84d7",
            "9140ae7f370d578f563d030ac1c69ab8a354d2d173f9db9957a759dc0a9908a9",
            "0efb664924408358ca7dba4a7a144c2d54370e52fc79b3fe43849b3e79b79948",
        }
    ),
    "pre-merge-commit": frozenset(
        {
            "e305141f53cb3878e16edc9d7371ff7c51d3c4516f58bb52340b1eec7d319985",
            "52c436bcd0fe7ce3484aa6259b3d4c50405ecbf116862640eabc8466c3c1213b",
        }
    ),
    "prepare-commit-msg": frozenset(
        {
            "6a0a952a31934d4351c62683e31e589e7825b91ac124869842c3e3a1497c1af3",
            "0992eb9a60f8b61335f8872a2eeb849c1910ec8257ba7cf9f1cccf355aaae2b9",
            "eb88d9c1f8a68b4bbb33128f7b5a6d8a4bddafe050459d9062130adb42de8a54",
        }
    ),
    "commit-msg": frozenset(
        {
            "bf9277b7f2d6c7a8a8ca7288f7a6ab08c8f647a2d6d96dbd8d859a0e5e67a8d8",
            "5b615825b2fe93b670609d5ef5fa47ef5a469ec5f22bae2d84aebb369f72edb2",
            "b0d02026dcb009723989713b67a71eb59e0552ab148d588be5a904146b58d35f",
            "4e59e2dedd1f9266af7876a4e9a0ee645bb2cacc913d79efbff645131c37b403",
            "f6151da170ac36c04eb2c184dfde79f54d57b79fb668c6e1524f436ae7654e0d",
        }
    ),
    "post-commit": frozenset(
        {
            "3cb464efeba3d2e0de5279cf17e6270d9bac94efdc2aae7a66f989d8ac6e41c9",
            "ad66b5f2a7832cb8038f5527c5fcabaf22f48d31de415b8dd8c7b79fba5b1347",
        }
    ),
    "pre-push": frozenset(
        {
            "944bb41f7f873e16ad3422d6b7b0db7e7a1e19f2a5cce65f83434034157f77e2",
            "f9da7ebf69ae7c24e005b5687d831e0e7a04ad04d36c7c3fdcd86b6aa1ee6f99",
            "9e26e0d8f5bc3cede5f99e6b9cf42ab9c19ace9ebbd5c93f1691b541040ad71e",
        }
    ),
    "reference-transaction": frozenset(
        {
            "ad122cc41c6d981534bd4c3c2989844659728c34e63b6cb4397eabe14c4da40f",
            "26a5440d91ecaef05038c07885a75cea2bba4e498c8150959269cbd4b948d9bf",
        }
    ),
    "pre-receive": frozenset(
        {
            "9e596274a571a6ba1d2357447cdf24cd072d803a0bd636f9aece4bfeb310a29d",
            "86670fb5b8ae8bfd60ef49c5294552eb1a1127dedd367fde3feb7901a003f1c8",
        }
    ),
}
"""SHA-256 of the hooks that an older hkgit wrote, without the interpreter recorded in them."""

RECORDED = late_pattern(rb"^python=.*$", re.MULTILINE)
"""The line of a hook that names the interpreter, left out of what is hashed."""
