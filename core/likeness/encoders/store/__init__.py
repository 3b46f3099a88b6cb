"""Embeddings on disk: stores, shards and the engines that fill them."""
