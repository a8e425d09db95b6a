"""gunicorn's worker class, its log, and what gunicorn.conf.py calls."""
