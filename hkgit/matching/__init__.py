"""Where an edit's old text stands in a document, and which bytes change there."""

from hkgit.matching.ladder import LADDER, LADDER_VERSION, locate
from hkgit.matching.places import FULL, Located, Place, Settings
from hkgit.matching.transfer import transfer

__all__ = [
    "FULL",
    "LADDER",
    "LADDER_VERSION",
    "Located",
    "Place",
    "Settings",
    "locate",
    "transfer",
]
