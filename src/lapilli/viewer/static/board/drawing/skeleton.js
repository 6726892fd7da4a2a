// @ts-check
// Creates the elements of <lapilli-board> that are the same for all games.

import { html, svg } from "./drawing.js";

const HELP = "Arrow keys go from place to place, plus and minus zoom.";

export class Skeleton {
  constructor() {
    this.headline = html("p", { class: "headline" });
    this.head = html("div", { class: "head" }, this.headline);
    this.above = html("div", { class: "plates above" });
    this.below = html("div", { class: "plates below" });
    this.common = html("div", { class: "common" });
    this.defs = svg("defs");
    this.marks = svg("g", { class: "marked" });
    this.camera = svg("g", { class: "camera" });
    this.board = svg("svg", { class: "board", role: "img" }, this.defs, this.camera);
    this.fit = html("button", { type: "button", class: "fit" }, "Fit");
    this.seats = html("div", { class: "seats" });
    this.stage = html(
      "div",
      {
        class: "stage",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "board",
        "aria-label": "Board",
        "aria-description": HELP,
      },
      this.board,
      this.seats,
      this.fit,
    );
    /** What stands below the board: a key to its signs, and the strips that belong to no player. */
    this.under = html("div", { class: "under" }, this.common);
    this.middle = html("div", { class: "middle" }, this.stage, this.under);
    /** The buttons below or beside the board: the bar, and elements that the page adds. */
    this.controls = html("div", { class: "controls" }, html("slot", { name: "controls" }));
    this.sky = svg("svg", { class: "sky", "aria-hidden": "true" });
    this.live = html("p", { class: "unseen", "aria-live": "polite" });
    this.frame = html(
      "div",
      { class: "frame", "data-layout": "stack", "data-common": "below" },
      this.head,
      this.above,
      this.middle,
      this.below,
      this.controls,
      this.sky,
    );
  }

  /** Sets the description for screen readers. @param {string} label the picture in one line */
  entitle(label) {
    for (const node of [this.board, this.stage]) node.setAttribute("aria-label", label);
  }
}
