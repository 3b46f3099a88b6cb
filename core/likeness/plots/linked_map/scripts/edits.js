// Messages to Python: each edit has an id, and Python returns that of the last one it has processed.

const PATIENCE_MS = 8000;

class Edits {
  constructor() {
    this.pending = []; // not confirmed yet
  }

  /** The message for a change of `kinds`. Unconfirmed changes are repeated, since Python sees only the last message of a run. */
  next(kinds, state) {
    const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
    this.pending.push({ id, kinds, time: performance.now() });
    return { id, changed: [...new Set(this.pending.flatMap((edit) => edit.kinds))], ...state };
  }

  /** Whether Python's state, confirmed up to edit `seen`, is as new as ours: an answer to an older edit must not undo a newer one. */
  answered(seen) {
    const now = performance.now();
    this.pending = this.pending.filter((edit) => now - edit.time < PATIENCE_MS);
    const at = this.pending.findIndex((edit) => edit.id === seen);
    if (at >= 0) this.pending.splice(0, at + 1);
    return this.pending.length === 0;
  }
}
