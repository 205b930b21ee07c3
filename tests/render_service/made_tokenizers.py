"""Small tokenizers of kinds that no bundled model has, made from a few words of our own."""

from __future__ import annotations

from collections.abc import Callable

from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

SPACE = "\u2581"
WORDS = ["the", "tea", "pot", "is", "hot", "and", "she", "will", "not", "wait", "for", "it"]
MARKS = [".", ",", "!", "?"]
LETTERS = sorted(set("".join(WORDS + MARKS)) | set("abcxyz019[]=-_'\n"))


def _finish(tokenizer: Tokenizer, *special: str) -> Tokenizer:
    tokenizer.add_special_tokens([AddedToken(s, normalized=False) for s in special])
    tokenizer.add_tokens([AddedToken("<mark>", normalized=False)])
    return tokenizer


def byte_fallback() -> Tokenizer:
    """Llama 2's pipeline: BPE over U+2581 spaces, unknown characters as byte tokens."""
    pieces = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), SPACE, *LETTERS]
    merges: list[tuple[str, str]] = []
    for word in ["  ", *(" " + w for w in WORDS + MARKS)]:
        have = SPACE
        for letter in word[1:].replace(" ", SPACE):
            if have + letter not in pieces:
                pieces.append(have + letter)
                merges.append((have, letter))
            have += letter
    vocab = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Prepend(SPACE), normalizers.Replace(" ", SPACE)]
    )
    tokenizer.decoder = decoders.Sequence(
        [
            decoders.Replace(SPACE, " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    return _finish(tokenizer, "<unk>", "<s>", "</s>")


def metaspace() -> Tokenizer:
    """T5's pipeline: Unigram, Metaspace on both sides, no byte tokens."""
    pieces = ["<pad>", "</s>", "<unk>", SPACE, *LETTERS, *(SPACE + w for w in WORDS), *WORDS]
    scored = [(piece, -float(len(pieces) - len(piece))) for piece in dict.fromkeys(pieces)]
    tokenizer = Tokenizer(models.Unigram(scored, unk_id=2))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return _finish(tokenizer, "<pad>", "</s>", "<unk>")


def wordpiece() -> Tokenizer:
    """BERT's pipeline: the decoder puts spaces between words and takes them from punctuation."""
    pieces = ["[PAD]", "[UNK]", "[SEP]", *LETTERS, *("##" + c for c in LETTERS), *WORDS, "n", "t"]
    vocab = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    tokenizer = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    return _finish(tokenizer, "[PAD]", "[UNK]", "[SEP]")


MADE: dict[str, Callable[[], Tokenizer]] = {
    "byte_fallback": byte_fallback,
    "metaspace": metaspace,
    "wordpiece": wordpiece,
}
