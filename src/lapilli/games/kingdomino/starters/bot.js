// A starter bot for Kingdomino. It puts each tile next to much of the same terrain, and picks high-numbered tiles.
const STEPS = [[1, 0], [0, 1], [-1, 0], [0, -1]]; // rotation 0: second square on the right, 1 below, 2 left, 3 above

const lines = [];
let wanted = 0;
let wake = null;
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  lines.push(line);
  if (wake && lines.length >= wanted) wake();
}).on('close', () => process.exit(0));

async function read(count) {
  wanted = count;
  if (lines.length < count) await new Promise((resolve) => { wake = resolve; });
  wake = null;
  return lines.splice(0, count);
}

// Returns the terrain letter of a square; '_' outside the grid.
const terrain = (grid, x, y) => (grid[y] && grid[y][2 * x]) || '_';

// Returns [x, y, rotation, number of touching squares] for every legal placement of a tile.
function placements(grid, tile, extent) {
  const side = grid.length;
  const xs = [], ys = [], found = [];
  for (let x = 0; x < side; x++) {
    for (let y = 0; y < side; y++) {
      if (terrain(grid, x, y) !== '_') { xs.push(x); ys.push(y); }
    }
  }
  const fits = (taken, a, b) => Math.max(...taken, a, b) - Math.min(...taken, a, b) < extent;
  for (let x = 0; x < side; x++) {
    for (let y = 0; y < side; y++) {
      STEPS.forEach(([dx, dy], rotation) => {
        const ends = [[x, y], [x + dx, y + dy]];
        if (!fits(xs, x, x + dx) || !fits(ys, y, y + dy)) return;
        if (ends.some(([a, b]) => terrain(grid, a, b) !== '_')) return;
        let touch = 0;
        ends.forEach(([a, b], half) => {
          for (const [ex, ey] of STEPS) {
            if (['*', tile[half][0]].includes(terrain(grid, a + ex, b + ey))) touch++;
          }
        });
        if (touch > 0) found.push([x, y, rotation, touch]);
      });
    }
  }
  return found;
}

async function main() {
  // The duel has no opening lines; its first line is a row of a wider grid.
  const [first] = await read(1);
  const standard = /^\d+$/.test(first);
  const players = standard ? Number(first) : 2;
  const tiles = standard ? Number((await read(1))[0]) : 4;
  if (!standard) lines.unshift(first);
  const extent = standard ? 5 : 7;
  const side = 2 * extent - 1;
  for (;;) {
    const input = await read(players * side + 2 * tiles);
    const mine = input.slice(0, side); // the other grids follow
    const rows = input.slice(players * side).map((line) => line.split(' '));
    let put = [0, 0, 0]; // any PUT will do if the tile fits nowhere
    for (const [, one, two, owner, current] of rows.slice(0, tiles)) {
      if (owner === '0' && current === '1') {
        const found = placements(mine, [one, two], extent);
        found.sort((a, b) => b[3] - a[3]); // your idea goes here
        if (found.length > 0) put = found[0].slice(0, 3);
      }
    }
    const free = rows.slice(tiles).filter((row) => row[3] === '-1').map((row) => Number(row[0]));
    console.error(`free tiles: ${free}`); // stderr is yours, for debugging
    console.log(`PUT ${put.join(' ')}\nPICK ${Math.max(...free)} hello`);
  }
}

main();
