"""The runs behind the tables of docs/results.md, a script for each; some take hours."""
