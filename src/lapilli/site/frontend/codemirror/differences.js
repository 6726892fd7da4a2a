// @ts-check
// Shows the differences between two texts of a bot, side by side or in one column. Both texts are read-only.

import { getChunks, goToNextChunk, goToPreviousChunk, MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { coloured, LOOK } from "./look.js";

/** @typedef {{text: string, label: string}} Side */

const GUTTER = {
  width: "2ch",
  paddingLeft: "0.5ch",
  fontFamily: "ui-monospace, monospace",
  backgroundColor: "transparent !important",
  color: "var(--ink)",
};
const [GONE, COME] = ["gone", "come"].map((what) => ({ background: `var(--${what}-here)`, textDecoration: "none" }));
/** Styles of changed lines. Signs (+ and −) mark them, too, for people who cannot distinguish the colours. */
const MARKS = EditorView.theme({
  ".cm-changeGutter": { width: "2ch", paddingLeft: "0" },
  ".cm-changedLineGutter, .cm-deletedLineGutter": GUTTER,
  ".cm-changedLineGutter::before": { content: "'+'" },
  "&.cm-merge-a .cm-changedLineGutter::before, .cm-deletedLineGutter::before": { content: "'\u2212'" },
  ".cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--come)" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--gone)" },
  ".cm-changedText, &.cm-merge-b .cm-changedText": COME,
  "&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText, &.cm-merge-b .cm-deletedText": GONE,
  ".cm-deletedLine, .cm-deletedLine del": { textDecoration: "none" },
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: "'\u22ef'" },
  ".cm-collapsedLines": { color: "var(--ink)", background: "var(--soft)", padding: "2px 12px" },
});
/** Makes both columns as long as their texts, so that they scroll together. */
const LONG = EditorView.theme({ "&": { height: "auto" }, ".cm-scroller": { overflow: "visible" } });
const SHOWN = {
  gutter: true,
  collapseUnchanged: { margin: 3, minSize: 6 },
  diffConfig: { scanLimit: 1000, timeout: 1000 },
};

export class Differences {
  /**
   * @param {ShadowRoot} root the shadow root that receives the view
   * @param {{from: Side, to: Side, language: keyof typeof import("./look.js").LANGUAGES, isSplit: boolean}} options
   */
  constructor(root, { from, to, language, isSplit }) {
    /** @param {Side} side */
    const extensions = ({ label }) => [
      MARKS,
      lineNumbers(),
      LOOK,
      coloured(language),
      EditorState.readOnly.of(true),
      EditorView.editable.of(false),
      EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", tabindex: "0" }),
    ];
    if (isSplit) {
      const [a, b] = [from, to].map((side) => ({
        doc: side.text,
        extensions: [LONG, EditorView.lineWrapping, ...extensions(side)],
      }));
      const both = new MergeView({ a, b, root, parent: root, ...SHOWN });
      this.view = both.b;
      this.whole = both;
    } else {
      const one = unifiedMergeView({ original: from.text, mergeControls: false, ...SHOWN });
      const state = EditorState.create({ doc: to.text, extensions: [...extensions(to), EditorView.lineWrapping, one] });
      this.whole = this.view = new EditorView({ state, root, parent: root });
    }
  }

  /** Number of places where the texts differ. */
  get places() {
    return getChunks(this.view.state)?.chunks.length ?? 0;
  }

  /** Goes to the next difference, or to the previous one. @param {number} by 1 or -1 */
  go(by) {
    (by > 0 ? goToNextChunk : goToPreviousChunk)(this.view);
  }

  close() {
    this.whole.destroy();
  }
}
