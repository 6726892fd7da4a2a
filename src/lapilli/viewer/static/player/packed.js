// @ts-check
/** Reads what a page has packed: its script and its film. */

/** Begins a reference to the table; a text that begins with it has another one before it. */
const SIGN = "~";
const TOO_OLD = "This browser is too old: the page needs Chrome or Edge 97, Firefox 113, Safari 16.4, or a later one.";

/**
 * @param {string} text packed with gzip, in base64
 * @returns {Promise<string>}
 */
export function unpacked(text) {
  return unzipped(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)));
}

/**
 * In a browser without what the page needs, one line that says so takes the page's place.
 * @param {Uint8Array<ArrayBuffer>} bytes a text with gzip
 * @returns {Promise<string>} never resolved in such a browser
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
 * Data in which what occurs again was written once. Equal parts of it are the same: nothing may change them.
 * @param {[table: any[], data: any]} written
 * @returns {any}
 */
export function restored([table, data]) {
  /** @type {any[]} */
  const known = [];
  /** @param {number} place */
  const entry = (place) => (place in known ? known[place] : (known[place] = whole(table[place])));
  /** @param {any} value @returns {any} */
  const whole = (value) => {
    if (typeof value === "string") return value.startsWith(SIGN) ? value.slice(1) : value;
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(part);
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, part(one)]));
  };
  /** @param {any} value */
  const part = (value) =>
    typeof value === "string" && value.startsWith(SIGN) && value[1] !== SIGN
      ? entry(parseInt(value.slice(1), 36))
      : whole(value);
  return part(data);
}

/**
 * The film of this page.
 * @returns {Promise<import("./reel.js").Film>}
 */
export async function filmOfPage() {
  return restored(JSON.parse(await unpacked(document.getElementById("film")?.textContent ?? "")));
}
