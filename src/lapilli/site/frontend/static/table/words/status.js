// @ts-check
// The line on a table's page with the state of the match, or for some seconds with a message.

const NOTICE_MS = 5000;
/** Longer texts are written smaller where there is little space. */
const LONG = 48;
const LOST = "Connection lost. Reconnecting …";

export class Status {
  /**
   * @param {HTMLElement} line
   * @param {() => [text: string, more: string[], isMine: boolean]} standing returns the state of the match as a
   * sentence, further sentences about it, and whether it is this person's turn
   */
  constructor(line, standing) {
    this.line = line;
    this.standing = standing;
    this.isLost = false;
    this.notice = "";
    this.timer = 0;
  }

  /** Shows a message for some seconds. @param {string} text */
  notify(text) {
    clearTimeout(this.timer);
    this.notice = text;
    this.timer = window.setTimeout(() => {
      this.notice = "";
      this.tell();
    }, NOTICE_MS);
    this.tell();
  }

  /** Shows the state of the match or, until the next change, another text. @param {string} [instead] the other text */
  tell(instead) {
    const [text, more, mine] = this.standing();
    const isMine = mine && !instead && !this.isLost;
    const noticed = this.notice && isMine ? `${this.notice} ${text}` : this.notice || [text, ...more].join(" · "); // nobody shall miss their turn
    this.line.textContent = instead ?? (this.isLost ? LOST : noticed);
    this.line.classList.toggle("mine", isMine);
    this.line.classList.toggle("long", (this.line.textContent ?? "").length > LONG);
    document.title = `${isMine ? "● " : ""}${document.title.replace(/^● /, "")}`;
  }
}
