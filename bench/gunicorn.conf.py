"""How both servers are run; the service's own configuration refuses two without a Redis."""

# Each counts limits for itself, which costs the same as if it were alone.
workers = 2
worker_class = "sync"
threads = 1
preload_app = True  # so that it listens when it can answer
loglevel = "warning"
limit_request_line = 8190
control_socket_disable = True
