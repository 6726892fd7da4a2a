// A starter bot for Volcanoes. It founds volcanoes next to empty tiles, and raises low volcanoes.
const lines = require("readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => (await lines.next()).value;

async function main() {
  const tiles = Number(await next()); // the opening input: each tile's name, and the indices of its three neighbours
  const names = [];
  const neighbours = [];
  for (let i = 0; i < tiles; i++) {
    const [name, ...near] = (await next()).split(" ");
    names.push(name);
    neighbours.push(near.map(Number));
  }
  for (;;) {
    const line = await next();
    if (line === undefined) return; // the match is over
    const levels = line.split(" ").map(Number); // positive: your volcanoes, negative: the opponent's, 0: empty
    const moves = (await next()).split(" ").filter(Boolean);
    let best = "RANDOM";
    let bestValue = -9;
    for (const move of moves) { // your idea goes here
      const tile = names.indexOf(move);
      const room = neighbours[tile].filter((near) => levels[near] === 0).length;
      if (room - levels[tile] > bestValue) {
        bestValue = room - levels[tile];
        best = move;
      }
    }
    console.error(`chose ${best} worth ${bestValue}`); // stderr is yours, for debugging
    console.log(best);
  }
}

main();
