"""Finds the help texts of commands in the source code, so that `lapilli --help` need not import all commands."""

from __future__ import annotations

import ast
from pathlib import Path


def help_text(file: Path, name: str) -> str:
    """Returns the help text with which a module adds the command `name` to an app. `file`: source file of the module.

    This is the docstring of the function that the module passes to `add_command`, or the text that it passes to
    `add_group`.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    [added] = [node.args[2] for node in ast.walk(tree) if isinstance(node, ast.Call) and _adds(node, name)]
    if isinstance(added, ast.Name):
        return ast.get_docstring(functions[added.id]) or ""
    return str(ast.literal_eval(added))


def _adds(call: ast.Call, name: str) -> bool:
    """Returns whether a function call in the source code adds the command or group `name` to the variable `app`."""
    if not (isinstance(call.func, ast.Name) and call.func.id in ("add_command", "add_group")):
        return False
    app, added = call.args[:2]
    return isinstance(app, ast.Name) and app.id == "app" and isinstance(added, ast.Constant) and added.value == name
