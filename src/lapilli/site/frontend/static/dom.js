// @ts-check

/**
 * The element of this page with an id. Some scripts serve several pages: where the page has no such element, the
 * function returns null in spite of its type, and the script must ask for that.
 * @template {HTMLElement} [E=HTMLElement]
 * @param {string} id
 * @param {{ new (): E }} [kind] the element's class
 * @returns {E}
 * @throws {TypeError} if the element is of another class
 */
export function $(id, kind) {
  const found = document.getElementById(id);
  if (kind && found && !(found instanceof kind)) throw new TypeError(`#${id} is no ${kind.name}`);
  return /** @type {E} */ (found);
}

/**
 * The first element with a tag inside another element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {ParentNode} parent
 * @param {K} tag
 * @returns {HTMLElementTagNameMap[K]}
 * @throws {TypeError} if there is none
 */
export function part(parent, tag) {
  const found = parent.querySelector(tag);
  if (!found) throw new TypeError(`no ${tag} here`);
  return found;
}

/**
 * The list of choices with a name in a form.
 * @param {HTMLFormElement} form
 * @param {string} name
 * @returns {HTMLSelectElement}
 * @throws {TypeError} if the form has none with this name
 */
export function choice(form, name) {
  const found = form.elements.namedItem(name);
  if (!(found instanceof HTMLSelectElement)) throw new TypeError(`no list of choices ${name} here`);
  return found;
}
