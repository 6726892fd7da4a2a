// A starter bot for TryAngle Catch. It spawns units while it has few, and sends units to the nearest free triangles.
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Scanner;
import java.util.Set;

class Bot {
    static final int ARMY = 14; // spawn until there are this many units
    static int[] x, y;

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int houses = in.nextInt(); // the opening input: where the houses are
        x = new int[houses];
        y = new int[houses];
        for (int i = 0; i < houses; i++) {
            in.nextInt();
            x[i] = in.nextInt();
            y[i] = in.nextInt();
        }
        while (in.hasNextInt()) {
            in.nextInt(); // my score
            in.nextInt(); // the opponent's score
            int army = 0;
            int[] mine = new int[houses], other = new int[houses];
            for (int i = 0; i < houses; i++) {
                in.nextInt();
                army += mine[i] = in.nextInt();
                other[i] = in.nextInt();
            }
            int paths = in.nextInt();
            for (int i = 0; i < 2 * paths; i++) in.nextInt();
            List<String> commands = new ArrayList<>();
            Set<Integer> guarded = new HashSet<>();
            List<int[]> wanted = new ArrayList<>();
            int triangles = in.nextInt();
            for (int i = 0; i < triangles; i++) { // your idea goes here
                int[] corners = {in.nextInt(), in.nextInt(), in.nextInt()};
                int owner = in.nextInt(), canCapture = in.nextInt(), otherCanCapture = in.nextInt();
                if (owner == 0 && army < ARMY) {
                    commands.add("SPAWN " + corners[0] + " " + corners[1] + " " + corners[2]);
                    army++;
                } else if (owner == 0) {
                    for (int corner : corners) guarded.add(corner);
                } else if (canCapture == 1) {
                    wanted.add(corners);
                }
            }
            int linkable = in.nextInt();
            for (int i = 0; i < 2 * linkable; i++) in.nextInt();
            send(mine, guarded, wanted, commands);
            System.err.println(paths + " paths, " + linkable + " more possible"); // stderr is for debugging
            System.out.println(commands.isEmpty() ? "WAIT" : String.join(";", commands));
        }
    }

    static void send(int[] mine, Set<Integer> guarded, List<int[]> wanted, List<String> commands) {
        List<Integer> free = new ArrayList<>();
        for (int house = 0; house < mine.length; house++)
            for (int k = guarded.contains(house) ? 1 : 0; k < mine[house]; k++) free.add(house);
        while (free.size() >= 3 && !wanted.isEmpty()) {
            int[] best = wanted.get(0);
            for (int[] triangle : wanted) if (cost(triangle, free) < cost(best, free)) best = triangle;
            wanted.remove(best);
            for (int corner : best) {
                int house = free.remove(nearest(corner, free));
                if (house != corner) commands.add("MOVE " + house + " " + corner + " 1");
            }
        }
    }

    static int cost(int[] triangle, List<Integer> free) {
        int sum = 0;
        for (int corner : triangle) sum += distance(free.get(nearest(corner, free)), corner);
        return sum;
    }

    static int nearest(int corner, List<Integer> free) {
        int best = 0;
        for (int j = 1; j < free.size(); j++)
            if (distance(free.get(j), corner) < distance(free.get(best), corner)) best = j;
        return best;
    }

    static int distance(int a, int b) {
        return (x[a] - x[b]) * (x[a] - x[b]) + (y[a] - y[b]) * (y[a] - y[b]);
    }
}
