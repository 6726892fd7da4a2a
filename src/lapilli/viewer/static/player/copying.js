// @ts-check
/** Copies and shares links. */

/**
 * Copies a link to the clipboard. This works also in pages that were loaded without encryption.
 * @param {string} url
 * @param {HTMLInputElement} field the field that contains the link
 * @returns {Promise<boolean>} whether the link was copied
 */
export async function copied(url, field) {
  try {
    await navigator.clipboard.writeText(url);
    return true;
  } catch {
    field.select();
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
