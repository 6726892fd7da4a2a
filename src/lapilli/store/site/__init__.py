"""The site's part of the store: one file for each subject, and `site_store` with the class that contains them all.

This package imports nothing itself, so that the small files of facts load without the database library.
"""
