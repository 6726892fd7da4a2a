"""Every page of the site in every window and theme: what a designer sees at once, and pictures to look at."""
