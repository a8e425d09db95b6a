"""The app that ``gunicorn app:app``, ``flask`` and ``python app.py`` serve."""

from embed import create_app

app = create_app()

if __name__ == "__main__":
    app.run()
