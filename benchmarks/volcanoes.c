/* Random games of Volcanoes: the algorithm of src/lapilli/games/volcanoes/rules.py, in C. benchmarks/volcanoes.py
   compiles it, gives it the tables of the board as tables.h, and compares speeds and games. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define INLINE static inline __attribute__((always_inline)) /* a tenth faster than gcc's own choice of inlining */
typedef uint64_t word;
#include "tables.h" /* MAX_TURNS, CYCLE, NEAR_NORTH, NEAR_SOUTH */

enum { TILES = 80, HEMISPHERE = 40, GROWTH = 80 };
enum { CHANCE = -1, TERMINAL = -4 };
enum { RUNNING, BLUE_WINS, ORANGE_WINS, DRAW, TURN_LIMIT };
static const word ALL = ((word)1 << HEMISPHERE) - 1;

typedef struct {
    word blue_north, blue_south, orange_north, orange_south, low_north, low_south, high_north, high_south;
    int turn, result;
} position;

typedef struct {
    word north, south;
} tiles;

INLINE int lowest(word set) { return __builtin_ctzll(set); }

INLINE int side(const position *p) { return CYCLE[(p->turn - 1) % 6]; }

INLINE tiles legal_tiles(const position *p, int player) {
    word north = player == 0 ? p->orange_north : p->blue_north, south = player == 0 ? p->orange_south : p->blue_south;
    return (tiles){ALL & ~(north | (p->low_north & p->high_north)), ALL & ~(south | (p->low_south & p->high_south))};
}

INLINE int current_player(const position *p) {
    if (p->result != RUNNING) return TERMINAL;
    int player = side(p);
    if (player < 0) return CHANCE;
    tiles legal = legal_tiles(p, player);
    return legal.north | legal.south ? player : TERMINAL;
}

INLINE int take(tiles *set) {
    int tile;
    if (set->north) {
        tile = lowest(set->north);
        set->north &= set->north - 1;
    } else {
        tile = HEMISPHERE + lowest(set->south);
        set->south &= set->south - 1;
    }
    return tile;
}

INLINE tiles raise_level(position *p, word north, word south) {
    tiles erupting = {north & p->high_north & ~p->low_north, south & p->high_south & ~p->low_south};
    p->high_north ^= north & p->low_north;
    p->high_south ^= south & p->low_south;
    p->low_north ^= north;
    p->low_south ^= south;
    return erupting;
}

INLINE tiles begin(position *p, int action) {
    if (action == GROWTH)
        return raise_level(p, (p->blue_north | p->orange_north) & ~(p->low_north & p->high_north),
                           (p->blue_south | p->orange_south) & ~(p->low_south & p->high_south));
    word bit = (word)1 << action % HEMISPHERE, north = action < HEMISPHERE ? bit : 0, south = bit ^ north;
    if ((north & (p->blue_north | p->orange_north)) | (south & (p->blue_south | p->orange_south)))
        return raise_level(p, north, south);
    if (side(p) == 0) {
        p->blue_north |= north;
        p->blue_south |= south;
    } else {
        p->orange_north |= north;
        p->orange_south |= south;
    }
    return (tiles){0, 0};
}

typedef struct {
    word north1, north2, south1, south2;
} hits;

INLINE hits count_hits(word north, word south) {
    hits found = {0, 0, 0, 0};
    tiles left = {north, south};
    while (left.north | left.south) {
        int tile = take(&left);
        word near = NEAR_NORTH[tile];
        found.north2 |= found.north1 & near;
        found.north1 ^= near;
        near = NEAR_SOUTH[tile];
        found.south2 |= found.south1 & near;
        found.south1 ^= near;
    }
    return found;
}

INLINE word settle(word *blues, word *oranges, word *lows, word *highs, word b1, word b2, word o1, word o2) {
    word blue = *blues, orange = *oranges, low = *lows, high = *highs;
    word occupied = blue | orange;
    word friend1 = (blue & b1) | (orange & o1), friend2 = (blue & b2) | (orange & o2);
    word enemy1 = (blue & o1) | (orange & b1), enemy2 = (blue & o2) | (orange & b2);
    word asleep = low & high;
    word calm = occupied & ~(enemy1 | enemy2), carry = low & friend1;
    word full = (high & friend2) | (carry & (high | friend2));
    word new_low = calm & ((low ^ friend1) | full), new_high = calm & ((high ^ friend2 ^ carry) | full);
    word erupting = new_low & new_high & ~asleep;
    word survivors = ((asleep & (friend1 | friend2)) | (high & ~low & friend2)) & enemy1 & ~enemy2;
    new_low |= survivors & asleep & friend2;
    word left = calm | survivors;
    word empty = ALL & ~occupied;
    word to_blue = empty & (b1 | b2) & (b2 | ~(o1 | o2)), to_orange = empty & (o1 | o2) & (o2 | ~(b1 | b2));
    word alone2 = (to_blue & b2 & ~o1) | (to_orange & o2 & ~b1), alone1 = b1 | o1;
    *lows = new_low | (alone2 & ~alone1);
    *highs = new_high | (alone2 & alone1);
    *blues = (blue & left) | to_blue;
    *oranges = (orange & left) | to_orange;
    return erupting;
}

INLINE tiles erupt(position *p, tiles at) {
    hits b = count_hits(at.north & p->blue_north, at.south & p->blue_south);
    hits o = count_hits(at.north & p->orange_north, at.south & p->orange_south);
    return (tiles){
        settle(&p->blue_north, &p->orange_north, &p->low_north, &p->high_north, b.north1, b.north2, o.north1, o.north2),
        settle(&p->blue_south, &p->orange_south, &p->low_south, &p->high_south, b.south1, b.south2, o.south1, o.south2)};
}

INLINE int has_path(word north, word south) {
    word pairs = north & south;
    while (pairs) {
        word reached_north = pairs & (~pairs + 1), reached_south = 0;
        tiles front = {reached_north, 0};
        while (front.north | front.south) {
            int tile = take(&front);
            word near = NEAR_NORTH[tile] & north & ~reached_north;
            reached_north |= near;
            front.north |= near;
            near = NEAR_SOUTH[tile] & south & ~reached_south;
            reached_south |= near;
            front.south |= near;
        }
        if (reached_north & reached_south) return 1;
        pairs &= ~reached_north;
    }
    return 0;
}

INLINE void finish_turn(position *p) {
    int blue = has_path(p->blue_north, p->blue_south), orange = has_path(p->orange_north, p->orange_south);
    if (blue || orange) {
        p->result = p->turn >= MAX_TURNS ? TURN_LIMIT : blue && orange ? DRAW : blue ? BLUE_WINS : ORANGE_WINS;
        return;
    }
    if (++p->turn > MAX_TURNS) p->result = TURN_LIMIT;
}

INLINE void play(position *p, int action) {
    tiles at = begin(p, action);
    while (at.north | at.south) at = erupt(p, at);
    finish_turn(p);
}

INLINE word random_word(word *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

INLINE int random_tile(const position *p, int player, word *state) {
    for (;;) {
        int tile = (int)((random_word(state) >> 32) * TILES >> 32);
        tiles legal = legal_tiles(p, player);
        if ((tile < HEMISPHERE ? legal.north : legal.south) >> tile % HEMISPHERE & 1) return tile;
    }
}

INLINE int playout(position *p, word *state) {
    int played = 0;
    for (int player; (player = current_player(p)) != TERMINAL; played++)
        play(p, player == CHANCE ? GROWTH : random_tile(p, player, state));
    return played;
}

int main(int count, char **words) {
    if (count != 3) {
        fprintf(stderr, "usage: %s RANDOM_STATE GAMES\n", words[0]);
        return 2;
    }
    word state = strtoull(words[1], NULL, 10);
    long games = atol(words[2]), turns = 0;
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (long game = 0; game < games; game++) {
        position p = {.turn = 1};
        turns += playout(&p, &state);
    }
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%ld %.9f\n", turns, (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9);
    return 0;
}
