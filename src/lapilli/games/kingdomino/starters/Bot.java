// A starter bot for Kingdomino. It puts each tile next to much of the same terrain, and picks high-numbered tiles.
import java.util.Scanner;

class Bot {
    // Rotation 0: second square on the right, 1 below, 2 left, 3 above.
    static final int[] DX = {1, 0, -1, 0};
    static final int[] DY = {0, 1, 0, -1};

    /** Returns the terrain letter of a square; '_' outside the grid. */
    static char terrain(String[] grid, int x, int y) {
        int side = grid.length;
        return x < 0 || y < 0 || x >= side || y >= side ? '_' : grid[y].charAt(2 * x);
    }

    static int touching(String[] grid, int x, int y, char wanted) {
        int count = 0;
        for (int step = 0; step < 4; step++) {
            char near = terrain(grid, x + DX[step], y + DY[step]);
            if (near == '*' || near == wanted) count++;
        }
        return count;
    }

    static boolean fits(int low, int high, int a, int b, int extent) {
        return Math.max(high, Math.max(a, b)) - Math.min(low, Math.min(a, b)) < extent;
    }

    /** Returns "x y rotation" of the legal placement with the most touching squares; "0 0 0" if there is none. */
    static String bestPut(String[] grid, char first, char second, int extent) {
        int side = grid.length, left = side, right = 0, top = side, bottom = 0, best = 0;
        for (int x = 0; x < side; x++) {
            for (int y = 0; y < side; y++) {
                if (terrain(grid, x, y) == '_') continue;
                left = Math.min(left, x);
                right = Math.max(right, x);
                top = Math.min(top, y);
                bottom = Math.max(bottom, y);
            }
        }
        String put = "0 0 0"; // any PUT will do if the tile fits nowhere
        for (int x = 0; x < side; x++) {
            for (int y = 0; y < side; y++) {
                for (int rotation = 0; rotation < 4; rotation++) {
                    int x2 = x + DX[rotation], y2 = y + DY[rotation];
                    if (!fits(left, right, x, x2, extent) || !fits(top, bottom, y, y2, extent)) continue;
                    if (terrain(grid, x, y) != '_' || terrain(grid, x2, y2) != '_') continue;
                    int touch = touching(grid, x, y, first) + touching(grid, x2, y2, second);
                    if (touch > best) { // your idea goes here
                        best = touch;
                        put = x + " " + y + " " + rotation;
                    }
                }
            }
        }
        return put;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        // The duel has no opening lines; its first line is a row of a wider grid.
        boolean standard = in.hasNextInt();
        int players = standard ? in.nextInt() : 2;
        int tiles = standard ? in.nextInt() : 4;
        int extent = standard ? 5 : 7, side = 2 * extent - 1;
        while (in.hasNext()) {
            String[][] grids = new String[players][side]; // yours is the first
            for (String[] grid : grids) {
                for (int y = 0; y < side; y++) grid[y] = in.next();
            }
            String put = "0 0 0";
            for (int i = 0; i < tiles; i++) {
                int tile = in.nextInt();
                char first = in.next().charAt(0), second = in.next().charAt(0);
                int owner = in.nextInt(), current = in.nextInt();
                if (owner == 0 && current == 1) put = bestPut(grids[0], first, second, extent);
            }
            int pick = -1;
            for (int i = 0; i < tiles; i++) {
                int tile = in.nextInt();
                in.next();
                in.next();
                if (in.nextInt() == -1) pick = Math.max(pick, tile);
            }
            System.err.println("picking " + pick); // stderr is yours, for debugging
            System.out.println("PUT " + put + "\nPICK " + pick + " hello");
            System.out.flush();
        }
    }
}
