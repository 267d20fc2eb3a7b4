"""The quick way past words that cannot be abbreviations finds the same sentences as the long way."""

from hypothesis import given, settings
from hypothesis import strategies as st
from ifbench_cases import texts

from metrics.ifbench import sentences
from metrics.ifbench.sentences import sentences_of

_WRITTEN = """
Echo. Mr. mr Dr. e.g. i.e. U.S. p.m. etc. xi. II. iv. No. no. Fig. example.com. a. B. Ph.D. Jr. Inc. dept. viz.Co
x.y.z. vol. 5 st. the The and ran! "No." (yes.) 3. 12. 'Stop!' naïve. é. ² İ. said Ann ... ?! \u2019 \u201d *b.* _c._
"""
PIECES = tuple(_WRITTEN.split())


class _Everything:
    """A set that holds whatever it is asked about, so that no word takes the quick way."""

    def __contains__(self, _):
        return True


def _long_way(text, line_breaks_end):
    kept = sentences._TAILS
    sentences._TAILS = _Everything()
    try:
        return sentences_of(text, line_breaks_end)
    finally:
        sentences._TAILS = kept


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(["", " ", "  ", "\n", "\n\n"])), max_size=20).map(
        lambda pairs: "".join(piece + space for piece, space in pairs)
    )
    | texts(),
    st.booleans(),
)
def test_the_quick_way_changes_no_sentence(text, line_breaks_end):
    """Same pieces, same marks."""
    assert sentences_of(text, line_breaks_end) == _long_way(text, line_breaks_end)


def test_a_broken_quick_way_would_be_seen():
    """With no ending known, an abbreviation would end its sentence."""
    kept = sentences._TAILS
    try:
        sentences._TAILS = frozenset()
        assert len(sentences_of("See Prof. Berg.", True)) == 2
    finally:
        sentences._TAILS = kept
    assert len(sentences_of("See Prof. Berg.", True)) == 1
