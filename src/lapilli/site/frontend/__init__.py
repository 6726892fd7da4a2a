"""What browsers get: templates of pages, their scripts, style sheets, fonts and icons; and the bundles that are
built from the scripts.
"""
