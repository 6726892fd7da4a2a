// @ts-check
// The turns of a match with variations, as a tree. This module does not draw it.

/** @typedef {import("../study.js").Words} Words */
/** @typedef {[parent: number, move: string, comment: string]} Packed a node, as a study stores it */

export class Node {
  /**
   * @param {Node | null} parent
   * @param {string} move the turn in the game's notation; "" for the root
   * @param {Words} words
   */
  constructor(parent, move = "", words = []) {
    this.parent = parent;
    this.move = move;
    this.words = words;
    /** @type {Node[]} the first is the main line */
    this.children = [];
  }

  get depth() {
    return this.path().length;
  }

  /** The nodes from the first turn to this one. @returns {Node[]} */
  path() {
    const path = [];
    for (let node = /** @type {Node} */ (this); node.parent; node = node.parent) path.unshift(node);
    return path;
  }

  /** Whether this turn is on the main line. */
  get isMain() {
    return this.path().every((node) => node.parent?.children[0] === node);
  }

  /** The turns from the first one to this one. @returns {string[]} */
  moves() {
    return this.path().map((node) => node.move);
  }

  /** The turns up to this one, and on to the end of its main line. @returns {string[]} */
  line() {
    const moves = this.moves();
    for (let node = this.children[0]; node; node = node.children[0]) moves.push(node.move);
    return moves;
  }

  /**
   * The child node with this turn. Makes the node if it does not exist yet.
   * @param {string} move
   * @param {Words} [words]
   */
  after(move, words = []) {
    const known = this.children.find((child) => child.move === move);
    if (known) return known;
    const made = new Node(this, move, words);
    this.children.push(made);
    return made;
  }

  /** This node and all its descendants, in the order in which a study stores them. @returns {Node[]} */
  all() {
    const [found, open] = [/** @type {Node[]} */ ([]), [/** @type {Node} */ (this)]];
    for (let next = open.pop(); next; next = open.pop()) {
      found.push(next);
      open.push(...[...next.children].reverse());
    }
    return found;
  }

  /** Removes this node and all its descendants from the tree. */
  remove() {
    if (this.parent) this.parent.children = this.parent.children.filter((child) => child !== this);
  }

  /** Makes the line that contains this turn the main line. */
  promote() {
    for (let node = /** @type {Node} */ (this); node.parent; node = node.parent) {
      const among = node.parent.children;
      among.splice(among.indexOf(node), 1);
      among.unshift(node);
    }
  }

  /** Another variation of this turn. @param {number} by distance in the list of variations @returns {Node} */
  beside(by) {
    const among = this.parent?.children ?? [this];
    return among[Math.min(among.length - 1, Math.max(0, among.indexOf(this) + by))];
  }
}

/**
 * Converts a tree to a list, in which each node comes after its parent.
 * @param {Node} root
 * @param {(node: Node) => string} commentOf
 * @returns {{nodes: Packed[], numbers: Map<Node, number>}} the list, and the index of each node in it
 */
export function packed(root, commentOf) {
  const all = root.all();
  const numbers = new Map(all.map((node, number) => [node, number]));
  const nodes = all.map((node) => {
    const parent = node.parent ? (numbers.get(node.parent) ?? -1) : -1;
    return /** @type {Packed} */ ([parent, node.move, commentOf(node)]);
  });
  return { nodes, numbers };
}

/**
 * Converts a list that `packed` has made to a tree.
 * @param {Packed[]} nodes
 * @returns {Node[]} all nodes, the root first
 */
export function unpacked(nodes) {
  /** @type {Node[]} */
  const made = [];
  for (const [parent, move] of nodes) made.push(parent < 0 ? new Node(null) : made[parent].after(move));
  return made;
}

/**
 * The rows in which a tree is shown: each turn, with the depth of its variation (0 for the main line). The variations
 * of a turn come directly after the turn, before the turns that follow it.
 * @param {Node} root
 * @returns {{node: Node, level: number}[]}
 */
export function rows(root) {
  /** @type {{node: Node, level: number}[]} */
  const made = [];
  /** @type {{node: Node, level: number, variations: Node[]}[]} */
  const open = [];
  const begin = (/** @type {Node} */ parent, /** @type {number} */ level) => {
    const [main, ...variations] = parent.children;
    if (main) open.push({ node: main, level, variations });
  };
  begin(root, 0);
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, level, variations } = next;
    made.push({ node, level });
    begin(node, level);
    for (const variation of variations.reverse()) open.push({ node: variation, level: level + 1, variations: [] });
  }
  return made;
}
