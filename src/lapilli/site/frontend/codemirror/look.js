// @ts-check
// Colours and languages of bots' texts, in the editor and in the view of differences.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { Compartment } from "@codemirror/state";
import { EditorView, ViewPlugin } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Loads a language by its name. Each language is a file of its own, because a bot needs only one of them. */
export const LANGUAGES = {
  python: async () => (await import("@codemirror/lang-python")).python(),
  cpp: async () => (await import("@codemirror/lang-cpp")).cpp(),
  java: async () => (await import("@codemirror/lang-java")).java(),
  javascript: async () => (await import("@codemirror/lang-javascript")).javascript(),
  rust: async () => (await import("@codemirror/lang-rust")).rust(),
};

/** Styles of the editor. Its colours are CSS variables of the page, so they follow the page's theme. */
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

/** Extensions that highlight the syntax as soon as the language is loaded. @param {keyof typeof LANGUAGES} language */
export function coloured(language) {
  const loaded = new Compartment();
  const loader = ViewPlugin.define((view) => {
    let isOpen = true;
    void LANGUAGES[language]().then((made) => isOpen && view.dispatch({ effects: loaded.reconfigure(made) }));
    return { destroy: () => (isOpen = false) };
  });
  return [syntaxHighlighting(COLOURS), loaded.of([]), loader];
}
