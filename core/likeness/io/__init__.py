"""Files written whole, and safe readers of files from others."""
