// @ts-check
/** Copies and shares links, and copies other texts. */

/**
 * Copies a text to the clipboard. This works also in pages that were loaded without encryption.
 * @param {string} text
 * @param {HTMLElement} shown the field or element that contains the text
 * @returns {Promise<boolean>} whether the text was copied
 */
export async function copied(text, shown) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (shown instanceof HTMLInputElement) shown.select();
    else getSelection()?.selectAllChildren(shown);
    return document.execCommand("copy");
  }
}

/**
 * Shares a link: with the browser's own dialog if it has one; otherwise copies the link.
 * @param {string} url
 * @param {string} title
 * @param {HTMLInputElement} field a field in the document, from which the link is copied if the browser has no other way
 * @returns {Promise<string>} what has happened, in words; "" if the dialog has said it
 */
export async function shared(url, title, field) {
  if (typeof navigator.share === "function") {
    await navigator.share({ title, url }).catch(() => undefined); // a person has closed the dialog
    return "";
  }
  field.value = url;
  return (await copied(url, field)) ? "Link copied" : "Copy the marked link";
}
