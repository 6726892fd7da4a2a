"""Modules that several commands use: console, progress bars, signals, exit codes, browser."""
