// A starter bot for TryAngle Catch. It spawns units while it has few, and sends units to the nearest free triangles.
#include <array>
#include <iostream>
#include <set>
#include <string>
#include <vector>

const int ARMY = 14;  // spawn until there are this many units

int main() {
    int houses;
    std::cin >> houses;  // the opening input: where the houses are
    std::vector<int> x(houses), y(houses), mine(houses), other(houses);
    for (int i = 0, id; i < houses; i++) std::cin >> id >> x[i] >> y[i];
    auto distance = [&](int a, int b) { return (x[a] - x[b]) * (x[a] - x[b]) + (y[a] - y[b]) * (y[a] - y[b]); };
    int myScore, otherScore;
    while (std::cin >> myScore >> otherScore) {
        int army = 0, paths, triangles, linkable, a, b, c, owner, canCapture, otherCanCapture;
        for (int i = 0, id; i < houses; i++) {
            std::cin >> id >> mine[i] >> other[i];
            army += mine[i];
        }
        std::cin >> paths;
        for (int i = 0; i < paths; i++) std::cin >> a >> b;
        std::string commands;
        std::set<int> guarded;
        std::vector<std::array<int, 3>> wanted;
        std::cin >> triangles;
        for (int i = 0; i < triangles; i++) {  // your idea goes here
            std::cin >> a >> b >> c >> owner >> canCapture >> otherCanCapture;
            if (owner == 0 && army < ARMY) {
                commands += "SPAWN " + std::to_string(a) + " " + std::to_string(b) + " " + std::to_string(c) + ";";
                army++;
            } else if (owner == 0) {
                guarded.insert({a, b, c});
            } else if (canCapture) {
                wanted.push_back({a, b, c});
            }
        }
        std::cin >> linkable;
        for (int i = 0; i < linkable; i++) std::cin >> a >> b;
        std::vector<int> free;
        for (int house = 0; house < houses; house++)
            for (int k = guarded.count(house); k < mine[house]; k++) free.push_back(house);
        auto nearest = [&](int corner) {
            size_t best = 0;
            for (size_t j = 1; j < free.size(); j++)
                if (distance(free[j], corner) < distance(free[best], corner)) best = j;
            return best;
        };
        auto cost = [&](const std::array<int, 3>& triangle) {
            long sum = 0;
            for (int corner : triangle) sum += distance(free[nearest(corner)], corner);
            return sum;
        };
        while (free.size() >= 3 && !wanted.empty()) {
            size_t best = 0;
            for (size_t j = 1; j < wanted.size(); j++)
                if (cost(wanted[j]) < cost(wanted[best])) best = j;
            for (int corner : wanted[best]) {
                size_t unit = nearest(corner);
                if (free[unit] != corner)
                    commands += "MOVE " + std::to_string(free[unit]) + " " + std::to_string(corner) + " 1;";
                free.erase(free.begin() + unit);
            }
            wanted.erase(wanted.begin() + best);
        }
        std::cerr << paths << " paths, " << linkable << " more possible" << std::endl;  // stderr is for debugging
        std::cout << (commands.empty() ? "WAIT" : commands) << std::endl;
    }
}
