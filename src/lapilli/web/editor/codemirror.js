// @ts-check
// The editor that bots are written in, made of CodeMirror's parts. `npm run editor` bundles it for the pages.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { java } from "@codemirror/lang-java";
import { javascript } from "@codemirror/lang-javascript";
import { python } from "@codemirror/lang-python";
import { rust } from "@codemirror/lang-rust";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const LANGUAGES = { python, cpp, java, javascript, rust };

/** Colours are the page's, by variables, so that they follow its theme. */
const LOOK = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "14px" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "-3px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--paper)", borderRight: "1px solid var(--soft)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--soft)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": { backgroundColor: "var(--picked)" },
  ".cm-wrong": { boxShadow: "inset 3px 0 var(--highlight)" },
  ".cm-panels": { color: "var(--ink)", backgroundColor: "var(--raised)" },
  ".cm-panels button, .cm-panels input": { color: "var(--ink)", background: "var(--paper)", fontSize: "14px" },
});

const COLOURS = HighlightStyle.define([
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--code-keyword)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string), tags.character], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName)), tags.typeName, tags.className], color: "var(--code-name)" },
]);

/** @type {import("@codemirror/state").StateEffectType<number[]>} */
const setWrong = StateEffect.define();
const wrongLine = Decoration.line({ class: "cm-wrong" });
const wrong = StateField.define({
  create: () => Decoration.none,
  update(marks, change) {
    let now = marks.map(change.changes);
    for (const effect of change.effects) {
      if (!effect.is(setWrong)) continue;
      const { doc } = change.state;
      const lines = [...new Set(effect.value)].filter((line) => line >= 1 && line <= doc.lines).sort((a, b) => a - b);
      now = Decoration.set(lines.map((line) => wrongLine.range(doc.line(line).from)));
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** An editor in a shadow root, where its styles are sheets that scripts make, as the pages' policy wants it. */
export class Editor {
  /**
   * @param {ShadowRoot} root where it is put
   * @param {{text: string, language: keyof typeof LANGUAGES, label: string, change: () => void}} options
   */
  constructor(root, { text, language, label, change }) {
    this.locked = new Compartment();
    const state = EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), indentOnInput(), bracketMatching(),
        closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), wrong, LOOK, syntaxHighlighting(COLOURS),
        LANGUAGES[language](), indentUnit.of("    "), this.locked.of([]),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorView.updateListener.of((update) => update.docChanged && change()),
      ],
    });
    this.view = new EditorView({ state, root, parent: root });
  }

  get text() {
    return this.view.state.doc.toString();
  }

  set text(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** Whether the text can only be read. @param {boolean} locked */
  lock(locked) {
    this.view.dispatch({ effects: this.locked.reconfigure(locked ? [EditorState.readOnly.of(true)] : []) });
  }

  /** Marks lines, told from 1, in place of those marked before. @param {number[]} lines */
  mark(lines) {
    this.view.dispatch({ effects: setWrong.of(lines) });
  }

  /** Goes to a line, told from 1, and there to a column, told from 1. @param {number} line @param {number} [column] */
  go(line, column = 1) {
    const { doc } = this.view.state;
    const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const place = Math.min(from + Math.max(column, 1) - 1, to);
    this.view.dispatch({ selection: { anchor: place }, effects: EditorView.scrollIntoView(place, { y: "center" }) });
    this.view.focus();
  }

  focus() {
    this.view.focus();
  }
}
