// A starter bot for TryAngle Catch. It spawns units while it has few, and sends units to the nearest free triangles.
const lines = require("readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => (await lines.next()).value;
const ARMY = 14; // spawn until there are this many units

async function rows(count) {
  const found = [];
  for (let i = 0; i < count; i++) found.push((await next()).split(" ").map(Number));
  return found;
}

function choose(places, mine, triangles) { // your idea goes here
  const commands = [];
  const guarded = new Set();
  const wanted = [];
  let army = mine.reduce((sum, units) => sum + units, 0);
  for (const [a, b, c, owner, canCapture] of triangles) {
    if (owner === 0 && army < ARMY) {
      commands.push(`SPAWN ${a} ${b} ${c}`);
      army++;
    } else if (owner === 0) {
      for (const corner of [a, b, c]) guarded.add(corner);
    } else if (canCapture) {
      wanted.push([a, b, c]);
    }
  }
  const free = [];
  mine.forEach((units, house) => {
    for (let k = guarded.has(house) ? 1 : 0; k < units; k++) free.push(house);
  });
  const distance = (a, b) => (places[a][1] - places[b][1]) ** 2 + (places[a][2] - places[b][2]) ** 2;
  const nearest = (corner) => free.reduce((best, h) => (distance(h, corner) < distance(best, corner) ? h : best));
  const cost = (triangle) => triangle.reduce((sum, corner) => sum + distance(nearest(corner), corner), 0);
  while (free.length >= 3 && wanted.length) {
    const triangle = wanted.reduce((best, other) => (cost(other) < cost(best) ? other : best));
    wanted.splice(wanted.indexOf(triangle), 1);
    for (const corner of triangle) {
      const house = nearest(corner);
      free.splice(free.indexOf(house), 1);
      if (house !== corner) commands.push(`MOVE ${house} ${corner} 1`);
    }
  }
  return commands;
}

async function main() {
  const places = await rows(Number(await next())); // the opening input: where the houses are
  for (;;) {
    const scores = await next(); // my score, then the opponent's
    if (scores === undefined) return; // the match is over
    const units = await rows(places.length); // house, my units, the opponent's units
    const paths = await rows(Number(await next()));
    const triangles = await rows(Number(await next()));
    const linkable = await rows(Number(await next()));
    const commands = choose(places, units.map((row) => row[1]), triangles);
    console.error(`${paths.length} paths, ${linkable.length} more possible`); // stderr is yours, for debugging
    console.log(commands.join(";") || "WAIT");
  }
}

main();
