// A starter bot for Volcano with pyramids. It plays the eruption that captures most, or random quiet steps.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

class Bot {
    record Step(String move, int landed, int captured) {}

    static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));
    static final Random RANDOM = new Random();
    /** By cell: the neighbour in each direction, "-" where the board ends. */
    static final Map<String, List<String>> NEIGHBOURS = new HashMap<>();

    /** Your idea goes here. A turn is any number of quiet steps, then one step that erupts. */
    static String choose(Map<String, List<String>> stacks, List<String> caps, List<Step> steps) {
        Collections.shuffle(steps, RANDOM); // chance decides between equally good steps
        Step best = null;
        for (Step step : steps) {
            if (step.landed() > 0 && (best == null || step.captured() > best.captured())) best = step;
        }
        if (best != null) return best.move();
        for (int attempt = 0; attempt < 200; attempt++) {
            String turn = wander(stacks, caps);
            if (turn != null) return turn;
        }
        return steps.get(0).move();
    }

    /** Returns a turn: random quiet steps until a stack can erupt, then the eruption. null if no step is left. */
    static String wander(Map<String, List<String>> stacks, List<String> caps) {
        Map<String, Set<String>> been = new LinkedHashMap<>(); // by cap: cells where it has been
        for (String cap : caps) been.put(cap, new HashSet<>(Set.of(cap)));
        StringBuilder moves = new StringBuilder();
        while (true) {
            List<String[]> quiet = new ArrayList<>();
            List<String> erupting = new ArrayList<>();
            for (String cap : been.keySet()) {
                List<String> around = NEIGHBOURS.get(cap);
                for (int heading = 0; heading < around.size(); heading++) {
                    String to = around.get(heading);
                    if (to.equals("-") || been.containsKey(to)) continue;
                    String beyond = NEIGHBOURS.get(to).get(heading);
                    if (!stacks.get(cap).isEmpty() && !beyond.equals("-") && !been.containsKey(beyond)) {
                        erupting.add(cap + "-" + to);
                    } else if (!been.get(cap).contains(to)) {
                        quiet.add(new String[] {cap, to});
                    }
                }
            }
            if (!erupting.isEmpty()) return moves + erupting.get(RANDOM.nextInt(erupting.size()));
            if (quiet.isEmpty()) return null;
            String[] step = quiet.get(RANDOM.nextInt(quiet.size()));
            Set<String> cells = been.remove(step[0]);
            cells.add(step[1]);
            been.put(step[1], cells);
            moves.append(step[0]).append('-').append(step[1]).append(' ');
        }
    }

    static List<String> words() throws IOException {
        String line = IN.readLine();
        return line == null ? null : List.of(line.split(" "));
    }

    public static void main(String[] arguments) throws IOException {
        words(); // the variant: square, square-random, hex or hex-random
        words(); // 0 if you move first, else 1
        int cells = Integer.parseInt(words().get(0));
        words(); // the directions' names
        for (int i = 0; i < cells; i++) {
            List<String> line = words();
            NEIGHBOURS.put(line.get(0), line.subList(1, line.size()));
        }
        words(); // the colours
        while (words() != null) { // the turn's number; no line at the end of the match
            List<String> scores = words();
            System.err.println(scores.get(0) + " to " + scores.get(1)); // stderr is yours, for debugging
            words(); // the number of pieces that you have captured, and these pieces
            words(); // the same for your opponent
            Map<String, List<String>> stacks = new HashMap<>();
            List<String> caps = new ArrayList<>();
            for (int i = 0; i < cells; i++) {
                List<String> line = words();
                stacks.put(line.get(0), line.subList(3, line.size())); // bottom to top: RS, RM, …
                if (line.get(1).equals("1")) caps.add(line.get(0));
            }
            List<Step> steps = new ArrayList<>();
            int number = Integer.parseInt(words().get(0));
            for (int i = 0; i < number; i++) {
                List<String> line = words();
                steps.add(new Step(line.get(0), Integer.parseInt(line.get(1)), Integer.parseInt(line.get(2))));
            }
            System.out.println(choose(stacks, caps, steps));
            System.out.flush();
        }
    }
}
