// @ts-check

/**
 * Makes a shadow root for CodeMirror. In a shadow root, CodeMirror adds its styles as style sheet objects, which the
 * pages' Content Security Policy allows; elsewhere, it would add <style> elements, which the policy forbids.
 * @param {HTMLElement} host
 * @param {string} style CSS for the contents of the shadow root
 */
export function framed(host, style) {
  const root = host.attachShadow({ mode: "open" });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:host { display: block; min-height: 0; overflow: hidden; } ${style}`);
  root.adoptedStyleSheets = [sheet];
  return root;
}
