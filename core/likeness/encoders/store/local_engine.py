"""The engine of one machine: reading in threads, encoding in this process."""

from likeness.encoders.load import load_encoder
from likeness.encoders.store.encoded_batches import ImageFiles, encoded_batches
from likeness.encoders.store.encoding_pass import EncodingPass
from likeness.encoders.store.shards import ShardWriter


def encode_here(work: EncodingPass) -> str:
    """Encodes what has no stored embedding; returns the encoder's identity."""
    encoder = load_encoder(work.encoder, work.device)
    folder, collected = work.folder(encoder.identity), work.collected
    rows = work.begin(folder)
    keys, files, start = collected.keys(rows), ImageFiles(work.table.root, work.paths(rows), work.remote), 0
    # The writer is closed last: whatever interrupts the loop, the batches that are done are written.
    with ShardWriter(folder, work.shard_size, work.shard_seconds, work.taker(folder)) as writer:
        for batch in encoded_batches(files, encoder, work.batch_size):
            here = rows[start : start + batch.n]
            collected.n_encoded += batch.n_encoded
            writer.add(batch, keys[start : start + batch.n])
            for position, reason in batch.unopened:
                collected.fail(int(here[position]), reason)
            collected.note(here)
            start += batch.n
            work.report()
            if work.stops():
                break
    return encoder.identity
