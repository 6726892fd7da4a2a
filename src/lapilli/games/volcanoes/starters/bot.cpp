// A starter bot for Volcanoes. It founds volcanoes next to empty tiles, and raises low volcanoes.
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

int main() {
    int tiles;
    std::cin >> tiles;  // the opening input: each tile's name, and the indices of its three neighbours
    std::vector<std::vector<int>> neighbours(tiles, std::vector<int>(3));
    std::map<std::string, int> index;
    for (int i = 0; i < tiles; i++) {
        std::string name;
        std::cin >> name >> neighbours[i][0] >> neighbours[i][1] >> neighbours[i][2];
        index[name] = i;
    }
    std::vector<int> levels(tiles);
    std::string line;
    while (std::cin >> levels[0]) {  // positive: your volcanoes, negative: the opponent's, 0: empty
        for (int i = 1; i < tiles; i++) std::cin >> levels[i];
        std::getline(std::cin, line);  // the rest of the levels' line
        std::getline(std::cin, line);  // the valid moves
        std::istringstream moves(line);
        std::string best = "RANDOM";
        int bestValue = -9;
        for (std::string move; moves >> move;) {  // your idea goes here
            int tile = index[move], value = -levels[tile];
            for (int near : neighbours[tile])
                if (levels[near] == 0) value++;  // count the empty neighbours
            if (value > bestValue) bestValue = value, best = move;
        }
        std::cerr << "chose " << best << " worth " << bestValue << std::endl;  // stderr is yours, for debugging
        std::cout << best << std::endl;
    }
}
