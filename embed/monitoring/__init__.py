"""What operators and their monitoring ask of a running service."""
