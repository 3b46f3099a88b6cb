"""Text vectors from the token vectors of transformers models."""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.encoders.encoder import Vectors
from likeness.errors import InputError

if TYPE_CHECKING:
    import torch

BATCH = 64
MAX_TOKENS = 512
_encoding = threading.Lock()  # fast tokenizers raise "Already borrowed" when two threads use one


def token_vectors(tokenizer: Any, model: Any, device: "torch.device", texts: Sequence[str], pooling: str = "mean") -> Vectors:
    """Rows (n, d), float32, of n texts; truncated to the model's context (or 512 tokens). Batches are formed in order of the number of tokens, with
    1 % of padding instead of 17 % in order of letters. `pooling` is "mean" of the last layer over tokens without padding, or "pooler", the model's
    own pooled output. Tokenizer and model are those of transformers, the model in evaluation mode on `device`. InputError: it has no pooled output.
    """
    with _encoding:
        order = np.argsort([len(ids) for ids in tokenizer(list(texts), truncation=True, max_length=MAX_TOKENS)["input_ids"]], kind="stable")
        parts = [[texts[place] for place in order[at : at + BATCH]] for at in range(0, len(texts), BATCH)]
        batches = [_batch(tokenizer, model, device, part, pooling) for part in parts]
    rows = np.concatenate(batches)
    return np.asarray(rows[np.argsort(order)])


def _batch(tokenizer: Any, model: Any, device: "torch.device", texts: list[str], pooling: str) -> Vectors:
    import torch

    # RoBERTa and MPNet number tokens from 2, so 512 of their 514 positions are usable; for others, two tokens more hardly matter
    limit = min(MAX_TOKENS, tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", MAX_TOKENS + 2) - 2)
    tokens = tokenizer(texts, return_tensors="pt", padding=True, truncation=True, max_length=limit, return_token_type_ids=False).to(device)
    with torch.inference_mode():
        output = model(**tokens)
    if pooling == "pooler":
        if getattr(output, "pooler_output", None) is None:
            raise InputError(f"The language model '{model.config.model_type}' has no pooled output; remove '@pooler'.")
        rows = output.pooler_output
    else:
        hidden = output.last_hidden_state
        weights = tokens["attention_mask"].unsqueeze(-1).to(hidden.dtype)
        rows = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)
    return np.asarray(rows.float().cpu().numpy(), dtype=np.float32)
