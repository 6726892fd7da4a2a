// @ts-check
/**
 * Converts Markdown to elements: headings, paragraphs, lists, tables and code, as far as the pages with rules need it.
 */

import { element } from "../elements.js";

/**
 * Converts a line with `code`, **bold** and *emphasis*. A link becomes its text.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function inline(text) {
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return plain.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*)/).map((piece) => {
    if (/^`.+`$/.test(piece)) return element("code", { textContent: piece.slice(1, -1) });
    if (/^\*\*.+\*\*$/.test(piece)) return element("strong", {}, ...inline(piece.slice(2, -2)));
    if (/^\*.+\*$/.test(piece)) return element("em", { textContent: piece.slice(1, -1) });
    return piece;
  });
}

/** Converts the lines of a table. @param {string[]} rows */
function table(rows) {
  const cells = rows.map((row) =>
    row
      .trim()
      .replace(/^\||\|$/g, "")
      .split("|")
      .map((cell) => inline(cell.trim())),
  );
  const [head, , ...body] = cells;
  const top = element(
    "tr",
    {},
    ...head.map((cell) => (cell.join("") ? element("th", { scope: "col" }, ...cell) : element("td"))),
  );
  return element(
    "table",
    {},
    top,
    ...body.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, ...cell)))),
  );
}

/** Converts the lines of a list. @param {string[]} rows */
function list(rows) {
  /** @type {string[]} */
  const items = [];
  for (const row of rows) {
    const begun = row.match(/^\s*(?:[*-]|\d+\.)\s+(.*)$/);
    if (begun) items.push(begun[1]);
    else items.push(`${items.pop() ?? ""} ${row.trim()}`);
  }
  return element(/^\s*\d/.test(rows[0]) ? "ol" : "ul", {}, ...items.map((item) => element("li", {}, ...inline(item))));
}

/**
 * Converts a Markdown text to elements.
 * @param {string} text
 * @returns {HTMLElement[]}
 */
export function prose(text) {
  const blocks = text
    .split(/(^```[\s\S]*?^```$)/m)
    .flatMap((piece) => (piece.startsWith("```") ? [piece] : piece.split(/\n{2,}|(?<=^#.*)\n/m)));
  return blocks
    .map((block) => block.replace(/^\n+|\n+$/g, ""))
    .filter(Boolean)
    .map((block) => {
      const rows = block.split("\n");
      if (block.startsWith("```")) return element("pre", { tabIndex: 0, textContent: rows.slice(1, -1).join("\n") });
      const heading = block.match(/^(#+)\s+(.*)$/);
      if (heading) return element(heading[1].length < 2 ? "h3" : "h4", {}, ...inline(heading[2]));
      if (rows[0].startsWith("|")) return table(rows);
      if (/^\s*([*-]|\d+\.)\s/.test(rows[0])) return list(rows);
      return element("p", {}, ...inline(rows.join(" ")));
    });
}
