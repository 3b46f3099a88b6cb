"""Draws a token for a program; `likeness admin token` calls it with the file and the name."""

import sys
from pathlib import Path

from likeness.commands import answered
from program_tokens import write_token

if __name__ == "__main__":
    with answered():
        print(write_token(Path(sys.argv[1]), sys.argv[2]))
        print(f"This is the token of {sys.argv[2]}, which is shown only now: likeness app --api --program-tokens {sys.argv[1]}", file=sys.stderr)
