"""python -m lapilli"""

from lapilli.cli import main

main()
