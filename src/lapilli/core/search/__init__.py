"""What games know about searches and analyses: learned policies, results of searches, and mistakes with reasons."""
