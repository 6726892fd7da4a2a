// @ts-check

/**
 * A shadow root of its own for what CodeMirror draws, since only there its styles are sheets that scripts make, which the
 * pages' policy allows.
 * @param {HTMLElement} host
 * @param {string} style of the host, and of what is in it
 */
export function framed(host, style) {
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:host { display: block; min-height: 0; overflow: hidden; } ${style}`);
  root.adoptedStyleSheets = [sheet];
  return root;
}
