"""Files of records: complete writing, packed lines, and limits for reading."""
