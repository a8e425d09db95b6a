"""gunicorn's worker class: how requests and answers pass between clients and the app.

It stands on gunicorn's base worker, parser and response. No other worker does what
docs/internals.md promises of clients that stall, as tests/slow_clients shows; measured with
gunicorn 27:

- `gthread`: its threads read requests and write answers without a time limit, so a few clients
  that stall stop the service. It hands each request to a thread and back, which takes 15 to 24
  context switches; this one takes one or two.
- `gevent`: 850 clients that send half a body stop the service, as only heads have a time limit.
  While another program holds SQLite's lock for 3 s, nobody is answered for 3 s (here: 20 ms), and
  while four passwords are checked, a read takes 264 ms (here: 16).
- A thread for each connection, which would be the least code: those that wake at the same time
  wait for the interpreter's lock. A read took 8 to 27 context switches and 1.5 to 1.8 times the
  CPU that it takes here.
- waitress: it has no least rate and counts no connections by their address, and answers to
  malformed requests differ. It would need most of this package beside it.
"""
