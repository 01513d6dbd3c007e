"""ignorable.py: the code points that are not shown, by Unicode's own property.

Generated: the property Default_Ignorable_Code_Point of DerivedCoreProperties.txt, Unicode 14.0.0,
as Perl 5.36 carries it (`\\p{Default_Ignorable_Code_Point}`); a test makes it again where Perl
knows that version.
"""

from __future__ import annotations

VERSION = "14.0.0"

IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""First and last code point of each stretch."""

ANNOTATION = (0xFFF9, 0xFFFB)
"""Marks of interlinear annotation: not in the property, and not shown either."""
