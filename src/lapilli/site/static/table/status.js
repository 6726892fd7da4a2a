// @ts-check
// The one line in which a table's page says what is going on.

const NOTICE_MS = 5000;
const LOST = "Connection lost. Reconnecting …";

export class Status {
  /**
   * @param {HTMLElement} line
   * @param {() => [text: string, isMine: boolean]} standing how the match stands, and whether it is this person's turn
   */
  constructor(line, standing) {
    this.line = line;
    this.standing = standing;
    this.isLost = false;
    this.notice = "";
    this.timer = 0;
  }

  /** Says for some seconds what has happened. @param {string} text */
  notify(text) {
    clearTimeout(this.timer);
    this.notice = text;
    this.timer = window.setTimeout(() => {
      this.notice = "";
      this.tell();
    }, NOTICE_MS);
    this.tell();
  }

  /** Says how the match stands, or something else until the next change. @param {string} [instead] */
  tell(instead) {
    const [text, mine] = this.standing();
    const isMine = mine && !instead && !this.isLost;
    this.line.textContent = instead ?? (this.isLost ? LOST : this.notice || text);
    this.line.classList.toggle("mine", isMine);
    document.title = `${isMine ? "● " : ""}${document.title.replace(/^● /, "")}`;
  }
}
