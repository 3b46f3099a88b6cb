"""`python app NAME ...` runs `server/NAME.py`, for `likeness app` and `likeness admin`."""

import runpy
import sys

if __name__ == "__main__":
    runpy.run_module(f"server.{sys.argv.pop(1)}", run_name="__main__")
