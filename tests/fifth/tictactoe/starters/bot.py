"""A starter bot for tic-tac-toe. It prefers the middle, then corners."""

import sys

while cells := sys.stdin.readline().strip():
    moves = input().split()
    print(min(moves, key="402681357".index), flush=True)
