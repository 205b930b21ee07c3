"""Which tokenizer class transformers would choose, and what that class makes of tokenizer.json.

A generic class takes tokenizer.json as it is. Some named classes keep its vocabulary, merges and
post-processor but build normalizer, pre-tokenizer and decoder themselves, so that token IDs may
differ from those of the file; PIPELINES holds those of language models. All other named classes
need transformers. Tables: transformers 5.19, which vLLM 0.33.0 uses (`auto/tokenization_auto.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tokenizers import Regex, decoders, normalizers, pre_tokenizers

GENERIC = "TokenizersBackend"

# Class -> model types that transformers registers for it, language models only.
REGISTERED = {
    "CohereTokenizer": "aya_vision cohere cohere2",
    "GPT2Tokenizer": """blip-2 codegen dbrx emu3 gpt2 gpt_neo gptj hyperclovax_vision_v2
        instructblip instructblipvideo jais2 opt phi starcoder2""",
    "GPTNeoXTokenizer": "falcon_mamba gpt_neox mamba mamba2 mpt olmo olmoe rwkv xlstm",
    "GemmaTokenizer": """diffusion_gemma gemma gemma2 gemma3 gemma3_text gemma3n gemma3n_text
        recurrent_gemma shieldgemma2 t5gemma zaya""",
    "LlamaTokenizer": "idefics idefics2",
    "Qwen2Tokenizer": """audioflamingo3 colqwen2 cosmos3_omni fun_asr_nano hunyuan_vl internvl
        lighton_ocr ovis2 qianfan_ocr qwen2 qwen2_5_omni qwen2_5_vl qwen2_audio qwen2_moe qwen2_vl
        qwen3 qwen3_asr qwen3_moe qwen3_next qwen3_omni_moe qwen3_vl qwen3_vl_moe vibevoice""",
    "Qwen3_5Tokenizer": "qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen3_5_text qwen4_exp",
    GENERIC: """
        EvollaModel arctic aria bigbird_pegasus camembertv2-base canary chameleon chatlm
        cohere_asr         deepseek_ocr deepseek_ocr2 deepseek_v2 deepseek_v3 deepseek_v32
        deepseek_v4 deepseek_vl         deepseek_vl_hybrid deepseek_vl_v2 ernie4_5
        ernie4_5_moe flex_olmo fuyu glm glm4 glm4_moe         glm4_moe_lite glm4v glm4v_moe
        glm_image glmasr got_ocr2 gpt_bigcode granite granitemoe         granitemoehybrid
        granitemoeshared h2ovl_chat hyperclovax hyperclovax_vlm internlm2 jamba janus
        kimi_k25 kimi_linear kosmos-2 llava llava_next mimo_v2_flash minicpm3 minicpmv
        minicpmv4_6         minicpmv4_7 minimax_m2 ministral ministral3 mistral mistral3
        mixtral modernbert         modernbert-decoder molmo molmo2 nemotron nvfp4
        nystromformer olmo2 olmo3 olmo_hybrid opencua openvla         paddleocr_vl pegasus_x
        persimmon phi3 phi3_v phimoe pix2struct pixtral smolvlm stablelm         step3_vl
        step3p5 umt5 vipllava voxtral voxtral_realtime xlm-roberta-xl
        """,
}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MODEL_TYPES = {kind: name for name, kinds in REGISTERED.items() for kind in kinds.split()}

# Model types whose tokenizer_config.json names a class that must not be believed: with a class
# of their own in REGISTERED they take that one. The second set is vLLM's own (always generic).
MISNAMED = _words("""hyperclovax_vision_v2 qwen2 qwen3_5 qwen3_5_moe qwen3_5_moe_text qwen4_exp""")
MISNAMED_IN_VLLM = _words(
    """internlm2 step3_vl step3p7 step5 step5_vl unlimited-ocr unlimited_ocr"""
)

# Named classes that build their own pipeline and are not in PIPELINES, without `Tokenizer`.
OTHER_CLASSES = _words(
    """
    Albert Bart Barthez Bartpho Bert BertGeneration BertJapanese Bertweet BigBird BioGpt
    Blenderbot BlenderbotSmall ByT5 CLIP CTRL Camembert Canine Clvp CodeGen CodeLlama
    ConvBert Cpm CpmAnt DPRContextEncoder DPRQuestionEncoder DPRReader Deberta DebertaV2 Dia
    DistilBert Esm Esmc FNet FSMT FastSpeech2Conformer Flaubert Funnel GPTNeoXJapanese
    GPTSw3 Herbert LED Lasr LayoutLMv2 LayoutLMv3 LayoutXLM Luke Lxmert M2M100 MBart MBart50
    MLuke MPNet Marian MarkupLM Mgpstr MobileBert Mvp MyT5 Nllb Nougat OpenAIGPT PLBart
    Pegasus Perceiver Phobert Pop2Piano ProphetNet Rag Reformer RemBert RoCBert RoFormer
    Roberta SeamlessM4T Siglip Siglip2 Speech2Text SpeechT5 Splinter SqueezeBert T5 Tapas
    Tipsv2 Udop VideoPrism Vits Wav2Vec2CTC Wav2Vec2PhonemeCTC Whisper XGLM XLM XLMRoberta
    XLNet
    """
)


def class_name(model_type: str | None, declared: str | None) -> str:
    """The class, without `Fast`; GENERIC where transformers would use its generic one.

    declared: `tokenizer_class` of tokenizer_config.json, else of config.json.
    """
    if model_type in MISNAMED_IN_VLLM:
        return GENERIC
    registered = MODEL_TYPES.get(model_type or "")
    if declared is None:
        return registered or GENERIC
    name = declared.removesuffix("Fast")
    if registered is not None and registered != name:
        if registered == GENERIC:
            return GENERIC
        if model_type in MISNAMED:
            return registered
    other = name.removesuffix("Tokenizer") in OTHER_CLASSES
    return name if name in PIPELINES or other else GENERIC


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What a named class builds. bpe: parameters of its BPE model, where not the defaults."""

    normalizer: normalizers.Normalizer | None
    pre_tokenizer: pre_tokenizers.PreTokenizer
    decoder: decoders.Decoder
    bpe: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TokenizerClass:
    """build: from tokenizer_config.json. defaults: named tokens that the config may leave out.

    flags: "plain" where all special tokens lose theirs (lstrip and so on), "special" where they
    are marked special whatever the files say. keeps_post_processor: that of tokenizer.json is
    used; otherwise none, since the class sets neither BOS nor EOS.
    """

    build: Callable[[Mapping[str, Any]], Pipeline]
    defaults: Mapping[str, str | None]
    flags: Literal["declared", "plain", "special"] = "declared"
    keeps_post_processor: bool = True


# The split expressions of GPT-4-like vocabularies; they define the token IDs.
_QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_QWEN3_5_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}"
    r"| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_NO_AFFIXES = {"continuing_subword_prefix": "", "end_of_word_suffix": ""}


def _qwen(split: str) -> Callable[[Mapping[str, Any]], Pipeline]:
    def build(config: Mapping[str, Any]) -> Pipeline:
        words = pre_tokenizers.Split(Regex(split), behavior="isolated", invert=False)
        prefix = bool(config.get("add_prefix_space"))
        return Pipeline(
            normalizers.NFC(),
            pre_tokenizers.Sequence(
                [words, pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=False)]
            ),
            decoders.ByteLevel(),
            _NO_AFFIXES,
        )

    return build


def _llama(config: Mapping[str, Any]) -> Pipeline:
    prefix = config.get("add_prefix_space")
    prefix = True if prefix is None else bool(prefix)
    scheme = ("always" if config.get("legacy") else "first") if prefix else "never"
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    if prefix:
        steps.append(decoders.Strip(content=" ", left=1))
    return Pipeline(
        None,
        pre_tokenizers.Metaspace(replacement="▁", prepend_scheme=scheme, split=False),
        decoders.Sequence(steps),
        {"fuse_unk": True, "byte_fallback": True},
    )


def _gemma(config: Mapping[str, Any]) -> Pipeline:
    unknown = config.get("unk_token", "<unk>")
    unknown = unknown["content"] if isinstance(unknown, Mapping) else str(unknown)
    return Pipeline(
        normalizers.Replace(" ", "▁"),
        pre_tokenizers.Split(pattern=" ", behavior="merged_with_previous", invert=False),
        decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]),
        {"fuse_unk": True, "byte_fallback": True, "unk_token": unknown},
    )


def _gpt2(config: Mapping[str, Any]) -> Pipeline:
    prefix = bool(config.get("add_prefix_space", False))
    return Pipeline(
        None, pre_tokenizers.ByteLevel(add_prefix_space=prefix), decoders.ByteLevel(), _NO_AFFIXES
    )


def _gpt_neox(config: Mapping[str, Any]) -> Pipeline:
    prefix = bool(config.get("add_prefix_space", False))
    trim = bool(config.get("trim_offsets", True))
    words = pre_tokenizers.ByteLevel(add_prefix_space=prefix, trim_offsets=trim)
    return Pipeline(normalizers.NFC(), words, decoders.ByteLevel(), _NO_AFFIXES)


def _cohere(config: Mapping[str, Any]) -> Pipeline:
    prefix = bool(config.get("add_prefix_space", False))
    words = pre_tokenizers.ByteLevel(add_prefix_space=prefix, trim_offsets=True)
    digits = pre_tokenizers.Digits(individual_digits=True)
    return Pipeline(
        normalizers.NFC(),
        pre_tokenizers.Sequence([digits, words]),
        decoders.ByteLevel(),
        _NO_AFFIXES,
    )


_END = "<|endoftext|>"
_QWEN_TOKENS = {"unk_token": _END, "bos_token": None, "eos_token": _END, "pad_token": _END}
PIPELINES = {
    "CohereTokenizer": TokenizerClass(
        _cohere,
        {
            "unk_token": "<UNK>",
            "bos_token": "<BOS_TOKEN>",
            "eos_token": "<|END_OF_TURN_TOKEN|>",
            "pad_token": "<PAD>",
            "cls_token": "<CLS>",
            "sep_token": "<SEP>",
            "mask_token": "<MASK_TOKEN>",
        },
        flags="special",
    ),
    "GPT2Tokenizer": TokenizerClass(
        _gpt2, {"unk_token": _END, "bos_token": _END, "eos_token": _END, "pad_token": None}
    ),
    "GPTNeoXTokenizer": TokenizerClass(
        _gpt_neox,
        {"unk_token": _END, "bos_token": _END, "eos_token": _END, "pad_token": "<|padding|>"},
        keeps_post_processor=False,
    ),
    "GemmaTokenizer": TokenizerClass(
        _gemma,
        {
            "unk_token": "<unk>",
            "bos_token": "<bos>",
            "eos_token": "<eos>",
            "pad_token": "<pad>",
            "mask_token": "<mask>",
        },
    ),
    "LlamaTokenizer": TokenizerClass(
        _llama, {"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
    ),
    "Qwen2Tokenizer": TokenizerClass(_qwen(_QWEN2_SPLIT), _QWEN_TOKENS, flags="plain"),
    "Qwen3_5Tokenizer": TokenizerClass(_qwen(_QWEN3_5_SPLIT), _QWEN_TOKENS),
}
