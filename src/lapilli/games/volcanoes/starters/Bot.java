// A starter bot for Volcanoes. It founds volcanoes next to empty tiles, and raises low volcanoes.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.HashMap;
import java.util.Map;

class Bot {
    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int tiles = Integer.parseInt(in.readLine()); // the opening input: each tile's name and three neighbours
        Map<String, Integer> index = new HashMap<>();
        int[][] neighbours = new int[tiles][3];
        for (int i = 0; i < tiles; i++) {
            String[] words = in.readLine().split(" ");
            index.put(words[0], i);
            for (int k = 0; k < 3; k++) neighbours[i][k] = Integer.parseInt(words[k + 1]);
        }
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            int[] levels = new int[tiles]; // positive: your volcanoes, negative: the opponent's, 0: empty
            for (int i = 0; i < tiles; i++) levels[i] = Integer.parseInt(words[i]);
            String best = "RANDOM";
            int bestValue = -9;
            for (String move : in.readLine().split(" ")) { // your idea goes here
                if (move.isEmpty()) continue;
                int tile = index.get(move), value = -levels[tile];
                for (int near : neighbours[tile]) if (levels[near] == 0) value++; // count the empty neighbours
                if (value > bestValue) {
                    bestValue = value;
                    best = move;
                }
            }
            System.err.println("chose " + best + " worth " + bestValue); // stderr is yours, for debugging
            System.out.println(best);
        }
    }
}
