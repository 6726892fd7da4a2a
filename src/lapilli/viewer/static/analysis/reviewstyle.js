// @ts-check
/** The style sheet that an analysis adds to the one of <lapilli-player>. */

export const REVIEW_STYLE = `
#review { grid-area: review; display: grid; grid-template-columns: 1fr 1fr; gap: 4px; padding: 8px 12px; background: var(--raised); border-top: 1px solid var(--soft); }
:host { grid-template: "header side" 44px "stage side" minmax(0, 1fr) "controls side" auto "controls review" auto / minmax(0, 1fr) clamp(280px, 26vw, 420px); }
#review button { border-color: var(--line); font-size: 14px; line-height: 1.2; }
#review [aria-pressed]:not(:has(~ :not([hidden]))):nth-last-child(-n+2) { grid-column: 1 / 3; }
#review [aria-pressed][hidden] + button:last-child { grid-column: 1 / 3; }
#review [aria-disabled=true] { color: var(--muted); border-color: transparent; cursor: default; }
#buttons > .jump[aria-disabled=true] { color: var(--muted); opacity: .6; cursor: default; }
:host([brief]) #buttons:has(> .mistake) > :is(#first, #last, #happeningback, #happeningforward) { display: none; }
.mark { width: .85em; height: .85em; margin: 0 .2em; vertical-align: -.08em; stroke: var(--raised); stroke-width: 1; overflow: visible; }
.mark.blunder { fill: var(--blunder); }
.mark.mistake { fill: var(--mistake); }
.mark.inaccuracy { fill: var(--inaccuracy); }
strong { white-space: nowrap; font-weight: 600; }
strong.blunder { color: var(--blunder); }
strong.mistake { color: var(--mistake); }
strong.inaccuracy { color: var(--inaccuracy); }
#accuracy { display: grid; gap: 4px; margin: 0 0 12px; padding: 0; list-style: none; font-variant-numeric: tabular-nums; }
#accuracy .count { margin-left: 12px; white-space: nowrap; font-size: 14px; }
:host([instead]) #stage { outline: 3px dashed var(--accent); outline-offset: -3px; }
:host([instead]) #caption { color: var(--accent); }
#values .lines > svg { height: 130px; }
.dots .dot { position: absolute; min-width: 0; min-height: 0; width: 16px; height: 16px; padding: 0; border: 0; background: none; transform: translate(-50%, -50%); line-height: 0; }
.dots .mark { width: 13px; height: 13px; margin: 0; cursor: pointer; }
.dots span.dot { pointer-events: none; }
.dots .dot:hover { z-index: 1; }
.dots .dot:hover .mark { stroke: var(--ink); stroke-width: 1.5; }
.verdict { margin: 4px 0; }
.better { margin: 0 0 4px; padding: 0; list-style: none; }
.better li { display: grid; grid-template-columns: 3em minmax(0, 1fr); padding: 2px 0; }
.better li > :nth-child(n+3) { grid-column: 2; }
.better .brief { font-variant-numeric: tabular-nums; word-spacing: .2em; }
.better li:first-child .brief { font-weight: 600; }
.better .whole { font-size: 14px; color: var(--muted); line-height: 1.3; }
code { font-size: 13px; overflow-wrap: anywhere; white-space: pre-wrap; }
.better .value { display: inline-block; color: var(--muted); font-variant-numeric: tabular-nums; }
.follow { color: var(--muted); }
@media (max-width: 1099.9px) {
  :host { --below: 240px; }
  #review { order: 5; position: sticky; bottom: 89px; z-index: 4; height: 56px; padding: 4px 8px; display: flex; overflow: auto; }
  #review button { flex: 1 1 0; min-width: 0; padding: 0 4px; line-height: 1.2; font-size: 13px; }
  #review .jump { flex: 0 0 72px; }
  aside { padding-bottom: 12px; }
  #controls { order: 6; }
}
@media (min-width: 720px) and (max-width: 1099.9px) {
  :host { --below: 192px; }
}
@media (max-width: 719.9px) {
  :host { --below: calc(276px + var(--frame, 0px)); }
  #review { order: 3; position: static; height: 48px; padding: 0 8px; background: none; border: 0; }
  #review { justify-content: center; }
  #review button { flex: 0 1 auto; line-height: 1.1; padding: 0 12px; }
  #review .jump { flex-basis: 64px; }
  header > #accuracy { grid-area: accuracy; display: flex; gap: 12px; margin: 0 0 2px; font-size: 13px; line-height: 16px; white-space: nowrap; overflow: hidden; }
  header > #accuracy::before { content: "Accuracy"; color: var(--muted); }
  header > #accuracy .sign-of { width: 12px; height: 12px; margin-right: 4px; vertical-align: -1px; }
  header > #accuracy .chip { width: 12px; height: 12px; }
  header > #accuracy .long { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  header > #accuracy li { min-width: 0; display: flex; }
  header > #accuracy .whose { overflow: hidden; text-overflow: ellipsis; margin-right: 4px; }
  header > #accuracy .count { display: none; }
  header:has(> #accuracy) > #result { -webkit-line-clamp: 1; line-height: 22px; }
}
@media (max-width: 719.9px) and (min-height: 500.1px) and (max-height: 700px) {
  :host { --below: calc(226px + var(--frame, 0px)); }
}
@media (max-height: 500px) and (orientation: landscape) {
  :host { grid-template: "stage controls" calc(100dvh - 28px) "caption controls" 28px "review review" auto "side side" auto / minmax(0, 1fr) 168px; }
  #review { position: static; }
  #controls > #review { grid-area: review; height: 48px; padding: 0; display: flex; background: none; border: 0; overflow: visible; }
  #controls:has(> #review) { grid-template: "timeline" minmax(30px, auto) "buttons" auto "more" auto "review" auto / minmax(0, 1fr); }
}
`;
