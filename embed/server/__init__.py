"""gunicorn's worker class: how requests and answers pass between clients and the app.

It stands on gunicorn's base worker, parser and response. None of gunicorn's own workers does what
docs/operating.md promises of clients that stall. Measured with version 27 and this app:

- `gthread`: four clients that stall in a body stop the service for as long as they like. To hand
  each request to a thread and back takes 15 to 24 context switches and as much time as a read.
- `gevent`: 850 clients that send half a body stop it, too, and slow readers are never ended. A lock
  of SQLite that is held for three seconds stops everybody for three seconds, and a password that is
  hashed for a quarter of one. For that, a read takes 7 % less processor time than with `gthread`.
- waitress, which buffers requests as this does, ...
"""
