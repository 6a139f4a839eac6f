"""The `headrace` command: starts unmodified MPI programs with Headrace loaded."""
