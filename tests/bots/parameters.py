"""A bot that plays its first move, and writes its parameters to stderr: `parameters.py [FILE] [WORD…]`.

FILE is a JSON file. The variable RISK is a parameter, too.
"""

import os
import sys
from pathlib import Path

words = [Path(word).read_text() if os.path.isfile(word) else word for word in sys.argv[1:]]
print(*words, os.environ.get("RISK", ""), file=sys.stderr, flush=True)
for _ in range(int(input())):
    input()
while sys.stdin.readline():
    moves = input().split()
    print(moves[0] if moves else "RANDOM", flush=True)
