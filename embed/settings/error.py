class SettingsError(ValueError):
    """A variable has an invalid value; the text names the variable."""
