"""What operators do to the whole installation or a whole page, seldom."""
