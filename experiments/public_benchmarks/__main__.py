from experiments.command_line import run

run("public_benchmarks")
