// A starter bot for Kingdomino. It puts each tile next to much of the same terrain, and picks high-numbered tiles.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <string>
#include <vector>

// Rotation 0: second square on the right, 1 below, 2 left, 3 above.
const int DX[] = {1, 0, -1, 0};
const int DY[] = {0, 1, 0, -1};

using Grid = std::vector<std::string>;

// Returns the terrain letter of a square; '_' outside the grid.
char terrain(const Grid& grid, int x, int y) {
    int side = grid.size();
    return x < 0 || y < 0 || x >= side || y >= side ? '_' : grid[y][2 * x];
}

int touching(const Grid& grid, int x, int y, char wanted) {
    int count = 0;
    for (int step = 0; step < 4; step++) {
        char near = terrain(grid, x + DX[step], y + DY[step]);
        count += near == '*' || near == wanted;
    }
    return count;
}

// Returns "x y rotation" of the legal placement with the most touching squares; "0 0 0" if the tile fits nowhere.
std::string bestPut(const Grid& grid, char first, char second, int extent) {
    int side = grid.size(), left = side, right = 0, top = side, bottom = 0;
    for (int x = 0; x < side; x++)
        for (int y = 0; y < side; y++)
            if (terrain(grid, x, y) != '_') {
                left = std::min(left, x), right = std::max(right, x);
                top = std::min(top, y), bottom = std::max(bottom, y);
            }
    int best = 0;
    std::string put = "0 0 0";  // any PUT will do if the tile fits nowhere
    for (int x = 0; x < side; x++)
        for (int y = 0; y < side; y++)
            for (int rotation = 0; rotation < 4; rotation++) {
                int x2 = x + DX[rotation], y2 = y + DY[rotation];
                if (std::max({right, x, x2}) - std::min({left, x, x2}) >= extent) continue;
                if (std::max({bottom, y, y2}) - std::min({top, y, y2}) >= extent) continue;
                if (terrain(grid, x, y) != '_' || terrain(grid, x2, y2) != '_') continue;
                int touch = touching(grid, x, y, first) + touching(grid, x2, y2, second);
                if (touch > best) {  // your idea goes here
                    best = touch;
                    put = std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(rotation);
                }
            }
    return put;
}

int main() {
    // The duel has no opening lines; its first line is a row of a wider grid.
    std::string early;
    if (!(std::cin >> early)) return 0;
    bool standard = std::isdigit(static_cast<unsigned char>(early[0]));
    int players = standard ? std::stoi(early) : 2, tiles = 4, extent = standard ? 5 : 7;
    if (standard) {
        std::cin >> tiles;
        early.clear();
    }
    int side = 2 * extent - 1;
    while (true) {
        std::vector<Grid> grids(players, Grid(side));  // yours is the first
        for (Grid& grid : grids)
            for (std::string& row : grid) {
                if (!early.empty()) {
                    row.swap(early);
                } else if (!(std::cin >> row)) {
                    return 0;  // the game is over
                }
            }
        std::string put = "0 0 0";
        for (int i = 0; i < tiles; i++) {
            int tile, owner, current;
            std::string first, second;
            std::cin >> tile >> first >> second >> owner >> current;
            if (owner == 0 && current == 1) put = bestPut(grids[0], first[0], second[0], extent);
        }
        int pick = -1;
        for (int i = 0; i < tiles; i++) {
            int tile, taker;
            std::string first, second;
            std::cin >> tile >> first >> second >> taker;
            if (taker == -1) pick = std::max(pick, tile);
        }
        std::cerr << "picking " << pick << std::endl;  // stderr is yours, for debugging
        std::cout << "PUT " << put << "\nPICK " << pick << " hello" << std::endl;
    }
}
