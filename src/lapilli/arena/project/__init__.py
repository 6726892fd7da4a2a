"""Projects: the file lapilli.toml, which names bots and their tests, and the runs of these tests.

`project_file` reads the file. `gauntlet` lists the bots to build and the matches to play. `running` builds and plays.
"""
