// @ts-check
/** The HTML of a <lapilli-player> before it has a film. */

const PATHS = {
  first: "M5 4v16M19 4L8 12l11 8z",
  back: "M16 4L6 12l10 8z",
  pictureback: "M15 6L9 12l6 6",
  play: "M7 4l12 8l-12 8z",
  pause: "M8 4v16M16 4v16",
  pictureforward: "M9 6l6 6l-6 6",
  forward: "M8 4l10 8l-10 8z",
  last: "M19 4v16M5 4l11 8l-11 8z",
  happeningback: "M8 6L2 12l6 6M15.5 5.5L22 12l-6.5 6.5L9 12z",
  happeningforward: "M16 6l6 6l-6 6M8.5 5.5L15 12l-6.5 6.5L2 12z",
  markback: "M7 6L1 12l6 6M15.5 6L22 18H9z",
  markforward: "M17 6l6 6l-6 6M8.5 6L15 18H2z",
  fault: "M12 3L22 20H2zM12 10v5M12 17.4v.2",
  flip: "M8 4v16M8 20l-4-4M8 20l4-4M16 20V4M16 4l-4 4M16 4l4 4",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  panel: "M3 5h18v14H3zM15 5v14",
  more: "M5 12h.1M12 12h.1M19 12h.1",
  share: "M12 15V4M8 7l4-4 4 4M6 11H5v10h14V11h-1",
  globe: "M12 3a9 9 0 1 0 .01 0zM3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18",
};

/** Returns the SVG of an icon. @param {keyof typeof PATHS} name */
export const icon = (name) =>
  `<svg viewBox="0 0 24 24" aria-hidden="true" class="icon is-${name}"><path d="${PATHS[name]}"/></svg>`;

/**
 * Returns the HTML of a button with an icon.
 * @param {keyof typeof PATHS} name name of the icon, and id of the button
 * @param {string} label
 * @param {string} [keys] keyboard keys that press the button, for its title
 * @param {string} [more] further attributes
 */
const button = (name, label, keys, more = "") =>
  `<button type="button" id="${name}" aria-label="${label}" title="${label}${keys ? ` (${keys})` : ""}" ${more}>${icon(name)}</button>`;

/** Returns the HTML of a button with an icon and a visible name. @param {Parameters<typeof button>} about @param {string} word */
const named = (about, word) => button(...about).replace("</button>", `<span class="name">${word}</span></button>`);

/**
 * Returns the HTML of a tab.
 * @param {string} id id of the page that the tab opens
 * @param {string} name text of the tab
 */
const tab = (id, name) =>
  `<button type="button" role="tab" id="tab-${id}" aria-controls="${id}" aria-selected="false" tabindex="-1">${name}</button>`;

/** Returns the start tag of the page of a tab. @param {string} id */
const page = (id) => `<section role="tabpanel" id="${id}" aria-labelledby="tab-${id}" tabindex="0" hidden>`;

export const LAYOUT = `
<header>
  <h1 id="title"></h1>
  <div id="tools">
    ${named(["globe", "Globe", "G", 'aria-pressed="false" hidden'], "Globe")}
    ${named(["flip", "Flip the board", "X", 'aria-pressed="false"'], "Flip the board")}
    ${named(["full", "Full screen", "", 'aria-pressed="false"'], "Full screen")}
    ${button("panel", "Hide the panel", "", 'aria-pressed="false"')}
    <details id="options">
      <summary aria-label="More" title="More">${icon("more")}</summary>
      <div id="choices">
        <div id="deeds">${named(["share", "Share a link to this turn", "", "hidden"], "Share this turn")}<slot name="deeds"></slot></div>
        <label><input type="checkbox" id="labels" checked> Names on the board</label>
        <label><input type="checkbox" id="lastmove" checked> Last move</label>
        <label id="lettering" hidden><input type="checkbox" id="letters"> Letters on the ground</label>
        <label><input type="checkbox" id="reveal"> Show the result</label>
        <label class="detail"><input type="checkbox" id="raw"> What bots wrote, too</label>
        <label><input type="checkbox" id="sound"> Sound</label>
        <div id="debugs"></div>
        <label id="pace" hidden>Speed </label>
        <label>Theme <select id="theme"><option value="">as the system</option><option value="light">light</option><option value="dark">dark</option></select></label>
        <p id="keys">Keys: space plays, ← → step a turn, , . a picture, N and P lead to what happens, Home End<span class="detail">, F to faults</span>.</p>
      </div>
    </details>
  </div>
</header>
<section id="stage" aria-label="Board">
  <lapilli-board id="board" headline="off"></lapilli-board>
  <div id="banner" role="status" hidden><p id="outcome"></p><ul id="ranking"></ul><button type="button" id="dismiss" aria-label="Hide the result" title="Hide the result">×</button></div>
</section>
<p id="caption" aria-live="polite"></p>
<section id="controls" aria-label="Playback">
  <div id="timeline">
    <svg id="marks" aria-hidden="true"></svg>
    <input id="seek" type="range" min="0" value="0" aria-label="Picture" title="Go to a picture">
  </div>
  <div id="buttons">
    ${button("first", "First turn", "Home")}
    ${button("back", "Previous turn", "←")}
    ${button("pictureback", "Previous picture", ",")}
    ${button("play", "Play", "space")}
    ${button("pictureforward", "Next picture", ".")}
    ${button("forward", "Next turn", "→")}
    ${button("last", "Last turn", "End")}
  </div>
  <div id="more">
    <output id="counter" for="seek"></output>
    ${named(["happeningback", "Previous event", "P", 'class="jump"'], "event")}
    ${named(["happeningforward", "Next event", "N", 'class="jump onward"'], "event")}
    ${named(["fault", "Next fault", "F"], "fault")}
    <select id="speed" aria-label="Speed" title="Speed"><option value=".25">×¼</option><option value=".5">×½</option><option value="1" selected>×1</option><option value="2">×2</option><option value="4">×4</option><option value="16">×16</option></select>
  </div>
</section>
<aside id="side" aria-label="About this match">
  <div id="tabs" role="tablist" aria-label="About this match">${tab("turns", "Turns")}${tab("now", "Details")}${tab("analysis", "Analysis")}${tab("about", "About this game")}</div>
  <p id="result" hidden></p>
  <slot name="next"></slot>
  ${page("turns")}
    <figure id="chart"></figure>
    <div id="log">
      <input id="search" type="search" aria-label="Search all turns" placeholder="Search all turns" title="Finds turns, and what bots wrote">
      <p id="nothing" hidden>Nothing found.</p>
      <ol tabindex="0" aria-label="All turns"></ol>
    </div>
  </section>
  ${page("now")}
    <div id="parts"></div>
    <div id="waiting"></div>
    <p id="used"></p>
    <details id="words"><summary>The board in words</summary><div></div></details>
  </section>
  ${page("analysis")}</section>
  ${page("about")}
    <h2>How to read this</h2>
    <div id="legend"></div>
    <div id="rulesbox"></div>
  </section>
  <label id="for-authors"><input type="checkbox" role="switch" id="authors"> Details for bot authors <small>times, input, stderr, faults</small></label>
</aside>
`;
