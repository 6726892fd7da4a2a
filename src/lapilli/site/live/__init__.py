"""Tables at which people play: who sits, whose clock runs, what each page is told."""
