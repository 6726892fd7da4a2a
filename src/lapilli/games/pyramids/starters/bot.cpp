// A starter bot for Volcano with pyramids. It plays the eruption that captures most, or random quiet steps.
#include <algorithm>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>
using namespace std;

struct Step {
    string move;
    int landed, captured;
};

map<string, vector<string>> neighbours;  // by cell: the neighbour in each direction, "-" where the board ends
mt19937 generator(1);

// Returns a turn: random quiet steps until a stack can erupt, then the eruption. "" if no step is left.
string wander(map<string, vector<string>>& stacks, const vector<string>& caps) {
    map<string, set<string>> been;  // by cell of each cap: the cells to which this cap must not return quietly
    for (const string& cap : caps) been[cap] = {cap};
    string moves;
    for (;;) {
        vector<pair<string, string>> quiet, erupting;
        for (const auto& [cap, cells] : been) {
            for (size_t heading = 0; heading < neighbours[cap].size(); heading++) {
                const string& to = neighbours[cap][heading];
                if (to == "-" || been.count(to)) continue;
                const string& beyond = neighbours[to][heading];
                if (!stacks[cap].empty() && beyond != "-" && !been.count(beyond)) erupting.push_back({cap, to});
                else if (!cells.count(to)) quiet.push_back({cap, to});
            }
        }
        if (!erupting.empty()) {
            auto [cap, to] = erupting[generator() % erupting.size()];
            return moves + cap + "-" + to;
        }
        if (quiet.empty()) return "";
        auto [cap, to] = quiet[generator() % quiet.size()];
        set<string> cells = been[cap];
        cells.insert(to);
        been.erase(cap);
        been[to] = cells;
        moves += cap + "-" + to + " ";
    }
}

// Your idea goes here. A turn is any number of quiet steps, then one step that erupts.
string choose(map<string, vector<string>>& stacks, const vector<string>& caps, vector<Step> steps) {
    shuffle(steps.begin(), steps.end(), generator);  // chance decides between equally good steps
    const Step* best = nullptr;
    for (const Step& step : steps)
        if (step.landed > 0 && (!best || step.captured > best->captured)) best = &step;
    if (best) return best->move;
    for (int attempt = 0; attempt < 200; attempt++) {
        string turn = wander(stacks, caps);
        if (!turn.empty()) return turn;
    }
    return steps[0].move;
}

vector<string> read_words() {
    int number;
    cin >> number;
    vector<string> words(number);
    for (string& word : words) cin >> word;
    return words;
}

int main() {
    string variant, word;
    int me, cells, headings;
    cin >> variant >> me >> cells >> headings;  // me: 0 if you move first, else 1
    for (int i = 0; i < headings; i++) cin >> word;  // the directions' names
    for (int i = 0; i < cells; i++) {
        string cell;
        cin >> cell;
        neighbours[cell].resize(headings);
        for (string& to : neighbours[cell]) cin >> to;
    }
    vector<string> colours = read_words();

    int turn, my_score, other_score;
    while (cin >> turn >> my_score >> other_score) {  // ends with the match
        cerr << my_score << " to " << other_score << endl;  // stderr is yours, for debugging
        vector<string> my_captures = read_words(), other_captures = read_words();
        map<string, vector<string>> stacks;
        vector<string> caps;
        for (int i = 0; i < cells; i++) {
            string cell;
            int capped;
            cin >> cell >> capped;
            stacks[cell] = read_words();  // bottom to top: RS, RM, …
            if (capped) caps.push_back(cell);
        }
        int number;
        cin >> number;
        vector<Step> steps(number);
        for (Step& step : steps) cin >> step.move >> step.landed >> step.captured;
        cout << choose(stacks, caps, steps) << endl;
    }
}
