"""Known wrong versions of `bpe`: texts changed before they are encoded, what is given otherwise."""

from grader.kit import Mistake

TRAINED = '    ids = list(text.encode("utf-8"))\n    merges:'
ENCODED = '    ids = list(text.encode("utf-8"))\n    for new_id, pair'
JOINED = '    data = b"".join(tokens[each] for each in ids)\n'
DECODED = 'data.decode("utf-8", errors="replace")'


def normalized(form: str) -> tuple[tuple[str, str], tuple[str, str]]:
    """Both functions begin with that normal form of their text."""
    line = f'    import unicodedata\n\n    text = unicodedata.normalize("{form}", text)\n'
    return (TRAINED, line + TRAINED), (ENCODED, line + ENCODED)


COMPOSED, COMPATIBLE = normalized("NFC"), normalized("NFKC")

MISTAKES = [
    Mistake(
        "ids-expanded-in-place",
        find=JOINED,
        replace="    ids[:] = [byte for each in ids for byte in tokens[each]]\n    data = bytes(ids)\n",
        says="decode takes the merged tokens apart in the caller's list of ids, which holds bytes then. It "
        "belongs to the caller: work on a copy, list(ids), or collect the bytes in a list of your own.",
    ),
    Mistake(
        "merges-as-a-dict",
        find="    return merges\n",
        replace="    return {pair: 256 + i for i, pair in enumerate(merges)}\n",
        says="train_bpe gives a dict from pairs to ids, as minbpe does. Asked for is the list of the "
        "pairs, first learned first: a merge's place tells its id.",
    ),
    Mistake(
        "text-composed",
        find=COMPOSED[0][0],
        replace=COMPOSED[0][1],
        also=(COMPOSED[1],),
        says="You normalize the text to NFC, which composes letters and their accents. Every text "
        "comes back as it was: its bytes are encoded as they are.",
    ),
    Mistake(
        "text-normalized",
        find=COMPATIBLE[0][0],
        replace=COMPATIBLE[0][1],
        also=(COMPATIBLE[1],),
        says="You normalize the text to NFKC, as SentencePiece does: ligatures, for example, become "
        "their letters. Every text comes back as it was: its bytes are encoded as they are.",
    ),
    Mistake(
        "space-put-in-front",
        find=ENCODED,
        replace=ENCODED.replace("text.encode", '(" " + text).encode'),
        says="encode puts a space in front of the text, as some tokenizers do, and decode gives it "
        "back. The bytes are those of the text alone.",
    ),
    Mistake(
        "text-stripped-before-encoding",
        find=ENCODED,
        replace=ENCODED.replace("text.encode", "text.strip().encode"),
        says="encode drops white space at the ends of the text. It is a part of the text, which comes "
        "back as it was.",
    ),
    Mistake(
        "encoded-in-lower-case",
        find=ENCODED,
        replace=ENCODED.replace("text.encode", "text.lower().encode"),
        says="encode turns the text into lower case. Capitals are a part of the text, which comes back "
        "as it was.",
    ),
    Mistake(
        "tokens-joined-by-spaces",
        find=JOINED,
        replace=JOINED.replace('b""', 'b" "'),
        says="decode puts a space between the tokens. They are pieces of bytes, of words and "
        "characters too: join them with nothing between.",
    ),
    Mistake(
        "bad-bytes-as-escapes",
        find=DECODED,
        replace=DECODED.replace("replace", "backslashreplace"),
        says='Where the bytes are no UTF-8 your decode writes them as \\x… (errors="backslashreplace"). '
        'Asked for is U+FFFD: errors="replace".',
    ),
    Mistake(
        "space-put-in-front-everywhere",
        find=TRAINED,
        replace=TRAINED.replace("text.encode", '(" " + text).encode'),
        also=((ENCODED, ENCODED.replace("text.encode", '(" " + text).encode')),),
        says="Training and encoding put a space in front of the text, as some tokenizers do. The bytes are "
        "those of the text alone.",
    ),
    *(
        Mistake(
            f"{name}-{where}-the-text-in-training",
            find=TRAINED,
            replace=TRAINED.replace("text.encode", f"({text}).encode"),
            says=f"Training puts {added} {where.replace('-', ' ')} the text: pairs with it are counted that "
            "are not there. The text is one sequence of bytes, with nothing added.",
        )
        for name, where, text, added in (
            ("space", "in-front-of", '" " + text', "a space"),
            ("space", "behind", 'text + " "', "a space"),
            ("line-end", "behind", 'text + "\\n"', "a line's end"),
            ("byte-0", "behind", 'text + "\\0"', "a byte 0"),
        )
    ),
    Mistake(
        "bytes-in-the-order-of-gpt-2",
        find=TRAINED,
        replace=TRAINED.replace("list(text.encode", "_ids(text.encode"),
        also=(
            (ENCODED, ENCODED.replace("list(text.encode", "_ids(text.encode")),
            ("bytes([byte]) for byte in range(256)", "bytes([byte]) for byte in _ORDER"),
            (
                "def _merge(ids: ",
                """\
_PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_ORDER = _PRINTABLE + [byte for byte in range(256) if byte not in _PRINTABLE]


def _ids(data):
    return [_ORDER.index(byte) for byte in data]


def _merge(ids: """,
            ),
        ),
        says="Your first 256 ids are the bytes in the order of GPT-2's vocabulary, where those come first "
        "that can be printed. Here a byte's id is its value: b'a' is 97.",
    ),
]
