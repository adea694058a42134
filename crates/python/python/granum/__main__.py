"""The program ``granum``, as ``python -m granum`` and as the script of the wheel."""

import signal
import sys

from ._native import run_command_line


def main() -> int:
    """Execute the command line and return the exit code."""
    # The program handles Ctrl-C itself. Python would raise KeyboardInterrupt after its end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    own_command = [sys.executable, "-m", "granum"]
    return run_command_line(["granum", *sys.argv[1:]], own_command)


if __name__ == "__main__":
    sys.exit(main())
