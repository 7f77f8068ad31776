"""Rules in words and as small tables: plain ones, layered ones, and how judgements are weighted."""

from hebbarium.rules.words.blame import blame_in_words, eligibility_in_words
from hebbarium.rules.words.layers import etas_in_words, family, in_words
from hebbarium.rules.words.picture import picture
from hebbarium.rules.words.plain import KINDS, PAIRS, SITUATIONS, association, half_family, half_words, note, situation

__all__ = [
    "KINDS",
    "PAIRS",
    "SITUATIONS",
    "association",
    "blame_in_words",
    "eligibility_in_words",
    "etas_in_words",
    "family",
    "half_family",
    "half_words",
    "in_words",
    "note",
    "picture",
    "situation",
]
