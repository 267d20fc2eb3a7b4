"""The text primitives, each against a table: words, sentences, layout, quotations, dictionaries."""

import re
import sys

import pytest
import regex
from hypothesis import given, settings
from ifbench_cases import texts

from metrics import ifbench
from metrics.ifbench import emoji, layout, lexicon, nesting, words
from metrics.ifbench.delimited import Field, records_of
from metrics.ifbench.sentences import sentences_of, words_in
from metrics.ifbench.syllables import syllables_of
from metrics.ifbench.text import Text
from metrics.ifbench.verbs import is_verb_first
from metrics.ifbench.words import visible


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rain, hail; snow.", ["Rain", "hail", "snow"]),
        ("don't don’t rock'n'roll", ["don't", "don’t", "rock'n'roll"]),
        ("'quoted' “so” (or) [so]", ["quoted", "so", "or", "so"]),
        ("well-known x-ray ran--off -5", ["well-known", "x-ray", "ran", "off", "5"]),
        ("one—two three – four", ["one", "two", "three", "four"]),
        ("3.5 1,200 10:30 12. 1/2", ["3.5", "1,200", "10:30", "12", "1", "2"]),
        ("U.S. e.g. 5 p.m. Ph.D. end.Start", ["U.S", "e.g", "5", "p.m", "Ph.D", "end", "Start"]),
        ("*a* _b_ `c` # d ** • …", ["a", "b", "c", "d"]),
        ("and/or snake_case", ["and", "or", "snake", "case"]),
        ("🌞 sun 1️⃣ ☂ x²", ["sun", "x²"]),
        ("naïve élan हिन्दी", ["naïve", "élan", "हिन्दी"]),
        ("今日は、いい ﾈｺ", ["今日は", "いい", "ﾈｺ"]),
        ("non‑breaking co‐op", ["non‑breaking", "co‐op"]),
        ("... — ?!", []),
    ],
)
def test_words(text, found):
    """A word is a run of letters and digits with what belongs inside it."""
    assert words.joined_words(text) == found


PATTERNS = {words.joined_words: words._JOINED, words.split_words: words._SPLIT, words.tokens_of: words._TOKEN}


@pytest.mark.parametrize("cut", PATTERNS, ids=lambda cut: cut.__name__)
@settings(max_examples=300, deadline=None)
@given(texts())
def test_a_text_in_pieces_has_the_words_of_the_whole(cut, text):
    """What is searched piece by piece gives what the full pattern finds in one search."""
    # The two patterns differ in what they take for white space: four control signs, which are no tokens.
    seen = visible(text).translate(dict.fromkeys(range(0x1C, 0x20), " "))
    assert cut(seen) == PATTERNS[cut][1].findall(seen)


def test_letters_and_digits_alone_are_a_word():
    """Every sign that Python takes for a letter or a digit: a piece of these is not searched."""
    signs = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isalnum()]
    assert words._JOINED[1].fullmatch("".join(signs))
    assert [sign for sign in signs if not words._JOINED[1].fullmatch(sign)] == []
    assert words.joined_words(f"\u2019 {' '.join(signs)}") == signs


@given(texts())
def test_runs_of_letters_and_digits(text):
    """The same with and without other than ASCII signs in the text."""
    assert words.name_runs(text) == re.findall(r"[^\W_]+", text)
    assert words.name_runs("Anna's Emma_Liam (2nd)") == ["Anna", "s", "Emma", "Liam", "2nd"]


def test_parts_of_compounds_can_be_words():
    """Where a compound is several words, its hyphens part it and its apostrophes do not."""
    assert words.split_words("A state-of-the-art don't—x") == ["A", "state", "of", "the", "art", "don't", "x"]


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ("**A**nna <i>saw</i> it", ["Anna", "saw", "it"]),
        ("a&nbsp;b &amp; c", ["a", "b", "c"]),
        ("one<br>two", ["one", "two"]),
        ("2 < 3 and 4 > 3", ["2", "3", "and", "4", "3"]),
        ("e\u0301lan", ["\u00e9lan"]),
    ],
)
def test_markup_is_no_word(raw, found):
    """HTML tags, entities and inner bold marks leave the words whole and add none."""
    assert Text(raw).words == found


@pytest.mark.parametrize(
    "whole",
    [
        "👩\u200d👩\u200d👧 ran",
        "❤\ufe0f",
        "☺\ufe0e",
        "1\ufe0f\u20e3",
        "👍🏽",
        "👩🏽\u200d🚀",
        "🏴\U000e0067\U000e0062\U000e007f",
        "❤\ufe0f\u200d🔥",
    ],
)
def test_emoji_keep_what_makes_them(whole):
    """Joiners between pictographs and selectors behind one are part of an emoji; the same characters elsewhere go."""
    assert words.visible(whole) == whole
    assert words.visible(f"\ufeffa\u200d{whole}\u200d b\ufe0f3\ufe0e") == f"a{whole} b3"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1914-1918", 2),
        ("12,15,18", 3),
        ("1,200", 1),
        ("1,2345", 2),
        ("12,500.75", 1),
        ("3.5", 1),
        ("1/2", 2),
        ("24-7", 2),
        ("1234,567", 2),
        ("H2O", 1),
        ("none", 0),
        ("10:30", 2),
        ("5–7", 2),
    ],
)
def test_numerals(text, count):
    """Thousands commas and one decimal part belong to a numeral; nothing else joins two."""
    assert len(words.numeral_spans(text)) == count


@pytest.mark.parametrize(
    ("word", "letter"), [("Élan", "e"), ("øre", "o"), ("Æon", "a"), ("3rd", ""), ("ñu", "n"), ("日", "日"), ("İ", "i")]
)
def test_first_letters(word, letter):
    """Case and accents are set aside; a digit is no letter."""
    assert words.first_letter(word) == letter


SENTENCES = [
    ("Rain fell. Snow came!", ["Rain fell.", "Snow came!"], ".!"),
    ("Is it? It is", ["Is it?", "It is"], ["?", ""]),
    ('"Stop!" cried the guard. We ran.', ['"Stop!" cried the guard.', "We ran."], ".."),
    ("“Stop!” cried the guard. We ran.", ["“Stop!” cried the guard.", "We ran."], ".."),
    ('"Who?" Ann asked. He left.', ['"Who?" Ann asked.', "He left."], ".."),
    ('He said "Stop!" Then he ran.', ['He said "Stop!"', "Then he ran."], "!."),
    ("She said, “It is blue.” It is.", ["She said, “It is blue.”", "It is."], ".."),
    ("(Is it?) It is.", ["(Is it?)", "It is."], "?."),
    ("He left (was it late?) and slept.", ["He left (was it late?) and slept."], "."),
    ("**Bold.** Then plain.", ["**Bold.**", "Then plain."], ".."),
    ("Dr. Hale met Mrs. Orr. They sat.", ["Dr. Hale met Mrs. Orr.", "They sat."], ".."),
    (
        "See e.g. this. See Fig. 3 and No. 5. No. Yes.",
        ["See e.g. this.", "See Fig. 3 and No. 5.", "No.", "Yes."],
        "....",
    ),
    ("At 5 p.m. the U.S. Army left.", ["At 5 p.m. the U.S. Army left."], "."),
    ("It was 5 p.m. They left the U.S. It rained.", ["It was 5 p.m.", "They left the U.S.", "It rained."], "..."),
    ("J. K. Rowling wrote. Plan B. It works.", ["J. K. Rowling wrote.", "Plan B.", "It works."], "..."),
    ("Jam, tea, etc. and so on. Jam, etc. Then tea.", ["Jam, tea, etc. and so on.", "Jam, etc.", "Then tea."], "..."),
    ("Wait... what? No... Yes.", ["Wait... what?", "No...", "Yes."], "?.."),
    ("It is 3.5 km. Then 1.2.3 stop.", ["It is 3.5 km.", "Then 1.2.3 stop."], ".."),
    ("What?! Really!? So.", ["What?!", "Really!?", "So."], "!?."),
    ('Ok "stop!". Go.', ['Ok "stop!".', "Go."], ".."),
    ("... !!! — ? …", [], ""),
    ("He paused… Then he ate.", ["He paused…", "Then he ate."], ".."),
    ("He paused… then ate. So…", ["He paused… then ate.", "So…"], ".."),
    (
        "“Well…” He left. “Well…” she said. Why…? Oh…!",
        ["“Well…”", "He left.", "“Well…” she said.", "Why…?", "Oh…!"],
        "...?!",
    ),
    ("*So…* Then a…b.", ["*So…*", "Then a…b."], ".."),
    ("One. ... Two.", ["One.", "Two."], ".."),
    ("Sun rose. 🌞 Birds sang.🐦 Ok", ["Sun rose. 🌞", "Birds sang.🐦", "Ok"], [".", ".", ""]),
    ("1. Rain fell.\n2. Snow came.", ["1. Rain fell.", "2. Snow came."], ".."),
    ("# Head\nOne two.\n\nThree", ["# Head\nOne two.", "Three"], [".", ""]),
]


@pytest.mark.parametrize(("text", "pieces", "marks"), SENTENCES, ids=[case[0] for case in SENTENCES])
def test_sentences(text, pieces, marks):
    """Where sentences end when line breaks do not end them, and with which mark."""
    found = sentences_of(text, line_breaks_end=False)
    assert [sentence.text for sentence in found] == pieces
    assert [sentence.mark for sentence in found] == list(marks)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("# Head\nOne two.\nThree", ["# Head", "One two.", "Three"]),
        ("Head\n\nOne\ntwo.", ["Head", "One\ntwo."]),
        ("- one\n- two\n  more\n\n1. three", ["- one", "- two\n  more", "1. three"]),
        ("**Head**\nOne.", ["**Head**", "One."]),
        ("Head\n====\nOne.", ["Head", "One."]),
    ],
)
def test_sentences_that_end_with_the_line(text, pieces):
    """Blank lines, headings and list items end sentences; a soft line break does not."""
    assert [sentence.text for sentence in sentences_of(text, line_breaks_end=True)] == pieces


def test_list_numbers_are_no_words_of_a_sentence():
    """1. and 2) mark items; a number that opens a sentence is a word."""
    assert words_in("12. Rain fell.") == ["Rain", "fell"]
    assert words_in("3) Rain") == ["Rain"]
    assert words_in("12 cats ran.") == ["12", "cats", "ran"]


@pytest.mark.parametrize("text", ["🌞", "☀️", "🇯🇵", "1️⃣", "#️⃣", "👍🏽", "👩‍👩‍👧", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "❤️‍🔥", "©️", "⬛"])
def test_emoji(text):
    """Flags, keycaps, skin tones and joined sequences are one emoji each."""
    assert emoji.is_emoji(text)
    assert emoji.ends_in_emoji("x " + text)


@pytest.mark.parametrize("text", ["", "a", "1", "#", "©", "→", "🇯", "🌞🌞", "☀︎", ":)", "★"])
def test_no_emoji(text):
    """Text signs, half a flag, two emoji and faces of punctuation are none."""
    assert not emoji.is_emoji(text)


def test_emoji_agree_with_unicode():
    """From U+2300 on, a code point is a pictograph here exactly where Unicode gives it the property Emoji."""
    wanted = regex.compile(r"\p{Emoji}")
    regional = range(0x1F1E6, 0x1F200)
    for code in range(0x2300, 0x1FC00):
        if code not in regional:
            assert emoji.is_emoji(chr(code)) == bool(wanted.fullmatch(chr(code))), hex(code)


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# One\ntext", [0]),
        ("text\n## Two ##", [1]),
        ("#tag", [0]),
        ("**One**\ntext **bold**", [0]),
        ("<h2>One</h2>\ntext", [0]),
        ("One\n===\ntext", [0, 1]),
        ("text\nmore\n---\nrest", []),
        ("On Hope\n\nHope feeds hope.", []),
        ("* item\n- item\n**not", []),
    ],
)
def test_headings(text, headings):
    """Markdown, HTML and bold lines are headings; plain text is none."""
    assert [place for place, heading in enumerate(layout.each_heading(text.split("\n"))) if heading] == headings


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("On Hope\n\nHope feeds hope.", [0]),
        ("On Hope and Fear\n\nHope feeds.", [0]),
        ("On hope\n\nHope feeds hope.", []),
        ("On Hope.\n\nHope feeds hope.", []),
        ("On Hope\nHope feeds hope.", []),
        ("Hope Feeds\n\nOn Hope", [0]),
    ],
)
def test_plain_titles(text, titles):
    """Capitalized words above a blank line are a title, if text follows."""
    found = layout.each_heading_or_title(text.split("\n"))
    assert [place for place, heading in enumerate(found) if heading] == titles


@pytest.mark.parametrize(
    ("text", "blocks", "bodies"),
    [
        ("a\n\nb", False, ["a\n\nb"]),
        ("a\n\nb", True, ["a", "b"]),
        ("intro\n# A\na\n# B\n\nb", True, ["\na", "\n\nb"]),
        ("# T\n\n## A\na", False, ["\na"]),
        ("# T", False, []),
        ("<h2>A</h2><i>t</i> x", False, ["<i>t</i> x"]),
        ("# A\na\n---\n", False, ["\na\n"]),
    ],
)
def test_sections(text, blocks, bodies):
    """What a heading opens; without headings the whole text or its blocks; none without a word."""
    assert layout.sections_of(text, blocks) == bodies


@pytest.mark.parametrize(
    ("line", "star", "dash"),
    [
        ("* a", True, False),
        ("  *\ta", True, False),
        ("*a", False, False),
        ("** a", False, False),
        ("* * *", False, False),
        ("- a", False, True),
        ("-a", False, True),
        ("--", False, False),
        ("- - -", False, False),
        ("a - b", False, False),
        ("* **a**", True, False),
        ("* *a*: b", True, False),
        ("* ***a***", True, False),
        ("* `a`", True, False),
        ("* __a__", True, False),
        ("* * a", True, False),
        ("* 2 * 3", True, False),
        ("**a**", False, False),
        ("*a* b", False, False),
        ("* **", False, False),
        ("* ", False, False),
        ("- - a", False, True),
        ("- -5", False, True),
        ("- -- a", False, True),
        ("- \u2013 a", False, True),
        ("- **a**", False, True),
        ("-*a*", False, True),
        ("-- a", False, False),
        ("- ", False, False),
    ],
)
def test_bullets(line, star, dash):
    """One sign and a space for *; one hyphen for -; rules and bold text are neither."""
    assert bool(layout.star_bullet(line)) == star
    assert bool(layout.dash_line(line)) == dash


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("```\na\nb\n```", "a\nb"),
        ("\n```csv\na\n``` \n", "a"),
        ("~~~\na\n~~~", "a"),
        ("x\n```\na\n```", "x\n```\na\n```"),
        ("```\na\n```\nx", "```\na\n```\nx"),
        ("```\na\n```\n```\nb\n```", "```\na\n```\n```\nb\n```"),
        ("a", "a"),
    ],
)
def test_fences(text, inside):
    """Only a fence that holds the whole text is taken off."""
    assert layout.strip_fence(text) == inside


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("none", 0),
        ('"one"', 1),
        ("\"one 'two' one\"", 2),
        ('"one \'two "three" two\' one"', 3),
        ('"one \'two "three"\'"', 3),
        ("'one \"two 'three' two\" one'", 3),
        ("“one ‘two “three” two’ one”", 3),
        ("“one ‘two’s “three” two’ one”", 3),
        ('"don\'t" and "won\'t"', 1),
        ("rock 'n' roll in the '80s", 0),
        ('"one "same" one"', 1),
        ('"one \'two "three', 0),
        ("the dogs' bones and the cats' toys", 0),
        ('a 5\'10" man said "one"', 1),
        ("“one\n\n“still one”", 1),
    ],
)
def test_quotation_depth(text, depth):
    """Double and single marks in turn, each closed; apostrophes, feet and inches are no marks."""
    assert nesting.quote_depth(text, 9) == depth


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ('a "b" c "d"', ["b", "d"]),
        ("“b” and „d“", ["b", "d"]),
        ("“b", []),
        ("the sign '\"' here", []),
        ('5" wide "b"', ["b"]),
    ],
)
def test_quotations(text, inside):
    """Straight and curly marks quote; inches and a sign that is talked about do not."""
    assert [text[start + 1 : end] for start, end in nesting.quotations(text)] == inside


@pytest.mark.parametrize(
    ("text", "depths"),
    [
        ("(a)", [1]),
        ("(a [b {c}])", [3]),
        ("(a) (b (c))", [1, 2]),
        ("( (a)", [1]),
        ("(a]", []),
        ("([a)]", []),
        ("((a)]", [1]),
        (":( and :( but :)", []),
        (") a (", []),
    ],
)
def test_bracket_nests(text, depths):
    """Pairs count when closed by their own kind; a wrong one breaks what is open; faces are no brackets."""
    assert [nest.depth for nest in nesting.bracket_nests(text)] == depths


def _shape(text, delimiter=","):
    return [[(field.value, field.quoted) for field in record] for record in records_of(text, delimiter)]


@pytest.mark.parametrize(
    ("text", "records"),
    [
        ("a,b", [[("a", False), ("b", False)]]),
        ('"a,b",c', [[("a,b", True), ("c", False)]]),
        ('"a ""b""",c', [[('a "b"', True), ("c", False)]]),
        ("a\n\n", [[("a", False)]]),
        ("a\n\nb", [[("a", False)], [("", False)], [("b", False)]]),
        ("a\r\nb", [[("a", False)], [("b", False)]]),
        ('a, "b"', [[("a", False), ("b", True)]]),
        ('"a', [[('"a', False)]]),
        ('"a"b,c', [[("ab", False), ("c", False)]]),
        ('"a\nb",c', [[("a\nb", True), ("c", False)]]),
        (",", [[("", False), ("", False)]]),
        ("", [[("", False)]]),
    ],
)
def test_delimited_records(text, records):
    """Fields know whether they were quoted; blank lines around the table are no records."""
    assert _shape(text) == records


def test_tabs_delimit_too():
    """Any single character can part the fields."""
    assert records_of('"a"\t"b"', "\t") == [[Field("a", True), Field("b", True)]]


@pytest.mark.parametrize(
    ("word", "counts"),
    [
        ("using", {2}),
        ("having", {2}),
        ("changing", {2}),
        ("outcomes", {2}),
        ("fire", {1, 2}),
        ("every", {2, 3}),
        ("Yellow", {2}),
        ("don’t", {1}),
        ("well-known", {2}),
        ("James's", {2}),
        ("wolfing", {2}),
        ("XKCD", {4}),
        ("WWW", {9}),
        ("grimbled", {2}),
        ("blivets", {2}),
        ("3rd", {1, 2}),
    ],
)
def test_syllables(word, counts):
    """Dictionary counts where there are any, in all pronunciations; else by parts, letters or vowels."""
    assert syllables_of(word) == counts


def test_every_word_of_the_dictionaries_is_found():
    """The look-up by halving finds what reading the files line by line finds; every 23rd word is asked for."""
    pronounced = {
        line.split(b" ")[0].split(b"(")[0].decode() for line in lexicon._pronunciations().split(b"\n") if line
    }
    inflected = {line.split(b",")[0].decode() for line in lexicon._inflections().split(b"\n") if line}
    assert len(pronounced) == 126_052
    assert len(inflected) == 69_980
    assert all(lexicon.syllable_counts(word) for word in sorted(pronounced)[::23])
    assert all(lexicon.parts_of_speech(word) for word in sorted(inflected)[::23])
    assert not lexicon.syllable_counts("qqzx")
    assert not lexicon.parts_of_speech("qqzx")
    assert not lexicon.parts_of_speech("\ud800")


def test_a_word_with_many_entries_keeps_them_all():
    """Each part of speech with its base forms."""
    assert lexicon.parts_of_speech("left") == {
        "adj": frozenset({"left"}),
        "adv": frozenset({"left"}),
        "noun": frozenset({"left"}),
        "verb": frozenset({"leave"}),
    }


VERBS = (
    "Run to the store.",
    "Write the proof",
    "Were they home?",
    "**Consider** it",
    "“Build it”",
    "Can you?",
    "Should we go?",
    "Running is fun.",
    "Broken by wind, it fell.",
    "Don’t go",
    "Let's see",
    "Conceive of it",
    "Whirring loudly",
    "Book a room",
    "Water the plants",
    "Thank you",
    "Sit and wait",
    "Set up camp",
    "Try to sing",
    "Stop!",
    "Double-check it",
    "Given the facts",
    "Answer the question",
    "May I?",
    "Add 3 eggs",
    "Tokenize it",
    "- Mix well",
)
OTHERS = (
    "The evidence",
    "Quickly run",
    "I run",
    "To run",
    "Please run",
    "Water is wet",
    "Love conquers all",
    "Sure, I can",
    "Yes, run",
    "Hello",
    "Time flies.",
    "Evidence shows",
    "A run",
    "In 1999",
    "Here is",
    "Books are old",
    "Step 1: mix",
    "May 5",
    "Will Smith is here",
    "Evening came",
    "Well, I know",
    "Answer: yes",
    "It's late",
    "Beautiful day",
    "Once upon a time",
    "Like a bird",
    "Ideas matter",
    "42",
    "Change is good",
)


# Parted by bars, wherever a line ends.
COMMANDS = """
Text me when you land. | Text your mom. | Text Mom now. | Refactor this function. | Refactor legacy code first.
| Photoshop the sky out. | Photoshop images with care. | Sauté the onions. | Sauté onions in butter. | Saute it.
| Google it. | Yeet the ball. | Airdrop me the file. | DM me. | Venmo him ten dollars. | Facetime your aunt. |
Email the team. | Slack me the notes. | Tweet about it. | Research the topic. | Research local options before
you go. | Mark the page. | Mark your calendar. | Set the table. | Set goals that matter. | Set limits that are
fair. | Watch shows that make you laugh. | Plan walks in the park. | Check whether it is on. | Look at the
people who are here. | Focus on what is next. | Note that this is new. | Show people how it works. | Visit Paris
when it is warm. | Use tools that are sharp. | Book flights early. | Clean water tanks weekly. | Open the door.
| Dry the dishes. | Cook what you love. | Work with people who are kind. | Think about why love is blind. | Go
where life is good. | Unfollow her. | Air-fry the wings. | Upvote this post. | Screenshot this. | Skype me at
noon. | Zoom in. | Debug the code. | Help students who need it. | Love thy neighbor. | Love your work. |
Exercise daily. | Exercise for an hour. | Name three things that are blue. | Name a bird. | Record what is said.
| Cut carbs. | Plan ahead since time is short. | Turn left when the light is red. | Ask who is there. | Guess
who is here. | Guess which is best. | Microwave it. | Reboot your phone. | Crowdsource ideas. | Livestream the
show. | Take breaks. | Make plans. | Read books slowly. | Travel while life is good. | Walk to the store. |
Drink water. | Rest. | Study hard. | Run errands. | Play games. | Sleep well. | Smile! | Dance like nobody is
watching. | Live as if time is short. | Walk and talk. | Hope for rain. | Plant trees where soil is deep. | Text
MOM.
"""
SUBJECTS = """
Research shows that sleep helps. | Research shows promise. | Research has shown it. | Research in the field has
shown this. | Research on sleep is new. | Research conducted in 2020 was new. | Mark Twain was a writer. | Mark
Twain wrote it. | Mark Twain famously wrote it. | Grace Hopper invented it. | Grace Kelly was a star. | Bill
Gates is rich. | Set theory is hard. | Set theory helps students. | Set theory was new. | Open source software
is free. | Clean water is vital. | Clean energy has grown. | Dry skin needs care. | Cold water is nice. |
Exercise helps the heart. | Exercise makes people happy. | Practice makes perfect. | Sleep is good. | Sleep
helps memory. | Text messages are short. | Text is long. | Photoshop is a program. | Photoshop was made in 1990.
| Google was founded in 1998. | Google Maps is an app. | Alexander the Great won. | Winnie the Pooh is here. |
With the dog | In my view | Today the sun shines. | Today it rains. | Monday the shop is closed. | Things you
should know | Everything you need is here. | Love is blind. | Love means never | Study results are in. | Work on
the bridge was hard. | Group work helps students. | Run time errors are common. | Cast iron pans are heavy. |
Light travels fast. | Hello everyone | Hi everyone | Hey you | Oh my | Because it rains | Unless you go | That's
the way | It's a dog | I'm the boss | Will Smith is here | Time flies. | Change is hard. | Change management
processes are slow. | Rose petals are soft. | Drew Barrymore is here. | Frank Sinatra sang. | Pat Benatar was
great. | Rob Lowe is an actor. | May flowers are nice. | Book clubs are fun. | Book sales were low. | Cook
Islands is a country. | Ford cars are old. | Fast food is bad. | Slow cookers are handy. | Warm weather is here.
| Smart homes are new. | London is big. | Paris, the capital | Guard dogs are loud. | Water was cold. | Access
to care is vital. | Care for pets is work. | Talk is cheap. | Play is learning. | Walks are fun. | Jack London
wrote it. | Jack London, a writer, went north. | Research suggests that it works. | Design matters. | Trade
between nations has grown. | Stress can kill. | Cloud storage is cheap. | Email is fast. | Email has changed
work. | Text Editor was new. | Zoom is a platform. | Everything is new
"""


def listed(text):
    return [" ".join(piece.split()) for piece in text.split("|")]


@pytest.mark.parametrize("text", [*VERBS, *listed(COMMANDS)])
def test_verb_first(text):
    """Imperatives, auxiliaries, modal verbs, gerunds and participles, under markup or quotes."""
    assert is_verb_first(text)


@pytest.mark.parametrize("text", [*OTHERS, *listed(SUBJECTS)])
def test_no_verb_first(text):
    """Nouns, names, adverbs and particles, also where the form could be a verb elsewhere."""
    assert not is_verb_first(text)


VERDICTS = [
    ("custom:multiples", {}, "14, 21, 28, 35, 42, and 49", "ok", 6),
    ("custom:multiples", {}, "14, 21, 28, 35, 42, or 49", "words-around", "or"),
    ("custom:date_format_list", {}, "1793-09-18, 1815-06-18", "ok", 2),
    ("custom:date_format_list", {}, "1793-09-18, 1792-12-31", "wrong-year", 1792),
    ("custom:date_format_list", {}, "1793-09-18, 1816-01-01", "wrong-year", 1816),
    ("custom:word_reverse", {}, "eagle bald", "ok", None),
    ("custom:word_reverse", {}, "Eagle bald soars", "reads-forward", None),
    ("format:list", {"sep": "!?!?"}, "!?!? a\n!?!?", "too-few", 1),
    ("format:list", {"sep": "!?!?"}, "!?!? a\n!?!? b", "ok", 2),
    ("format:list", {"sep": "-"}, "- a\n- - -\n- b", "ok", 2),
]


@pytest.mark.parametrize(
    ("instruction", "kwargs", "answer", "code", "observed"), VERDICTS, ids=[f"{row[0]} {row[2]}" for row in VERDICTS]
)
def test_verdicts_at_the_borders(instruction, kwargs, answer, code, observed):
    """The first and the last year, one word more, an item that is empty, a rule between items."""
    verdict = ifbench.verify(instruction, kwargs, answer, grader="proposed")
    assert (verdict.code, verdict.observed) == (code, observed)


@pytest.mark.parametrize("word", ["a" * 61, "ы" * 200_000, "İ" * 40])
def test_words_that_no_dictionary_has_are_not_kept(word):
    """What is looked up is remembered for the next answer: of an endless word that would be its whole text."""
    caches = [lexicon._syllable_counts, lexicon._parts_of_speech]
    before = [cache.cache_info().misses for cache in caches]
    assert syllables_of(word)
    assert not lexicon.syllable_counts(word.casefold())
    assert not lexicon.parts_of_speech(word.casefold())
    assert [cache.cache_info().misses for cache in caches] == before


def test_the_dictionaries_have_no_longer_words():
    """Only what is longer than each of their words is not looked up."""
    first = [
        line.split(sign)[0]
        for table, sign in ((lexicon._pronunciations(), b" "), (lexicon._inflections(), b","))
        for line in table.split(b"\n")
    ]
    assert 20 < max(map(len, first)) < lexicon._LONGEST
