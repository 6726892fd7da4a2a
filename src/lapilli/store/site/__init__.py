"""The site's part of the store: one file for each subject, and `site_store` with the class that contains them all.

This package imports nothing itself, so that `facts` can be imported without the database library.
"""
