// A starter bot for Volcano with pyramids. It plays the eruption that captures most, or random quiet steps.
"use strict";

const neighbours = new Map(); // by cell: the neighbour in each direction, "-" where the board ends

// Your idea goes here. A turn is any number of quiet steps, then one step that erupts.
function choose(stacks, caps, steps) {
  const erupting = steps.filter((step) => step.landed > 0);
  if (erupting.length > 0) {
    // Chance decides between equally good steps, so that games do not repeat.
    const most = Math.max(...erupting.map((step) => step.captured));
    return oneOf(erupting.filter((step) => step.captured === most)).move;
  }
  for (let attempt = 0; attempt < 200; attempt++) {
    const turn = wander(stacks, caps);
    if (turn !== null) return turn;
  }
  return steps[0].move;
}

// Returns a turn: random quiet steps until a stack can erupt, then the eruption. null if no step is left.
function wander(stacks, caps) {
  const been = new Map(caps.map((cap) => [cap, new Set([cap])])); // by cap: cells where it has been
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
  while ((await words()) !== null) { // the turn's number; no line at the end of the match
    const [myScore, otherScore] = await words();
    console.error(`${myScore} to ${otherScore}`); // stderr is yours, for debugging
    await words(); // the number of pieces that you have captured, and these pieces
    await words(); // the same for your opponent
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
