// @ts-check
// The element <lapilli-editor>: an editor for a bot's source code.

import { Editor } from "../vendor/codemirror.js";
import { framed } from "./framed.js";

/** On upright phones, the editor wraps long lines. CodeMirror finds that out from the value of `white-space`. */
const WRAPPED = `
@media (max-width: 620px) {
  .cm-editor .cm-content { white-space: break-spaces; overflow-wrap: anywhere; flex-shrink: 1; }
}
`;

export class LapilliEditor extends HTMLElement {
  constructor() {
    super();
    this.root = framed(this, WRAPPED);
    /** @type {Editor | undefined} */
    this.editor = undefined;
  }

  /**
   * Opens an editor with this text, and returns it.
   * @param {string} text
   * @param {any} language
   * @param {string} label
   */
  open(text, language, label) {
    this.editor = new Editor(this.root, {
      text,
      language,
      label,
      change: () => this.dispatchEvent(new Event("change")),
    });
    return this.editor;
  }
}

customElements.define("lapilli-editor", LapilliEditor);
