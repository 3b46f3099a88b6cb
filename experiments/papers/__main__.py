from experiments.command_line import run

run("papers")
