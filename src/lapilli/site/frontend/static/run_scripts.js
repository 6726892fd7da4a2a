// @ts-check
// Runs the scripts of a page. Each <script> element of a page names one of them in its attribute data-script.

import "./offline/register.js";

/**
 * Runs those scripts of a bundle that the page names.
 * @param {Record<string, () => Promise<unknown>>} scripts the bundle's scripts: functions that run them, by name
 */
export function runScripts(scripts) {
  for (const { dataset } of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("script[data-script]")))
    void scripts[dataset.script ?? ""]?.();
}
