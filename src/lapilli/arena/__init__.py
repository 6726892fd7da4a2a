"""Who is better, and by how much: comparisons, tournaments, leagues, and the store that keeps their matches."""
