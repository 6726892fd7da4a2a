"""What people study on the site: puzzles, analyses, saved studies, and counts of first turns."""
