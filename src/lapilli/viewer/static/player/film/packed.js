// @ts-check
/** Unpacks the script and the film that a page contains in compressed form. viewer/films/packing.py packs them. */

/** First character of a reference to the table. A text that begins with this character has another one in front. */
const SIGN = "~";
const TOO_OLD = "This browser is too old: the page needs Chrome or Edge 97, Firefox 113, Safari 16.4, or a later one.";

/**
 * Unpacks a text.
 * @param {string} text the text, compressed by gzip and encoded in base64
 * @returns {Promise<string>}
 */
export function unpacked(text) {
  return unzipped(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)));
}

/**
 * Decompresses a text. If the browser is too old for the page, shows a message instead of the page.
 * @param {Uint8Array<ArrayBuffer>} bytes the text, compressed by gzip
 * @returns {Promise<string>} the text; never resolved in a browser that is too old
 */
export function unzipped(bytes) {
  if (!("DecompressionStream" in window && "findLast" in Array.prototype)) {
    document.body.textContent = TOO_OLD;
    return new Promise(() => {});
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

/**
 * Replaces references by the values in the table. Equal parts of the result are the same object, so do not change them.
 * @param {[table: any[], data: any]} written
 * @returns {any}
 */
export function restored([table, data]) {
  /** @type {any[]} values of the table without references, by index */
  const known = [];
  /** Returns a value of the table. @param {number} place its index */
  const entry = (place) => (place in known ? known[place] : (known[place] = whole(table[place])));
  /** Replaces the references inside a value. @param {any} value @returns {any} */
  const whole = (value) => {
    if (typeof value === "string") return value.startsWith(SIGN) ? value.slice(1) : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(part);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, part(one)]));
  };
  /** Replaces a value that may be a reference itself. @param {any} value */
  const part = (value) =>
    typeof value === "string" && value.startsWith(SIGN) && value[1] !== SIGN
      ? entry(parseInt(value.slice(1), 36))
      : whole(value);
  return part(data);
}

/**
 * Returns the film that the page contains.
 * @returns {Promise<import("./reel.js").Film>}
 */
export async function filmOfPage() {
  return restored(JSON.parse(await unpacked(document.getElementById("film")?.textContent ?? "")));
}
