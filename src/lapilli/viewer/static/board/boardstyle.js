// @ts-check
// The style sheet of <lapilli-board>. The page defines the colours as CSS variables. A game's own style sheet is added
// later.

export const BOARD_STYLE = `
:host { display: block; position: relative; min-width: 0; color: var(--ink); font: 16px/1.35 var(--sans, system-ui, sans-serif); --mark: var(--accent, var(--highlight)); --halo: var(--paper); --point: var(--ink); --far: var(--muted); }
.stage.is-dark .camera { --mark: var(--dark-accent, #fff); --halo: var(--dark-paper, #000); --point: var(--dark-ink, #fff); --far: var(--dark-muted, #aaa); }
:host([hidden]), [hidden] { display: none !important; }
* { box-sizing: border-box; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 1px; border-radius: 8px; }
:is(.unseen, .spoken) { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.frame { position: absolute; inset: 0; display: grid; gap: 8px; place-content: center; grid-template: "head" auto "above" auto "middle" minmax(0, var(--row, 1fr)) "below" auto "controls" auto / minmax(0, max(min(100%, 340px), var(--wide, 100%))); }
.frame.free { position: relative; inset: auto; }
.frame[data-narrow=true]:not(.free) { row-gap: 4px; grid-template-rows: auto auto minmax(0, var(--row, 1fr)) auto minmax(min-content, var(--rest, min-content)); }
:host(:not([over])) .frame[data-narrow=true]:not(.free) { grid-template-rows: auto auto minmax(0, var(--row, 1fr)) auto min-content; align-content: var(--spread, center); }
.frame[data-narrow=true] .controls { align-self: end; }
:host([over]) .frame[data-narrow=true] .controls { align-self: stretch; }
.frame[data-narrow=true][data-layout=stack]:not([data-controls=beside], .free) { grid-template-columns: minmax(0, 100%); }
:host([over]) .bar:not(:has(button:not([hidden]))) { display: none; }
.frame[data-layout=column] { grid-template: "head middle" auto "above middle" auto ". middle" minmax(0, 1fr) "below middle" auto "controls controls" auto / var(--side, clamp(170px, 22%, 260px)) minmax(0, var(--wide, 1fr)); column-gap: 16px; }
.frame[data-controls=beside] { grid-template: "head controls" auto "above controls" auto "middle controls" minmax(0, 1fr) "below controls" auto / minmax(0, 1fr) 216px; column-gap: 12px; place-content: stretch; }
.frame[data-controls=beside][data-layout=column] { grid-template: "head middle controls" auto "above middle controls" auto ". middle controls" minmax(0, 1fr) "below middle controls" auto / 170px minmax(0, 1fr) 216px; }
.frame[data-asks=bar] .head { display: none; }
.head { grid-area: head; display: flex; gap: 12px; align-items: center; min-width: 0; min-height: 28px; }
.headline { flex: 1; margin: 0; min-width: 0; font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
:is([data-narrow=true], [data-layout=column]) .headline { white-space: normal; line-height: 1.25; min-height: 2.5em; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; align-content: center; }
.frame[data-layout=column] .headline { min-height: 3.75em; -webkit-line-clamp: 3; align-content: start; }
.frame[data-layout=column] .head { align-items: start; }
.viewing, .explain { flex: none; padding: 4px 12px; min-height: 28px; border: 1px solid var(--line); border-radius: 8px; font-size: 13px; color: var(--muted); }
:is(.viewing, .explain):hover { color: var(--ink); border-color: var(--ink); }
@media (pointer: coarse) { .viewing { min-height: 44px; } }
.explain .short { display: none; }
:is([data-narrow=true], [data-layout=column]) .explain { width: 44px; height: 44px; padding: 0; font-size: 16px; }
.bar .explain { width: 44px; height: 44px; padding: 0; font-size: 16px; border-radius: 8px; }
.frame[data-explained] .explain { display: none; }
:is([data-narrow=true], [data-layout=column], .bar) .explain .short { display: inline; }
:is([data-narrow=true], [data-layout=column], .bar) .explain .long { display: none; }
:host([dimmed]) .frame { opacity: .3; }
:host([headline=off]) .head { display: none; }
:host([plates=off]) :is(.plates, .plate) { display: none; }

.plates { display: grid; gap: 4px 8px; min-width: 0; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); }
.plates.above { grid-area: above; }
.plates.below { grid-area: below; }
.plates:empty { display: none; }
.frame[data-layout=column] .plates { grid-auto-flow: row; }
.frame[data-narrow=true] .plates { grid-auto-flow: row; grid-template-columns: repeat(auto-fit, minmax(45%, 1fr)); grid-auto-columns: auto; }
.plate { position: relative; display: grid; min-width: 0; align-items: center; column-gap: 10px; padding: 4px 12px 4px 10px; min-height: 52px; border-radius: 8px; background: color-mix(in srgb, var(--line) 12%, var(--paper)); grid-template: "chip name strips slot score" 1.35em "chip facts strips slot score" 24px / 22px minmax(8em, 1fr) minmax(0, auto) auto auto; }
.plate::before { content: ""; position: absolute; inset: 0 auto 0 0; width: 4px; border-radius: 8px 0 0 8px; background: transparent; }
.plate.of-0 { --own: var(--player-0); }
.plate.of-1 { --own: var(--player-1); }
.plate.of-2 { --own: var(--player-2); }
.plate.of-3 { --own: var(--player-3); }
:host(:not([over], [waits])) .plate.to-move { background: color-mix(in srgb, var(--own) 16%, var(--paper)); }
:host(:not([over], [waits])) .plate.to-move::before, .plate.won::before { background: var(--own); }
:host(:is([over], [waits])) .fact.to-move { display: none; }
.plate.won { box-shadow: inset 0 0 0 1px var(--own); }
.plate.out .name, .plate.out .score { color: var(--muted); }
.plate.out .name bdi { text-decoration: line-through; }
.plate .chip { grid-area: chip; width: 20px; height: 20px; }
.chip { overflow: visible; stroke: var(--ink); stroke-width: 1; }
.chip.of-0 { fill: var(--player-0); }
.chip.of-1 { fill: var(--player-1); }
.chip.of-2 { fill: var(--player-2); }
.chip.of-3 { fill: var(--player-3); }
.plate .name { grid-area: name; display: flex; gap: 8px; align-items: baseline; min-width: 0; white-space: nowrap; }
.name bdi { font-weight: 600; overflow: hidden; text-overflow: ellipsis; }
.name .side { flex: 0 1000 auto; overflow: hidden; text-overflow: ellipsis; font-size: 13px; color: var(--muted); }
.plate .facts { grid-area: facts; display: flex; min-width: 0; height: 24px; align-content: start; overflow: clip; white-space: nowrap; font-size: 13px; flex-wrap: wrap; gap: 2px 12px; }
.fact { color: var(--muted); overflow: hidden; text-overflow: ellipsis; flex: none; max-width: 100%; line-height: 22px; }
button.fact { text-decoration: underline dotted; text-underline-offset: 3px; }
button.fact:hover { color: var(--ink); }
button.fact:focus-visible { outline-offset: -2px; }
.fact.to-move, .fact.won { flex: none; color: var(--ink); font-weight: 600; }
.fact.to-move { position: relative; }
.fact.to-move::before { content: "●"; color: var(--mark); }
.frame[data-narrow=false][data-low=false] .plate:not(.small) .fact.to-move .spoken { position: static; width: auto; height: auto; margin-left: 4px; clip-path: none; }
.fact.won { padding: 0 10px; border-radius: 11px; background: var(--ink); color: var(--paper); }
.fact.out { flex: none; color: var(--ink); }
.plate .strips { grid-area: strips; display: flex; gap: 12px; min-width: 0; justify-content: flex-end; }
.plate ::slotted(*) { grid-area: slot; font-size: 13px; color: var(--muted); font-variant-numeric: tabular-nums; white-space: nowrap; }
.plate .score { position: relative; grid-area: score; display: grid; justify-items: end; min-width: 3.6em; line-height: 1.1; font-variant-numeric: tabular-nums; }
.score .number { font-size: 22px; font-weight: 600; }
.score .gain { position: absolute; right: 0; top: 24px; font-weight: 600; white-space: nowrap; color: var(--ink); pointer-events: none; }
.score:has(.gain) .unit { visibility: hidden; }
.score .unit { font-size: 13px; color: var(--muted); }
.frame[data-low=true]:not([data-narrow=true], [data-layout=column]) .plate { min-height: 40px; padding-block: 2px; grid-template: "chip name facts strips slot score" 36px / 22px minmax(6em, auto) minmax(6em, 1fr) minmax(0, auto) auto auto; }
:is([data-narrow=true], [data-layout=column]) .plate { grid-template: "chip name slot score" 1.35em "facts facts facts score" 24px "strips strips strips strips" auto / 22px minmax(0, 1fr) auto auto; column-gap: 8px; padding: 4px 8px 4px 10px; }
.frame[data-narrow=true] .plate { grid-template: "chip name facts slot score" 32px "strips strips strips strips strips" auto / 22px auto minmax(16px, 1fr) auto auto; min-height: 40px; }
.frame[data-narrow=true] .plate:not(.twin) .side { display: none; }
.frame[data-narrow=true] .plate .facts { height: 22px; }
.frame[data-narrow=true] .plate .facts::before { content: ""; width: 1px; height: 18px; margin-right: -12px; }
.frame[data-narrow=true] .plate .fact.fact.fact { max-width: none; white-space: nowrap; }
.frame[data-narrow=true] .plate .score { display: flex; gap: 4px; align-items: baseline; }
.frame[data-narrow=true] .score .gain { right: auto; left: 0; top: auto; bottom: 100%; }
:is([data-narrow=true], [data-layout=column]) .plate .strips { justify-content: flex-start; }
.frame[data-narrow=true] .plate .strip figcaption { display: none; }
.frame[data-narrow=true] .plate .strips:not(:empty) { height: 34px; align-items: center; gap: 8px; }
.frame[data-layout=column] .plate { grid-template-areas: "chip name slot slot" "facts facts facts score" "strips strips strips strips"; }
.frame[data-layout=column][data-low=false] .plate .strips { flex-direction: column; gap: 4px; }
.frame[data-layout=column][data-low=false] .plate { grid-template-rows: 1.35em 72px auto; }
.frame[data-layout=column][data-low=false] .plate .facts { height: 72px; }
.frame[data-layout=column][data-low=true] .plate .strips { flex-direction: column; gap: 4px; }
.frame[data-layout=column][data-low=true] .plate { grid-template-rows: 1.35em 64px auto; }
.frame[data-layout=column][data-low=true] .plate .facts { height: 64px; }
.frame[data-layout=column][data-low=true] .plate:has(.strip) { grid-template-rows: 1.35em 24px auto; }
.frame[data-layout=column][data-low=true] .plate:has(.strip) .facts { height: 24px; }
.frame[data-layout=column][data-low=true] .plate:has(.strip) .fact:not(.to-move, .won, .out) { display: none; }
.frame[data-layout=column] .fact { white-space: normal; text-align: left; line-height: 20px; }
.frame[data-layout=column][data-low=true] :is(.unit, .side, .plate figcaption) { display: none; }
.frame[data-layout=column][data-low=true] .explain { width: 32px; height: 32px; }
:is([data-narrow=true], [data-layout=column]) .plate .score { min-width: 2.6em; }

.strip { margin: 0; min-width: 0; position: relative; }
.strip svg { display: block; overflow: visible; }
.strip figcaption { font-size: 13px; line-height: 16px; color: var(--muted); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.plate .strip { flex: 0 1 auto; display: flex; gap: 8px; align-items: center; }
.plate .strip figcaption { flex: none; }
.plate .strip svg { height: 32px; flex: 0 2 auto; min-width: 0; width: auto; max-width: 100%; aspect-ratio: var(--w) / var(--h); }
.common { display: flex; gap: 12px; justify-content: center; min-width: 0; }
.common .strip { flex: 0 1 auto; }
.common .strip figcaption { display: var(--captions, block); }
.common .strip:only-child figcaption { text-align: center; }
.common .strip svg { width: calc(var(--w) * max(var(--unit), 32px / var(--h))); max-width: 100%; aspect-ratio: var(--w) / var(--h); }

.key { position: absolute; left: 0; bottom: 0; margin: 0; padding: 0; list-style: none; font-size: 13px; line-height: 16px; color: var(--muted); white-space: nowrap; }
.key li { display: flex; gap: 4px; align-items: center; }
.key .sample { flex: none; width: 16px; height: 16px; overflow: visible; }
.under { position: relative; min-width: 0; }
.frame[data-narrow=true] .under { display: flex; align-items: end; gap: 8px; }
.frame[data-narrow=true] .under > .key { position: static; flex: none; }
.frame[data-narrow=true][data-common=below] .under > .common { flex: 1; }
.frame[data-narrow=true] .under:has(> .key:not([hidden])) > .common { justify-content: flex-start; }
.frame:not([data-common=below]) .under.under { display: contents; }
.frame:not([data-common=below]) .key { display: none; }
.frame .under.under:has(> .common:empty), .frame[data-small] .under.under { display: none; }

.frame[data-explained] .bar:not(.used):not(:has(> .undo:not([hidden]))) { display: none; }
.frame[data-explained] .bar p { font-size: 14px; }
.middle > .viewing { position: absolute; z-index: 1; right: 0; bottom: 0; background: var(--paper); }
.middle { position: relative; grid-area: middle; display: flex; gap: 12px; min-width: 0; min-height: 0; }
.frame:is([data-common=below], [data-common=stacked]) .middle { flex-direction: column; }
.frame:is([data-common=beside], [data-common=stacked]) .common { flex-direction: column; }
.frame[data-common=stacked] .common .strip { align-self: center; max-width: 100%; }
.stage { position: relative; flex: 1; min-width: 0; min-height: 0; touch-action: pan-x pan-y; border-radius: 8px; user-select: none; -webkit-user-select: none; }
.frame.free .stage { flex: none; height: var(--tall); }
.frame.free[data-common=beside] .stage { flex: 1; }
.stage.close { touch-action: none; cursor: grab; }
.stage.close:active { cursor: grabbing; }
.stage svg { position: absolute; inset: 0; width: 100%; height: 100%; display: block; overflow: hidden; }
.stage.is-globe .board, .stage:not(.is-globe) .globe { display: none; }
.stage .fit { position: absolute; right: 8px; top: 8px; padding: 4px 12px; min-height: 32px; border-radius: 8px; border: 1px solid var(--line); background: var(--paper); color: var(--ink); font-size: 13px; }
.stage:not(.close) .fit { visibility: hidden; }
.lens { position: absolute; z-index: 4; width: 144px; height: 144px; border-radius: 50%; overflow: hidden; background: var(--paper); box-shadow: 0 0 0 2px var(--ink), 0 4px 16px rgb(0 0 0 / .35); pointer-events: none; }
.lens * { pointer-events: none !important; }
.lens::after { content: ""; position: absolute; inset: 0; width: 4px; height: 4px; margin: auto; border-radius: 50%; background: var(--ink); box-shadow: 0 0 0 1.5px var(--paper); }
.sky { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; pointer-events: none; z-index: 2; }
.leaving { pointer-events: none; }
.glides .realm { transition: transform .18s ease-out; }
.seats { position: absolute; inset: 0; pointer-events: none; }
.frame .stage .seats .plate.plate { position: absolute; pointer-events: auto; min-height: 0; padding: 0 8px; column-gap: 8px; grid-template: "chip name slot score" 24px "chip facts facts facts" minmax(20px, 1fr) / 20px minmax(0, 1fr) auto auto; }
.frame .stage .seats .plate.small { grid-template: "chip name score" 24px "facts facts slot" minmax(20px, 1fr) / 16px minmax(0, 1fr) auto; column-gap: 4px; padding: 0 6px; }
.frame .stage .seats .facts.facts { height: auto; align-self: stretch; gap: 0 calc(12px * var(--fit, 1)); font-size: calc(13px * var(--fit, 1)); }
.frame:not([data-narrow=true]) .stage .seats .fact { white-space: normal; text-align: start; }
.frame .stage .seats .plate.plate .chip { align-self: start; margin-top: 4px; }
.frame[data-narrow=true] .stage .seats .plate.plate.small:not(.chipped) { grid-template: "chip name name" 20px "facts slot score" minmax(0, 1fr) / 16px minmax(0, 1fr) auto; }
.frame[data-narrow=true] .stage .seats .plate.plate.small:not(.chipped) .facts { grid-column: 1 / 3; height: 18px; align-self: center; }
.frame[data-narrow=true] .stage .seats .plate.small .fact:not(.to-move, .won, .out) { display: none; }
.frame[data-narrow=true] .stage .seats .plate.plate:not(.small) { grid-template: "chip name facts slot score" minmax(0, 1fr) / 20px auto minmax(16px, 1fr) auto auto; }
.frame[data-narrow=true] .stage .seats .plate.plate:not(.small) .chip { align-self: center; margin: 0; }
.frame[data-narrow=true] .stage .seats .plate.plate:not(.small) .facts { align-self: center; height: 18px; }
.frame .stage .seats .plate.plate.chipped { box-shadow: inset 0 0 0 1px var(--line); background: none; padding: 4px 8px 4px 64px; grid-template: "chip name facts slot score" minmax(0, 1fr) / 20px auto minmax(16px, 1fr) auto auto; }
.frame .stage .seats .plate.plate.chipped.small { padding: 4px 6px; grid-template: "name name name name" 20px ". slot chip score" minmax(0, 1fr) / minmax(0, 1fr) auto 16px auto; }
.frame .stage .seats .plate.plate.chipped .chip { align-self: center; margin: 0; }
.frame .stage .seats .plate.plate.chipped.small .chip { align-self: end; margin: 0 0 1px; }
.frame .stage .seats .plate.chipped.small .name { font-size: 14px; }
.frame .stage .seats .plate.chipped .fact:not(.to-move, .won, .out), .frame .stage .seats .plate.plate.chipped.small .facts { display: none; }
:host(:not([over], [waits])) .plate.chipped.to-move { box-shadow: inset 0 0 0 2px var(--own) !important; }
.frame .stage .seats .plate.plate.chipped.small .score { align-self: end; }
.opens { position: absolute; inset: 0; border-radius: 8px; cursor: pointer; }
.realm.chipped :is(text, .marked) { display: none; }
.seats ::slotted(*) { align-self: start; }
:host([small]) .frame:not([data-controls=beside]) { grid-template: "above below" auto "middle middle" minmax(0, var(--row, 1fr)) "controls controls" auto / minmax(0, max(min(50%, 170px), var(--wide, 100%) / 2)) minmax(0, max(min(50%, 170px), var(--wide, 100%) / 2)) !important; row-gap: 4px; }
:host([small]) .frame .plate.plate.plate { min-height: 28px; padding: 0 8px; column-gap: 8px; grid-template: "chip name slot score" 28px / 16px minmax(0, 1fr) auto auto !important; }
:host([small]) .plate :is(.facts, .strips, .unit, .side, .gain) { display: none !important; }
:host([small]) .plate .chip.chip { width: 16px; height: 16px; margin: 0; align-self: center; }
:host([small]) .plate .score.score { align-self: center; min-width: 0; }
:host([small]) .plate .score .number { font-size: 18px; }
.seats .fact { line-height: calc(18px * var(--fit, 1)); }
.seats .plate.plate .score { display: flex; gap: 4px; align-items: baseline; justify-self: end; min-width: 0; line-height: 1; }
.seats .strips:empty, .seats .plate.small .gain { display: none; }
.seats .plate.short .side, .seats .plate.small .unit { display: none; }
.seats .plate.small .chip { width: 16px; height: 16px; }
.seats .plate.small .score .number { font-size: 18px; }
.seats .plate.small ::slotted(*) { font-size: 14px !important; line-height: 18px; }
.carried { filter: drop-shadow(0 4px 4px rgb(0 0 0 / .45)); }
.carried.laid { filter: drop-shadow(0 0 1px var(--mark)) drop-shadow(0 0 2px var(--mark)) drop-shadow(0 0 2px var(--mark)); }
.frame.carries, .frame.carries * { cursor: grabbing !important; user-select: none; -webkit-user-select: none; }
.glides .layer * { transition: fill .18s ease-out, fill-opacity .18s ease-out, stroke .18s ease-out; }
.stage:has(.seats .plate) .lapilli-sign, :host([names=off]) .lapilli-label, :host([last=off]) .lapilli-last, :host(:not([letters])) .lapilli-letter { display: none; }
:host(:not([names=on])) .frame:is([data-narrow=true], [data-low=true]):not([data-legible]) .stage:not(.close) .camera > :not(.realm) .lapilli-label { display: none; }
:host([names=large]) text:is(.lapilli-label, .lapilli-label *) { transform-box: fill-box; transform-origin: center; scale: 1.5; }
.frame:is([data-narrow=true], [data-low=true]) .stage:not(.close) .camera > :not(.realm) text:is(.lapilli-label, .lapilli-label *) { transform-box: fill-box; transform-origin: center; scale: var(--named, 1); }
:host([hide-debug~="0"]) .lapilli-debug.player-0, :host([hide-debug~="1"]) .lapilli-debug.player-1, :host([hide-debug~="2"]) .lapilli-debug.player-2, :host([hide-debug~="3"]) .lapilli-debug.player-3 { display: none; }

.globe { touch-action: pan-y; cursor: grab; }
.globe:active { cursor: grabbing; }
.globe .ball { fill: color-mix(in srgb, var(--line) 30%, var(--paper)); stroke: var(--line); }
.globe .shade { pointer-events: none; }
.globe .light { stop-color: var(--shadow, #000); stop-opacity: 0; }
.globe .dark { stop-color: var(--shadow, #000); stop-opacity: .42; }
.globe path { vector-effect: non-scaling-stroke; stroke-linejoin: round; }
.globe text { stroke-linejoin: round; }
.stage .back { pointer-events: none; }
.back g { pointer-events: auto; cursor: pointer; }
.stage .back g path { fill-opacity: .85; stroke-width: .75px; vector-effect: non-scaling-stroke; pointer-events: none; }
.stage .back g .lapilli-last { stroke-width: 2px; }
.back .disc { fill: var(--paper); stroke: var(--muted); vector-effect: non-scaling-stroke; }
.stage:not(.is-globe) .back, .frame[data-small] .back { display: none; }

.marked { pointer-events: none; }
.marked .outline { fill: none; stroke-linejoin: round; stroke-linecap: round; vector-effect: non-scaling-stroke; pointer-events: none; }
.marked .outline.halo { stroke: var(--halo); stroke-width: 8px; }
.marked .outline.halo.pressed { stroke-width: 4.5px; }
.marked .raised { filter: brightness(1.15); }
.marked .outline.halo.thin { stroke-width: 4px; }
.marked .outline.halo.pressed.piece { stroke-width: 8px; }
.marked .outline.pointed { stroke: var(--point); stroke-width: 3px; }
.marked .outline.linked { stroke: var(--point); stroke-width: 2px; stroke-dasharray: 5 5; }
.marked .outline.lead { stroke: var(--point); stroke-width: 2px; stroke-dasharray: 1 6; }
.marked .outline.linked.far { stroke-width: 6px; stroke-dasharray: .1 9; }
.marked .outline.lead.far { stroke-width: 1.5px; stroke-dasharray: 14 8; }
.marked .outline.walked { stroke: var(--mark); stroke-width: 4px; }
.marked .outline.cursor { stroke: var(--mark); stroke-width: 4px; }
.marked .outline.target { fill: var(--mark); fill-opacity: .1; stroke: var(--mark); stroke-width: 2px; pointer-events: all; cursor: pointer; }
.marked .outline.loose { cursor: grab; }
.marked .outline.loose:not(.target) { pointer-events: all; }
.marked .outline.loose:not(.target):hover { stroke: var(--mark); stroke-width: 3px; }
.marked .outline:is(.aimed, .lit, .noted) { stroke: var(--mark); stroke-width: 4px; }
.marked .outline.aimed { fill: var(--mark); fill-opacity: .16; }
.marked .outline.target.quiet:not(:hover) { fill-opacity: 0; stroke: none; }
.marked .spot { fill: var(--mark); stroke: var(--halo); stroke-width: 1.5px; vector-effect: non-scaling-stroke; pointer-events: none; }
.marked .outline.target.quiet:hover + .spot, :host([ahead]) .marked .spot { visibility: hidden; }
.marked .outline.target.piece { stroke-width: 4px; }
.marked .outline.piece:is(.target, .aimed):not(:hover) { fill-opacity: 0; }
.marked .outline.target:hover { fill: color-mix(in srgb, var(--mark) 15%, #fff); fill-opacity: .25; stroke-width: 4px; }
:host([ahead]) .marked .outline:is(.target, .pressed):not(:hover) { fill-opacity: 0; stroke: none; }
.marked .outline.best { stroke: var(--mark); stroke-width: 4px; }
.marked .outline.reply { stroke: var(--mark); stroke-width: 3px; stroke-dasharray: 6 4; }
.marked .outline.last { stroke: var(--far); stroke-width: 3px; }
.marked .arrow { fill: var(--mark); stroke: var(--halo); stroke-width: 1.5px; stroke-linejoin: round; vector-effect: non-scaling-stroke; opacity: .92; }
.marked .arrow.reply { fill: var(--halo); stroke: var(--mark); stroke-width: 2px; stroke-dasharray: 6 3; }
.marked .arrow.last { fill: var(--far); }
.marked .ring { fill: none; stroke: var(--mark); stroke-width: 4px; vector-effect: non-scaling-stroke; }
.marked .ring.reply { stroke-dasharray: 6 4; }
.marked .ring.last { stroke: var(--far); }
.marked .dot { fill: var(--mark); stroke: var(--halo); stroke-width: 2px; vector-effect: non-scaling-stroke; }
.marked .label { pointer-events: none; }
.marked .label rect { fill: var(--mark); stroke: var(--halo); stroke-width: 2px; vector-effect: non-scaling-stroke; }
.marked .label text { fill: var(--halo); font-weight: 700; text-anchor: middle; }
.marked .dot.reply { fill: var(--halo); stroke: var(--mark); }
.marked .dot.last { fill: var(--far); }
.marked :is(.arrow, .dot).other { fill: var(--halo); stroke: var(--mark); stroke-width: 2px; }
.marked .arrow.other { stroke-dasharray: 4 3; }
.marked :is(.ring, .outline).other { stroke: var(--mark); stroke-width: 2px; stroke-dasharray: 3 3; }
.marked :is(.arrow, .dot).bad { fill: var(--halo); stroke: var(--highlight); stroke-width: 2px; }
.marked :is(.ring, .outline).bad { stroke: var(--highlight); stroke-width: 2px; stroke-dasharray: 6 4; }
.marked:has(.outline:is(.best, .bad)) .outline.target.piece { stroke-width: 2px; }
.marked .outline.best.best { stroke-width: 5px; }
.marked .laid.other > :first-child, .marked .laid.bad > :first-child { opacity: .5; }

.controls { grid-area: controls; display: flex; flex-direction: column; min-width: 0; }
.bar { display: flex; gap: 8px; align-items: center; min-height: 52px; min-width: 0; }
.bar p { margin: 0; flex: 1; min-width: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; color: var(--muted); }
.bar .words { display: flex; gap: 8px; overflow-x: auto; flex: 0 1 auto; padding: 4px; max-width: 75%; }
.bar .words button::after { content: attr(aria-keyshortcuts) / ""; margin-left: 8px; padding: 0 6px; border: 1px solid var(--line); border-radius: 4px; font-size: 13px; color: var(--muted); }
@media (pointer: coarse) { .bar .words button::after { content: none; } }
@media (hover: none) { .bar .words button::after { display: none; } }
:is([data-narrow=true], [data-controls=beside]) .bar:has(.words:not([hidden])) p { display: none; }
[data-narrow=true] .bar .words { flex: 1; max-width: none; }
:is([data-narrow=true], [data-controls=beside]) .bar .words button { flex: 1 0 auto; }
[data-controls=beside] .plates:has(> :nth-child(3)) .plate { grid-template: "chip name score" 36px / 22px minmax(0, 1fr) auto; min-height: 40px; padding-block: 2px; }
[data-controls=beside] .plates:has(> :nth-child(3)) :is(.facts, .side, .unit) { display: none; }
[data-controls=beside] .controls { justify-content: space-between; gap: 8px; padding: var(--top, 0) 0 4px; }
[data-controls=beside] .bar { flex: none; flex-wrap: wrap; align-content: start; min-height: 0; gap: 4px 8px; }
[data-controls=beside] .bar p { flex: 1 0 100%; order: -1; }
[data-controls=beside] .bar:has(.viewing:not([hidden])) p { flex: 1 1 0; font-size: 13px; line-height: 16px; white-space: normal; }
[data-controls=beside] .bar .words { flex: 1 0 100%; flex-wrap: wrap; overflow: visible; }
.bar button { flex: none; min-width: 48px; min-height: 44px; padding: 4px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); white-space: nowrap; }
.bar .words button { border-color: var(--mark); }
.bar .words button:only-child { background: var(--mark); color: var(--halo); font-weight: 600; }
.bar .words button:only-child::after { border-color: currentColor; color: inherit; }
.bar button:hover { background: color-mix(in srgb, var(--mark) 12%, var(--paper)); }
.tip { position: absolute; z-index: 3; max-width: min(320px, 90%); padding: 4px 10px; border-radius: 8px; background: var(--ink); color: var(--paper); font-size: 13px; overflow-wrap: anywhere; pointer-events: none; box-shadow: 0 2px 8px rgb(0 0 0 / .25); }

dialog { padding: 0; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: var(--ink); width: min(560px, calc(100vw - 32px)); max-height: min(640px, calc(100dvh - 32px)); overflow: auto; box-shadow: 0 8px 32px rgb(0 0 0 / .3); }
dialog::backdrop { background: rgb(0 0 0 / .45); }
dialog header { position: sticky; top: 0; display: flex; justify-content: space-between; align-items: center; padding: 8px 8px 8px 20px; background: var(--paper); }
dialog h2 { margin: 0; font-size: 18px; font-weight: 600; }
dialog .close { width: 44px; height: 44px; font-size: 24px; }
dialog ul { list-style: none; margin: 0; padding: 0 20px 20px; display: grid; gap: 12px; }
dialog li { display: flex; gap: 16px; align-items: center; }
dialog .sample { flex: none; width: 48px; height: 48px; overflow: visible; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
`;
