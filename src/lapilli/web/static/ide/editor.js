// @ts-check
// <lapilli-editor>: a bot's text. It has a shadow root of its own, since only there CodeMirror's styles are sheets that
// scripts make, which the pages' policy allows.

import { Editor } from "../vendor/codemirror.js";

const FRAME = ":host { display: block; min-height: 0; overflow: hidden; }";

export class LapilliEditor extends HTMLElement {
  constructor() {
    super();
    this.root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(FRAME);
    this.root.adoptedStyleSheets = [sheet];
    /** @type {Editor | undefined} */
    this.editor = undefined;
  }

  /**
   * @param {string} text
   * @param {any} language
   * @param {string} label
   */
  open(text, language, label) {
    this.editor = new Editor(this.root, { text, language, label, change: () => this.dispatchEvent(new Event("change")) });
    return this.editor;
  }
}

customElements.define("lapilli-editor", LapilliEditor);
