"""Runs a command on a terminal of its own: what comes in on stdin is typed, what the terminal shows goes to stdout."""

import os
import pty
import select
import sys

pid, master = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])

sources = [master, 0]
while master in sources:
    ready, _, _ = select.select(sources, [], [])
    for source in ready:
        try:
            data = os.read(source, 65536)
        except OSError:  # Linux reports the end of a terminal as an error.
            data = b""
        if not data:
            sources.remove(source)
        else:
            os.write(1 if source == master else master, data)

_, status = os.waitpid(pid, 0)
code = os.waitstatus_to_exitcode(status)
sys.exit(code if code >= 0 else 128 - code)
