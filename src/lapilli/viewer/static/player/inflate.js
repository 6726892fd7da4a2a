// @ts-check
/** Unpacks gzip (RFC 1951, RFC 1952) where the browser itself cannot. */

const LENGTHS = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const DISTANCES = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** @param {number} code */
const extraOfLength = (code) => (code < 8 || code === 28 ? 0 : (code >> 2) - 1);
/** @param {number} code */
const extraOfDistance = (code) => (code < 4 ? 0 : (code >> 1) - 1);

/** The bits of a byte array, lowest first. */
class Bits {
  /**
   * @param {Uint8Array} bytes
   * @param {number} at the first byte
   */
  constructor(bytes, at) {
    this.bytes = bytes;
    this.at = at;
    this.held = 0;
    this.count = 0;
  }

  /** @param {number} count at most 16 */
  take(count) {
    while (this.count < count) {
      if (this.at >= this.bytes.length) throw new Error("the film ends too early");
      this.held |= this.bytes[this.at++] << this.count;
      this.count += 8;
    }
    const value = this.held & ((1 << count) - 1);
    this.held >>>= count;
    this.count -= count;
    return value;
  }

  /**
   * The next symbol of a canonical Huffman code.
   * @param {{counts: number[], symbols: number[]}} code
   */
  symbol({ counts, symbols }) {
    let [value, first, index] = [0, 0, 0];
    for (let length = 1; length < 16; length++) {
      value |= this.take(1);
      const count = counts[length];
      if (value - count < first) return symbols[index + value - first];
      index += count;
      first = (first + count) << 1;
      value <<= 1;
    }
    throw new Error("the film is damaged");
  }
}

/**
 * @param {number[]} lengths of each symbol's code, 0 for none
 */
function codeOf(lengths) {
  const counts = Array(16).fill(0);
  for (const length of lengths) counts[length]++;
  counts[0] = 0;
  const symbols = [...lengths.keys()].filter((symbol) => lengths[symbol]);
  symbols.sort((one, other) => lengths[one] - lengths[other] || one - other);
  return { counts, symbols };
}

/** @param {Bits} bits */
function readCodes(bits) {
  const [literals, distances, used] = [bits.take(5) + 257, bits.take(5) + 1, bits.take(4) + 4];
  const short = Array(19).fill(0);
  for (let i = 0; i < used; i++) short[ORDER[i]] = bits.take(3);
  const code = codeOf(short);
  /** @type {number[]} */
  const lengths = [];
  while (lengths.length < literals + distances) {
    const symbol = bits.symbol(code);
    if (symbol < 16) lengths.push(symbol);
    else if (symbol === 16) lengths.push(...Array(3 + bits.take(2)).fill(lengths.at(-1)));
    else lengths.push(...Array(symbol === 17 ? 3 + bits.take(3) : 11 + bits.take(7)).fill(0));
  }
  return [codeOf(lengths.slice(0, literals)), codeOf(lengths.slice(literals))];
}

function fixedCodes() {
  const lengths = [
    [144, 8],
    [112, 9],
    [24, 7],
    [8, 8],
  ].flatMap(([count, length]) => Array(count).fill(length));
  return [codeOf(lengths), codeOf(Array(30).fill(5))];
}

/**
 * @param {Uint8Array} packed a gzip file without a name, a comment or extra fields
 * @returns {Uint8Array}
 */
export function gunzip(packed) {
  const size = new DataView(packed.buffer, packed.byteOffset).getUint32(packed.length - 4, true);
  const made = new Uint8Array(size);
  const bits = new Bits(packed, 10);
  let at = 0;
  for (let isLast = 0; !isLast;) {
    isLast = bits.take(1);
    const kind = bits.take(2);
    if (kind === 0) {
      bits.count = bits.held = 0;
      const length = bits.take(8) | (bits.take(8) << 8);
      made.set(packed.subarray(bits.at + 2, bits.at + 2 + length), at);
      bits.at += 2 + length;
      at += length;
      continue;
    }
    const [literals, distances] = kind === 1 ? fixedCodes() : readCodes(bits);
    for (let symbol = bits.symbol(literals); symbol !== 256; symbol = bits.symbol(literals)) {
      if (symbol < 256) {
        made[at++] = symbol;
        continue;
      }
      const length = LENGTHS[symbol - 257] + bits.take(extraOfLength(symbol - 257));
      const far = bits.symbol(distances);
      const from = at - DISTANCES[far] - bits.take(extraOfDistance(far));
      for (let i = 0; i < length; i++) made[at++] = made[from + i];
    }
  }
  return made;
}
