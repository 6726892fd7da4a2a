// @ts-check
/** The style sheet of <lapilli-player>. The page defines the colours as CSS variables. */

export const STYLE = `
* { box-sizing: border-box; }
[hidden] { display: none !important; }
:host {
  --touch: 40px; --gap: 4px; --corner: 8px;
  --soft: color-mix(in srgb, var(--line) 28%, transparent);
  --shadow: 0 4px 16px rgb(0 0 0 / .18);
  display: grid; grid-template: "header side" 44px "stage side" minmax(0, 1fr) "controls side" auto / minmax(0, 1fr) clamp(280px, 26vw, 420px);
  height: 100vh; height: 100dvh; overflow: hidden; container: player / inline-size;
  background: var(--sunken); color: var(--ink); font: 16px/1.45 var(--sans, system-ui, sans-serif);
}
:host([alone]) { grid-template-columns: minmax(0, 1fr) 0; }
:host([alone]) aside { display: none; }
header { grid-area: header; display: flex; align-items: center; gap: 16px; min-width: 0; padding: 0 4px 0 16px; }
h1 { font-size: 13px; font-weight: 400; color: var(--muted); margin: 0; flex: 1 1 0; min-width: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
#caption { grid-area: header; align-self: center; margin: 0 max(236px, 25%); height: 44px; line-height: 22px; display: flex; align-items: center; justify-content: center; text-align: center; font-weight: 600; overflow: hidden; font-size: 16px; flex-direction: column; pointer-events: none; }
#caption > bdi { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; }
#caption small { font-size: 13px; font-weight: 400; line-height: 18px; color: var(--muted); max-width: 100%; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
#caption > bdi:has(+ small) { -webkit-line-clamp: 1; }
header > h1 { max-width: calc(25% - 16px); flex-basis: 25%; }
header > #result { flex: 1 1 0; min-width: 0; }
#tools { display: flex; margin-left: auto; }
#stage { grid-area: stage; position: relative; min-width: 0; min-height: 0; padding: 0 8px; }
#board { display: block; width: 100%; height: 100%; }
#banner { position: absolute; z-index: 3; left: 50%; top: 8px; transform: translateX(-50%); width: max-content; max-width: min(92%, 560px); padding: 12px 48px 12px 20px; background: var(--raised); border: 1px solid var(--line); border-radius: var(--corner); box-shadow: var(--shadow); }
#banner p { margin: 0; font-weight: 600; overflow-wrap: anywhere; max-height: 6em; overflow: auto; }
#banner ul { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 20px; }
#banner li { overflow-wrap: anywhere; color: var(--muted); display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
#banner li.first { color: var(--ink); font-weight: 600; }
#banner .points { font-variant-numeric: tabular-nums; }
#dismiss { position: absolute; right: 0; top: 0; border: 0; background: none; font-size: 20px; }
.won { font-size: 13px; font-weight: 400; border: 1px solid var(--line); border-radius: 12px; padding: 0 8px; white-space: nowrap; }

button, select, input[type=search] { font: inherit; color: var(--ink); background: var(--raised); border: 1px solid transparent; border-radius: var(--corner); }
button { min-width: var(--touch); min-height: var(--touch); padding: 0 8px; cursor: pointer; display: inline-grid; place-items: center; }
button:hover:not(:disabled), summary:hover { background: var(--soft); }
button:disabled { color: var(--line); cursor: default; }
button[aria-pressed=true], button[aria-pressed=true]:hover:not(:disabled) { background: var(--ink); color: var(--sunken); }
select, input[type=search] { border-color: var(--line); min-height: 36px; padding: 0 8px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
.icon { width: 22px; height: 22px; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; display: block; }
.icon:is(.is-play, .is-forward, .is-back, .is-first, .is-last) path { fill: currentColor; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
#tools button, #tools summary { background: none; }
#tools button[aria-pressed=true], #tools button[aria-pressed=true]:hover:not(:disabled) { background: var(--soft); color: var(--ink); }

#options { position: relative; }
#options summary { list-style: none; width: var(--touch); height: var(--touch); display: grid; place-items: center; border-radius: var(--corner); cursor: pointer; }
#options summary::-webkit-details-marker { display: none; }
#choices { position: absolute; right: 0; top: 44px; z-index: 5; width: 280px; max-height: calc(100dvh - 60px); overflow: auto; padding: 12px 16px; background: var(--raised); border: 1px solid var(--line); border-radius: var(--corner); box-shadow: var(--shadow); }
#choices label { display: flex; align-items: center; gap: 8px; min-height: 36px; }
#choices input { width: 18px; height: 18px; margin: 0; accent-color: var(--accent); }
#deeds { display: grid; padding-bottom: 8px; margin-bottom: 8px; border-bottom: 1px solid var(--soft); }
#deeds:not(:has(> :not([hidden], slot), > slot)) { display: none; }
#deeds > button { display: flex; align-items: center; gap: 12px; min-height: 44px; padding: 0 4px; text-align: left; }
#tools > button .name { display: none; }
.icon.is-more { stroke-width: 3.2; }
#choices p { color: var(--muted); margin: 8px 0 0; font-size: 13px; overflow-wrap: anywhere; }

/* On phones the chart is the slider's track. */
#timeline > figure { min-width: 0; padding: 0 8px; }
#timeline > figure .levels, #timeline > figure .now { display: none; }
#timeline > figure .lines > svg { height: var(--plot); }
:host(:not([uneventful])) #timeline > figure { padding-bottom: 14px; }
#timeline > figure ~ #marks { inset: auto 0 0; }
#timeline > figure ~ #seek { appearance: none; inset: calc(var(--plot) - 44px + 19px) 0 0; height: auto; margin: 0; background: none; cursor: ew-resize; }
:host(:not([uneventful])) #timeline > figure ~ #seek { bottom: 14px; }
#timeline > figure ~ #seek::-webkit-slider-runnable-track { height: 100%; background: none; }
#timeline > figure ~ #seek::-moz-range-track { height: 100%; background: none; }
#timeline > figure ~ #seek::-webkit-slider-thumb { appearance: none; width: 16px; height: 100%; background: var(--thumb); }
#timeline > figure ~ #seek::-moz-range-thumb { width: 16px; height: 100%; border: 0; border-radius: 0; background: var(--thumb); }
#timeline { --plot: 40px; --thumb: radial-gradient(circle 7px at 50% calc(100% - 7px), var(--accent) 96%, transparent), linear-gradient(var(--accent) 0 0) 50% 100% / 2px var(--plot) no-repeat; }
#controls { grid-area: controls; display: grid; grid-template: "timeline timeline" 30px "buttons more" var(--touch) / auto 1fr; justify-content: space-between; gap: 4px 8px; padding: 4px 12px 8px; background: var(--sunken); }
#timeline { grid-area: timeline; position: relative; width: 100%; min-width: 0; }
:is(#more button, .jump) { display: inline-flex; gap: 4px; align-items: center; padding: 0 8px; font-size: 13px; }
.jump.onward { flex-direction: row-reverse; }
:is(#more, .jump) .icon { width: 20px; height: 20px; }
:host([uneventful]:not([authors])) :is(#happeningback, #happeningforward) { display: none; }
:host([brief]:not([uneventful])) :is(#first, #last) { display: none; }
#marks { position: absolute; inset: 0 0 auto; width: 100%; height: 14px; display: block; }
#marks .sign { cursor: pointer; }
#marks path { stroke: none; fill: var(--muted); }
#marks .stroked path { fill: none; stroke: var(--muted); stroke-width: 2; }
#marks .bad path { stroke: var(--highlight); stroke-width: 2.5; }
#marks path.heap { fill: none; stroke: var(--ink); stroke-width: 1.5; }
#seek { position: absolute; inset: 12px 0 auto; width: 100%; height: 18px; margin: 0; accent-color: var(--accent); }
#buttons { grid-area: buttons; display: grid; grid-auto-flow: column; grid-auto-columns: minmax(var(--touch), 1fr); gap: var(--gap); }
:host(:not([authors])) :is(#pictureback, #pictureforward, #fault, .detail) { display: none !important; }
:host(:not([authors])) #buttons { grid-auto-columns: minmax(48px, 1fr); }
#buttons #play { background: var(--ink); color: var(--sunken); }
#more { grid-area: more; display: flex; gap: var(--gap); align-items: center; justify-content: end; }
#more > * { flex: none; }
#more select { width: 64px; }
#more select { height: var(--touch); padding: 0 4px; }
#counter { flex: 1 1 0; min-width: 0; font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; padding-right: 8px; color: var(--muted); }

aside { grid-area: side; min-width: 0; min-height: 0; display: flex; flex-direction: column; background: var(--raised); border-left: 1px solid var(--soft); }
#tabs { display: flex; flex: none; height: 44px; padding: 0 4px; border-bottom: 1px solid var(--soft); }
#tabs button { flex: 1 1 auto; min-width: 0; background: none; border-radius: 0; padding: 0 4px; font-size: 14px; color: var(--muted); white-space: nowrap; box-shadow: none; }
#tabs button[aria-selected=true] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -3px var(--accent); }
#tabs button:focus-visible { outline-offset: -3px; }
[role=tabpanel] { position: relative; flex: 1 1 0; min-height: 0; padding: 12px; overflow: auto; }
[role=tabpanel]:focus-visible { outline-offset: -3px; }
#turns { display: flex; flex-direction: column; gap: 8px; overflow: hidden; }
aside > #result { padding: 12px 12px 0; }
#result { margin: 0; font-size: 20px; line-height: 1.25; font-weight: 600; overflow-wrap: anywhere; max-height: 6em; overflow: auto; flex: none; }
#for-authors { flex: none; display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; min-height: 44px; padding: 4px 12px; border-top: 1px solid var(--soft); font-size: 14px; cursor: pointer; }
#for-authors:hover { background: var(--soft); }
#for-authors small { font-size: 13px; color: var(--muted); }
#authors { appearance: none; flex: none; position: relative; width: 36px; height: 20px; margin: 0; border-radius: 10px; background: var(--muted); cursor: pointer; }
#authors::before { content: ""; position: absolute; left: 2px; top: 2px; width: 16px; height: 16px; border-radius: 50%; background: var(--raised); }
#authors:checked { background: var(--accent); }
#authors:checked::before { left: 18px; }
h2 { font-size: 16px; font-weight: 600; margin: 0 0 8px; }
:host([level]) #chart { display: none; }
h3 { font-size: 16px; font-weight: 600; margin: 0; overflow-wrap: anywhere; min-width: 0; }
.sign-of { display: inline-block; width: 16px; height: 16px; margin-right: 8px; vertical-align: -2px; }
.chip { width: 16px; height: 16px; display: block; overflow: visible; }
.chip path { stroke-width: 1.5; }
.chip.of-0 { fill: var(--player-0); stroke: var(--player-0-line); }
.chip.of-1 { fill: var(--player-1); stroke: var(--player-1-line); }
.chip.of-2 { fill: var(--player-2); stroke: var(--player-2-line); }
.chip.of-3 { fill: var(--player-3); stroke: var(--player-3-line); }

figure { margin: 0; flex: none; }
figcaption { color: var(--muted); font-size: 13px; min-height: 19px; }
.plot { display: flex; gap: 4px; }
.levels { display: flex; flex-direction: column; justify-content: space-between; text-align: right; color: var(--muted); font-size: 13px; line-height: 1; min-width: 2.6em; font-variant-numeric: tabular-nums; }
.lines { position: relative; flex: 1; min-width: 0; }
.lines > svg { display: block; width: 100%; height: 96px; cursor: crosshair; }
.lines polyline { fill: none; stroke-width: 2.5; vector-effect: non-scaling-stroke; }
polyline.p0 { stroke: var(--player-0); }
polyline.p1 { stroke: var(--player-1-line); stroke-dasharray: 7 4; }
polyline.p2 { stroke: var(--player-2); stroke-dasharray: 2 3; }
polyline.p3 { stroke: var(--player-3); stroke-dasharray: 9 3 2 3; }
.lines .now { stroke: var(--accent); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.lines .level { stroke: var(--line); stroke-width: 1; stroke-dasharray: 2 4; vector-effect: non-scaling-stroke; }

#log { display: flex; flex-direction: column; gap: 8px; min-height: 0; flex: 1 1 0; }
#log input { width: 100%; flex: none; }
#nothing { margin: 0; color: var(--muted); }
#log ol { list-style: none; margin: 0 -12px -12px; padding: 0 8px 8px; overflow: auto; flex: 1 1 0; min-height: 0; position: relative; }
#log ol:focus-visible { outline-offset: -3px; }
#log li button { display: grid; grid-template-columns: minmax(2.4em, auto) 24px minmax(0, 1fr) auto; gap: 0 4px; align-items: baseline; width: 100%; min-height: 32px; padding: 4px; border-radius: 4px; text-align: left; justify-items: start; background: none; font-size: 14px; }
#log li button:hover { background: var(--soft); }
#log li.current button { background: var(--soft); box-shadow: inset 3px 0 var(--accent); }
#log .number { color: var(--muted); font-variant-numeric: tabular-nums; white-space: nowrap; }
#log li.current .number, #log li.current .ms { color: var(--ink); }
#log .what { max-width: 100%; overflow-wrap: anywhere; }
#log .what > span { display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; }
#log .ms { font-size: 13px; }
.ms { color: var(--muted); font-variant-numeric: tabular-nums; white-space: nowrap; }
.bad, .fault { color: var(--highlight); font-weight: 600; overflow-wrap: anywhere; }
.raw { font-family: ui-monospace, monospace; font-size: 13px; overflow-wrap: anywhere; white-space: pre-wrap; color: var(--muted); }
:host(:not([raw])) .raw { display: none !important; }
#log .raw { display: -webkit-box; }

article { margin-bottom: 12px; }
.who { display: flex; flex-wrap: wrap; align-items: center; gap: 0 8px; }
.who h3 { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }
button.small { min-height: 32px; font-size: 13px; border-color: var(--line); margin-left: auto; }
#now .told { overflow-wrap: anywhere; white-space: pre-wrap; max-height: 9em; overflow: auto; }
#now .raw { max-height: 9em; overflow: auto; border-left: 3px solid var(--line); padding-left: 8px; }
.note, #used { color: var(--muted); overflow-wrap: anywhere; font-size: 14px; }
.message { font-style: italic; overflow-wrap: anywhere; max-height: 6em; overflow: auto; }
pre { margin: 4px 0; padding: 4px 8px; border-left: 3px solid var(--line); max-height: 12em; overflow: auto; font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
details > summary { cursor: pointer; border-radius: 4px; }
#words > summary, #rules > summary { min-height: 40px; line-height: 40px; font-weight: 600; }
#words ul { margin: 0 0 8px; padding-left: 20px; font-size: 14px; overflow-wrap: anywhere; }
.legend { list-style: none; margin: 0 0 12px; padding: 0; }
.legend li { display: grid; grid-template-columns: 40px 1fr; gap: 0 12px; align-items: center; min-height: 44px; font-size: 14px; }
.sample { width: 40px; height: 40px; overflow: visible; }
.patterns { position: absolute; }
.prose { overflow-wrap: anywhere; font-size: 14px; }
.prose h3 { margin: 8px 0; } .prose h4 { margin: 12px 0 4px; }
.prose table { border-collapse: collapse; width: 100%; }
.prose :is(td, th) { border: 1px solid var(--soft); padding: 4px; text-align: left; vertical-align: top; }
.prose :is(ul, ol) { padding-left: 20px; }
.prose code { font-size: 13px; }

/* A phone, or a window too narrow for two columns: the panel is below the board, and the controls stay at the lower edge.
   The board is not wider than in the narrowest window with two columns. Otherwise widening the window could make the board smaller. */
@media (max-width: 1099.9px) {
  :host { --touch: 48px; display: flex; flex-direction: column; height: auto; min-height: 100vh; min-height: 100dvh; overflow: visible; }
  header { order: 0; height: 44px; flex: none; }
  #stage { order: 1; flex: none; width: 100%; max-width: 798px; margin: 0 auto; padding: 0; }
  #board { height: min(max(240px, calc(100vh - var(--below))), var(--needed, 100vh)); height: min(max(240px, calc(100dvh - var(--below))), var(--needed, 100dvh)); }
  :host([alone]) #stage { max-width: none; }
  :host { --below: 184px; }
  #caption { order: 2; flex: none; margin: 0; padding: 0 12px; height: 48px; width: 100%; }
  header > h1 { max-width: none; }
  aside * { scroll-margin-bottom: 200px; }
  aside { order: 3; border: 0; }
  #turns { overflow: visible; }
  [role=tabpanel] { overflow: visible; flex: none; }
  #log, #log ol { flex: none; }
  #log ol { max-height: 60vh; }
  #controls { order: 4; position: sticky; bottom: 0; z-index: 4; padding: 4px 8px 6px; border-top: 1px solid var(--soft); }
  #panel { display: none; }
}
@media (min-width: 720px) and (max-width: 1099.9px) {
  :host { --below: 136px; position: relative; }
  #caption { position: absolute; top: 0; left: 0; width: auto; right: 0; margin: 0 max(200px, 22%); height: 44px; padding: 0; }
  header > h1 { max-width: max(180px, calc(22% - 16px)); }
}
@media (max-width: 719.9px) {
  :host { --below: calc(228px + var(--frame, 0px)); }
  #controls { grid-template: "timeline timeline" minmax(30px, auto) "buttons more" var(--touch) / minmax(0, 1fr) auto; }
  :host([authors]) #controls { grid-template: "timeline" 30px "buttons" var(--touch) "more" var(--touch) / minmax(0, 1fr); }
  :host(:not([authors])) #counter { font-size: 13px; padding: 0; }
  :host(:not([authors])) #controls { padding-inline: 4px; column-gap: 4px; }
  :host(:not([authors])) :is(#buttons, #more) { gap: 2px; }
  :host(:not([authors])) #counter { position: absolute; left: 12px; top: 0; line-height: 19px; pointer-events: none; }
  #stage { padding: 0 8px; }
  #caption { justify-content: start; padding-top: 4px; }
  #choices #speed { margin-left: auto; }
  #timeline > figure figcaption { margin-left: 92px; text-align: right; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
  #buttons, :host(:not([authors])) #buttons { grid-auto-columns: minmax(0, 1fr); }
  #buttons button { min-width: 0; padding: 0; }
  :is(#more button, .jump, .jump.onward) { flex-direction: column; gap: 0; min-width: 54px; padding: 0; justify-content: center; line-height: 1.15; }
  #counter { text-align: left; }
  header { display: grid; grid-template: "title tools" minmax(0, 1fr) "accuracy tools" auto / minmax(0, 1fr) auto; gap: 0 8px; align-items: center; }
  header > :is(h1, #result) { grid-area: title; }
  #tools { grid-area: tools; }
  header > #result { font-size: 16px; max-height: 2.5em; overflow: hidden; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; }
  header > #title:has(+ #result:not([hidden])) { display: none; }
}
/* A low phone: the board needs some of the chart's height, and that of the sentence. */
@media (max-width: 719.9px) and (min-height: 500.1px) and (max-height: 700px) {
  :host { --below: calc(178px + var(--frame, 0px)); }
  #timeline { --plot: 28px; }
  :host(:not([uneventful])) #timeline > figure { padding-bottom: 0; }
  :host(:not([uneventful])) #timeline > figure ~ #seek { bottom: 0; }
  #caption { height: 24px; padding-top: 0; }
  #caption > bdi { -webkit-line-clamp: 1; }
  #caption small { display: none; }
}
/* A phone in landscape: the controls are beside the board. */
@media (max-height: 500px) and (orientation: landscape) {
  :host { --touch: 48px; position: static; display: grid; grid-template: "stage controls" calc(100dvh - 28px) "caption controls" 28px "side side" auto / minmax(0, 1fr) 192px; height: auto; overflow: visible; }
  :host([alone]) { grid-template-columns: minmax(0, 1fr) 192px; }
  header { position: absolute; right: 0; top: 0; width: 192px; padding: 0; height: 44px; z-index: 5; overflow: visible; }
  header > h1 { display: none; }
  #tools { justify-content: flex-end; width: 100%; }
  #tools > *, #tools summary { flex: 0 1 44px; min-width: 0; padding: 0; }
  #tools summary { width: 44px; }
  #stage { height: 100%; max-width: none; }
  #board { height: 100%; }
  #caption { position: static; grid-area: caption; margin: 0; height: 28px; padding: 0 12px; width: auto; }
  #caption { flex-direction: row; gap: 12px; }
  #caption > bdi { -webkit-line-clamp: 1; flex: 0 1 auto; }
  #caption small { flex: 0 0 auto; max-width: 68%; }
  #controls { align-self: start; position: static; height: 100dvh; border: 0; padding: 48px 4px 4px; grid-template: "timeline" minmax(30px, auto) "buttons" auto "more" auto / minmax(0, 1fr); align-content: space-between; gap: 4px; }
  #timeline > figure figcaption { display: none; }
  #timeline { --plot: 52px; }
  #timeline > figure ~ #seek { top: 0; }
  #buttons, :host(:not([authors])) #buttons { grid-auto-flow: row; grid-template-columns: repeat(3, 1fr); }
  #buttons #play { grid-area: 3 / 1 / 4 / -1; }
  :host(:not([authors])) #buttons { grid-template-columns: repeat(2, 1fr); }
  :host([brief]) #buttons > .jump { order: 1; }
  #more { display: grid; grid-template-columns: repeat(3, 1fr); }
  :host(:not([authors])) #more { grid-template-columns: repeat(2, 1fr); }
  :is(#more button, .jump, .jump.onward) { flex-direction: column; gap: 0; min-width: 0; padding: 0; justify-content: center; line-height: 1.15; }
  #more #counter { grid-column: 1 / -1; text-align: center; padding: 0; font-size: 13px; height: 24px; }
  #more select { grid-column: 1 / -1; width: auto; }
  aside { grid-area: side; }
}
@media (pointer: coarse) {
  #for-authors { min-height: 48px; }
  #choices label, #choices select { min-height: 44px; }
  #keys { display: none; }
  #seek { inset: -1px 0 auto; height: 44px; }
  #search { min-height: 44px; }
  #log li button { min-height: 44px; align-items: center; }
}
@media (max-width: 719.9px), (max-height: 500px) { .clock { display: none; } }
@media (prefers-reduced-motion: no-preference) { #banner { animation: come .3s ease-out; } }
@keyframes come { from { opacity: 0; } }
`;
