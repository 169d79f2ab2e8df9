/* largest_box.c - the largest free box of a machine of three dimensions. */
#include "slices_study.h"

enum { LONGEST = 64 };

/* A line of the last dimension is a word. */
struct lines {
    uint32_t side[3];
    bool wrap;
    uint64_t free[LONGEST][LONGEST];
};

/* The longest run of ones in the first n bits, round the end if runs wrap. */
static uint32_t longest_run (uint64_t word, uint32_t n, bool wrap)
{
    uint32_t run = 0;
    while (word && run < n) {
        uint64_t next = word >> 1;
        if (wrap)
            next |= (word & 1) << (n - 1);
        word &= next;
        run++;
    }
    return run;
}

/* The largest box on planes of which `rows` are the common lines. */
static uint32_t largest_on (const struct lines *lines, const uint64_t rows[],
                            uint32_t planes, uint32_t best)
{
    uint32_t n = lines->side[1];
    for (uint32_t y = 0; y < n; y++) {
        uint64_t word = ~UINT64_C (0);
        uint32_t most = lines->wrap ? n : n - y;
        for (uint32_t dy = 1; dy <= most && word; dy++) {
            uint32_t box;
            word &= rows[(y + dy - 1) % n];
            box = planes * dy
                  * longest_run (word, lines->side[2], lines->wrap);
            best = box > best ? box : best;
        }
    }
    return best;
}

static void read_lines (const tori_state *state, struct lines *lines)
{
    const tori_machine *machine = tori_state_machine (state);
    for (int d = 0; d < 3; d++)
        lines->side[d] = tori_machine_size (machine, d);
    for (uint32_t i = 0; i < tori_machine_nodes (machine); i++) {
        uint32_t at[TORI_MAX_DIMS];
        tori_machine_coords (machine, i, at);
        if (tori_state_is_free (state, i))
            lines->free[at[0]][at[1]] |= UINT64_C (1) << at[2];
    }
}

uint32_t largest_box (const tori_state *state, bool wrap)
{
    struct lines lines = {.wrap = wrap};
    uint32_t best = 0, n;
    read_lines (state, &lines);
    n = lines.side[0];
    for (uint32_t x = 0; x < n; x++) {
        uint32_t most = wrap ? n : n - x;
        uint64_t rows[LONGEST];
        for (uint32_t y = 0; y < lines.side[1]; y++)
            rows[y] = ~UINT64_C (0);
        for (uint32_t dx = 1; dx <= most; dx++) {
            for (uint32_t y = 0; y < lines.side[1]; y++)
                rows[y] &= lines.free[(x + dx - 1) % n][y];
            best = largest_on (&lines, rows, dx, best);
        }
    }
    return best;
}
