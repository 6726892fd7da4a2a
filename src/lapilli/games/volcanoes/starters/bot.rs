// A starter bot for Volcanoes. It founds volcanoes next to empty tiles, and raises low volcanoes.
use std::io::{self, BufRead};

fn main() {
    let mut lines = io::stdin().lock().lines().map(|line| line.unwrap());
    let tiles: usize = lines.next().unwrap().parse().unwrap();
    let mut names = Vec::new(); // the opening input: each tile's name, and the indices of its three neighbours
    let mut neighbours: Vec<Vec<usize>> = Vec::new();
    for _ in 0..tiles {
        let line = lines.next().unwrap();
        let mut words = line.split(' ');
        names.push(words.next().unwrap().to_string());
        neighbours.push(words.map(|word| word.parse().unwrap()).collect());
    }
    while let Some(line) = lines.next() {
        let levels: Vec<i32> = line.split(' ').map(|word| word.parse().unwrap()).collect(); // positive: yours
        let moves = lines.next().unwrap();
        let mut best = "RANDOM";
        let mut best_value = -9;
        for name in moves.split_whitespace() { // your idea goes here
            let tile = names.iter().position(|known| known == name).unwrap();
            let room = neighbours[tile].iter().filter(|&&near| levels[near] == 0).count() as i32;
            if room - levels[tile] > best_value {
                best_value = room - levels[tile];
                best = name;
            }
        }
        eprintln!("chose {best} worth {best_value}"); // stderr is yours, for debugging
        println!("{best}");
    }
}
