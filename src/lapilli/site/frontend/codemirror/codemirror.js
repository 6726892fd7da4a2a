// @ts-check
// The editor that bots are written in, made of CodeMirror's parts. `npm run build` bundles it for the pages.

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { coloured, LOOK } from "./look.js";

export { Differences } from "./differences.js";

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

/**
 * An editor in a shadow root. There, CodeMirror adds its styles as style sheet objects, which the pages' Content
 * Security Policy allows.
 */
export class Editor {
  /**
   * @param {ShadowRoot} root the shadow root that receives the editor
   * @param {{text: string, language: keyof typeof import("./look.js").LANGUAGES, label: string, change: () => void}}
   * options
   */
  constructor(root, { text, language, label, change }) {
    this.locked = new Compartment();
    const state = EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLineGutter(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        wrong,
        LOOK,
        coloured(language),
        indentUnit.of("    "),
        this.locked.of([]),
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
    const changes = { from: 0, to: this.view.state.doc.length, insert: text };
    this.view.dispatch({ changes, annotations: isolateHistory.of("full") }); // a step of its own for undo
  }

  /** Makes the text read-only, or editable again. @param {boolean} locked */
  lock(locked) {
    this.view.dispatch({ effects: this.locked.reconfigure(locked ? [EditorState.readOnly.of(true)] : []) });
  }

  /** Marks these lines, counted from 1, and no others. @param {number[]} lines */
  mark(lines) {
    this.view.dispatch({ effects: setWrong.of(lines) });
  }

  /** Moves the cursor to a line and column, both counted from 1. @param {number} line @param {number} [column] */
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
