// @ts-check
// How texts of bots look, in the editor and beside each other.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Languages by name. Each is a file of its own: together they are as large as the editor, and a bot has one. */
export const LANGUAGES = {
  python: async () => (await import("@codemirror/lang-python")).python(),
  cpp: async () => (await import("@codemirror/lang-cpp")).cpp(),
  java: async () => (await import("@codemirror/lang-java")).java(),
  javascript: async () => (await import("@codemirror/lang-javascript")).javascript(),
  rust: async () => (await import("@codemirror/lang-rust")).rust(),
};

/** Colours are the page's, by variables, so that they follow its theme. */
export const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "14px" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--paper)", borderRight: "1px solid var(--soft)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--soft)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--picked)",
  },
  ".cm-wrong": { boxShadow: "inset 3px 0 var(--highlight)" },
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--raised)" },
  ".cm-panels button, .cm-panels input": { color: "var(--ink)", background: "var(--paper)", fontSize: "14px" },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string), tags.character], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  {
    tag: [
      tags.function(tags.variableName),
      tags.function(tags.definition(tags.variableName)),
      tags.typeName,
      tags.className,
    ],
    color: "var(--code-name)",
  },
]);

/** Colours a text as soon as its language is loaded. @param {keyof typeof LANGUAGES} language */
export function coloured(language) {
  const loaded = new Compartment();
  const loader = ViewPlugin.define((view) => {
    let isOpen = true;
    void LANGUAGES[language]().then((made) => isOpen && view.dispatch({ effects: loaded.reconfigure(made) }));
    return { destroy: () => (isOpen = false) };
  });
  return [syntaxHighlighting(COLOURS), loaded.of([]), loader];
}
