// The talk with Python: edits go out under a name, and Python names the last one that it has taken in.

const PATIENCE_MS = 8000;

class Edits {
  constructor() {
    this.pending = []; // not answered yet
  }

  /** What to send for a change of `kinds`. Changes that may not have arrived are told again: Python sees only the last message of a run. */
  next(kinds, state) {
    const id = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
    this.pending.push({ id, kinds, time: performance.now() });
    return { id, changed: [...new Set(this.pending.flatMap((edit) => edit.kinds))], ...state };
  }

  /** Whether Python's state is as new as ours, `seen` being the edit it names: an answer to an older edit must not undo a newer one. */
  answered(seen) {
    const now = performance.now();
    this.pending = this.pending.filter((edit) => now - edit.time < PATIENCE_MS);
    const at = this.pending.findIndex((edit) => edit.id === seen);
    if (at >= 0) this.pending.splice(0, at + 1);
    return this.pending.length === 0;
  }
}
