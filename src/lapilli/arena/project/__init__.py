"""Projects: the file lapilli.toml, which names bots and their tests, and the runs of these tests.

`project_file` reads the file. `gauntlet` lists what to build and to play, and `running` does it.
"""
