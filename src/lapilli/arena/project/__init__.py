"""Projects: the file lapilli.toml, which names bots and their tests, and the runs of these tests.

`project_file` reads the file, `plan` lists what to build and to play, `running` does it, `junit` writes the results.
"""
