// A starter bot for Volcano. It takes the step that captures most; where none erupts, it steps quietly at random first.
"use strict";

const neighbours = new Map(); // by cell: the neighbour in each direction, "-" where the board ends

// Your idea goes here. A turn is any number of quiet steps, and one that erupts as its last.
function choose(stacks, caps, steps) {
  const erupting = steps.filter((step) => step.landed > 0);
  if (erupting.length > 0) {
    // Equally good ones come by chance, so that games do not go in circles.
    const most = Math.max(...erupting.map((step) => step.captured));
    return oneOf(erupting.filter((step) => step.captured === most)).move;
  }
  for (let attempt = 0; attempt < 200; attempt++) {
    const turn = wander(stacks, caps);
    if (turn !== null) return turn;
  }
  return steps[0].move;
}

// Quiet steps at random until something can erupt; null where that leads to a dead end.
function wander(stacks, caps) {
  const been = new Map(caps.map((cap) => [cap, new Set([cap])])); // cells a cap must not return to quietly
  const moves = [];
  for (;;) {
    const [quiet, erupting] = [[], []];
    for (const [cap, cells] of been) {
      for (const [heading, to] of neighbours.get(cap).entries()) {
        if (to === "-" || been.has(to)) continue;
        const beyond = neighbours.get(to)[heading];
        if (stacks.get(cap).length > 0 && beyond !== "-" && !been.has(beyond)) {
          erupting.push(`${cap}-${to}`);
        } else if (!cells.has(to)) quiet.push([cap, to]);
      }
    }
    if (erupting.length > 0) return [...moves, oneOf(erupting)].join(" ");
    if (quiet.length === 0) return null;
    const [cap, to] = oneOf(quiet);
    been.set(to, been.get(cap).add(to));
    been.delete(cap);
    moves.push(`${cap}-${to}`);
  }
}

function oneOf(list) {
  return list[Math.floor(Math.random() * list.length)];
}

async function* linesOf(stream) {
  yield* require("readline").createInterface({ input: stream });
}

async function main() {
  const lines = linesOf(process.stdin);
  const words = async () => {
    const line = await lines.next();
    return line.done ? null : line.value.split(" ");
  };
  await words(); // the variant: square, square-random, hex or hex-random
  await words(); // 0 if you move first, else 1
  const [cells] = await words();
  await words(); // the directions' names
  for (let i = 0; i < Number(cells); i++) {
    const [cell, ...around] = await words();
    neighbours.set(cell, around);
  }
  await words(); // the colours
  while ((await words()) !== null) { // the turn's number; nothing once the match is over
    const [myScore, otherScore] = await words();
    console.error(`${myScore} to ${otherScore}`); // stderr is yours, for debugging
    await words(); // how many pieces you captured, and which
    await words(); // the same of your opponent
    const stacks = new Map();
    const caps = [];
    for (let i = 0; i < Number(cells); i++) {
      const [cell, capped, , ...pieces] = await words();
      stacks.set(cell, pieces); // bottom to top: "RS", "RM", …
      if (capped === "1") caps.push(cell);
    }
    const steps = [];
    const [number] = await words();
    for (let i = 0; i < Number(number); i++) {
      const [move, landed, captured] = await words();
      steps.push({ move, landed: Number(landed), captured: Number(captured) });
    }
    console.log(choose(stacks, caps, steps));
  }
}

main();
