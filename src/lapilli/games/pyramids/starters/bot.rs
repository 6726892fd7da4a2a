// A starter bot for Volcano with pyramids. It plays the eruption that captures most, or random quiet steps.
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{self, BufRead, Write};

struct Step {
    text: String,
    landed: u32,
    captured: u32,
}

type Words = Vec<String>;

/// Your idea goes here. A turn is any number of quiet steps, then one step that erupts.
fn choose(
    neighbours: &HashMap<String, Words>,
    stacks: &HashMap<String, Words>,
    caps: &[String],
    steps: &[Step],
    random: &mut u64,
) -> String {
    let mut best: Option<&Step> = None;
    // Begin at a random step: chance decides between equally good steps, so that games do not repeat.
    for step in steps.iter().cycle().skip(below(random, steps.len())).take(steps.len()) {
        if step.landed > 0 && best.map_or(true, |other| step.captured > other.captured) {
            best = Some(step);
        }
    }
    if let Some(step) = best {
        return step.text.clone();
    }
    for _ in 0..200 {
        if let Some(turn) = wander(neighbours, stacks, caps, random) {
            return turn;
        }
    }
    steps[0].text.clone()
}

/// Returns a turn: random quiet steps until a stack can erupt, then the eruption. None if no step is left.
fn wander(
    neighbours: &HashMap<String, Words>,
    stacks: &HashMap<String, Words>,
    caps: &[String],
    random: &mut u64,
) -> Option<String> {
    // By cell of each cap: the cells to which this cap must not return quietly.
    let mut been: BTreeMap<String, BTreeSet<String>> =
        caps.iter().map(|cap| (cap.clone(), BTreeSet::from([cap.clone()]))).collect();
    let mut moves = String::new();
    loop {
        let mut quiet: Vec<(String, String)> = Vec::new();
        let mut erupting: Vec<String> = Vec::new();
        for (cap, cells) in &been {
            for (heading, to) in neighbours[cap].iter().enumerate() {
                if to == "-" || been.contains_key(to) {
                    continue;
                }
                let beyond = &neighbours[to][heading];
                if !stacks[cap].is_empty() && beyond != "-" && !been.contains_key(beyond) {
                    erupting.push(format!("{cap}-{to}"));
                } else if !cells.contains(to) {
                    quiet.push((cap.clone(), to.clone()));
                }
            }
        }
        if !erupting.is_empty() {
            return Some(format!("{moves}{}", erupting[below(random, erupting.len())]));
        }
        if quiet.is_empty() {
            return None;
        }
        let (cap, to) = quiet[below(random, quiet.len())].clone();
        let mut cells = been.remove(&cap).unwrap();
        cells.insert(to.clone());
        been.insert(to.clone(), cells);
        moves += &format!("{cap}-{to} ");
    }
}

fn below(random: &mut u64, bound: usize) -> usize {
    *random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*random >> 33) as usize % bound
}

fn main() {
    let mut lines = io::stdin().lock().lines();
    let mut words = || -> Option<Words> {
        let line = lines.next()?.ok()?;
        Some(line.split_whitespace().map(String::from).collect())
    };
    words(); // the variant: square, square-random, hex or hex-random
    words(); // 0 if you move first, else 1
    let cells: usize = words().unwrap()[0].parse().unwrap();
    words(); // the directions' names
    let mut neighbours = HashMap::new(); // by cell: the neighbour in each direction, "-" where the board ends
    for _ in 0..cells {
        let line = words().unwrap();
        neighbours.insert(line[0].clone(), line[1..].to_vec());
    }
    words(); // the colours
    let mut random: u64 = 1;
    while words().is_some() {
        // That was the turn's number; at the end of the match there is no such line.
        let scores = words().unwrap();
        eprintln!("{} to {}", scores[0], scores[1]); // stderr is yours, for debugging
        words(); // the number of pieces that you have captured, and these pieces
        words(); // the same for your opponent
        let mut stacks = HashMap::new();
        let mut caps = Vec::new();
        for _ in 0..cells {
            let line = words().unwrap();
            if line[1] == "1" {
                caps.push(line[0].clone());
            }
            stacks.insert(line[0].clone(), line[3..].to_vec()); // bottom to top: RS, RM, …
        }
        let number: usize = words().unwrap()[0].parse().unwrap();
        let mut steps = Vec::new();
        for _ in 0..number {
            let line = words().unwrap();
            let (landed, captured) = (line[1].parse().unwrap(), line[2].parse().unwrap());
            steps.push(Step { text: line[0].clone(), landed, captured });
        }
        println!("{}", choose(&neighbours, &stacks, &caps, &steps, &mut random));
        io::stdout().flush().unwrap();
    }
}
