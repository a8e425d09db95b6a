"""The languages of what visitors and owners see, and of what owners are sent."""

SOURCE_LANGUAGE = "en"  # of the texts in the templates and in the code
# What each calls itself, by its code. Written out, as Babel takes 77 ms to read the names.
LANGUAGES = {
    SOURCE_LANGUAGE: "English",
    "ar": "العربية",
    "de": "Deutsch",
    "es": "Español",
    "fr": "Français",
    "ja": "日本語",
    "pt": "Português",
    "ru": "Русский",
    "tr": "Türkçe",
    "zh": "中文",
}
