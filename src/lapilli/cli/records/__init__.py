"""Commands on records: `verify`, `inputs`, `view`, `show`, `analyse` and `import`."""
