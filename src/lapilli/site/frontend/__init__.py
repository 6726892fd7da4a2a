"""What browsers get: templates of pages, their scripts, style sheets, fonts and icons; and the scripts as built."""
