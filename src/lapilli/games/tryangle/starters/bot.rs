// A starter bot for TryAngle Catch. It spawns units while it has few, and sends units to the nearest free triangles.
use std::io::{self, BufRead};

const ARMY: i64 = 14; // spawn until there are this many units

fn rows(lines: &mut impl Iterator<Item = String>, count: usize) -> Vec<Vec<i64>> {
    let numbers = |line: String| line.split(' ').map(|word| word.parse().unwrap()).collect();
    (0..count).map(|_| numbers(lines.next().unwrap())).collect()
}

fn counted(lines: &mut impl Iterator<Item = String>) -> Vec<Vec<i64>> {
    let count = lines.next().unwrap().parse().unwrap();
    rows(lines, count)
}

fn choose(places: &[Vec<i64>], units: &[Vec<i64>], triangles: &[Vec<i64>]) -> Vec<String> {
    // your idea goes here
    let (mut commands, mut guarded, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    let mut army: i64 = units.iter().map(|row| row[1]).sum();
    for triangle in triangles {
        let corners = triangle[..3].to_vec();
        if triangle[3] == 0 && army < ARMY {
            commands.push(format!("SPAWN {} {} {}", corners[0], corners[1], corners[2]));
            army += 1;
        } else if triangle[3] == 0 {
            guarded.extend(corners);
        } else if triangle[4] == 1 {
            wanted.push(corners);
        }
    }
    let mut free: Vec<i64> = Vec::new();
    for row in units {
        let kept = if guarded.contains(&row[0]) { 1 } else { 0 };
        free.extend((kept..row[1]).map(|_| row[0]));
    }
    let distance = |a: i64, b: i64| {
        let (a, b) = (&places[a as usize], &places[b as usize]);
        (a[1] - b[1]).pow(2) + (a[2] - b[2]).pow(2)
    };
    let nearest = |corner: i64, free: &[i64]| (0..free.len()).min_by_key(|&j| distance(free[j], corner)).unwrap();
    while free.len() >= 3 && !wanted.is_empty() {
        let cost = |t: &Vec<i64>| t.iter().map(|&c| distance(free[nearest(c, &free)], c)).sum::<i64>();
        let best = (0..wanted.len()).min_by_key(|&j| cost(&wanted[j])).unwrap();
        for corner in wanted.remove(best) {
            let house = free.remove(nearest(corner, &free));
            if house != corner {
                commands.push(format!("MOVE {} {} 1", house, corner));
            }
        }
    }
    commands
}

fn main() {
    let mut lines = io::stdin().lock().lines().map(|line| line.unwrap());
    let places = counted(&mut lines); // the opening input: where the houses are
    while lines.next().is_some() { // the scores: mine, then the opponent's
        let units = rows(&mut lines, places.len()); // house, my units, the opponent's units
        let paths = counted(&mut lines);
        let triangles = counted(&mut lines);
        let linkable = counted(&mut lines);
        let commands = choose(&places, &units, &triangles);
        eprintln!("{} paths, {} more possible", paths.len(), linkable.len()); // stderr is yours, for debugging
        println!("{}", if commands.is_empty() { "WAIT".to_string() } else { commands.join(";") });
    }
}
