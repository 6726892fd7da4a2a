"""Drawings of scenes as files: SVG documents, PNG pictures and animated GIFs."""
