#include "twins.h"

#include <stdlib.h>
#include <string.h>

/* Farther than anything, and far from overflow. */
enum { FAR = 0x4000 };

/* ---- memory ---- */

void twins_clear (struct twins *twins)
{
    free (twins->busy);
    free (twins->row[0]);
    free (twins->row[1]);
    *twins = (struct twins){.ready = false};
}

static int prepare (struct twins *twins, const struct levels *levels,
                    tori_error *err)
{
    size_t room = 4 * (size_t)levels->width;
    if (twins->ready)
        return 0;
    twins->busy = malloc (levels->nrows * levels->width
                          * sizeof *twins->busy);
    twins->row[0] = malloc (room * sizeof *twins->row[0]);
    twins->row[1] = malloc (room * sizeof *twins->row[1]);
    if (!twins->busy || !twins->row[0] || !twins->row[1]) {
        twins_clear (twins);
        return tori_error_nomem (err);
    }
    for (size_t i = 0; i < room; i++)
        twins->row[0][i] = twins->row[1][i] = FAR;
    twins->ready = true;
    return 0;
}

/* ---- distances ---- */

/* What is near to one slab is one hop farther from the next. */
static void approach (uint16_t *to, const uint16_t *from, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        store (to + i, lower (load (to + i), load (from + i) + 1));
}

/* Slabs along the first or the second dimension, up and down, and once more
 * round a ring. */
static void sweep (const struct levels *levels, uint16_t *d, int dim)
{
    size_t slab = dim ? levels->width : levels->axes[1].size * levels->width;
    size_t size = levels->axes[dim].size;
    size_t times = size * (levels->axes[dim].wraps ? 2 : 1);
    for (uint16_t *end = d + levels->nrows * levels->width; d < end;
         d += size * slab) {
        for (size_t i = 1; i < times; i++)
            approach (d + i % size * slab, d + (i - 1) % size * slab, slab);
        for (size_t i = times - 1; i > 0; i--)
            approach (d + (i - 1) % size * slab, d + i % size * slab, slab);
    }
}

/* The same along a row, in steps of 1, 2, 4 ... What is beyond the ends of a
 * mesh is far; what is written behind the end of a row that does not fill its
 * lanes is no nearer than by a way out there and back. */
static void scan_row (const struct levels *levels, const struct twins *twins,
                      uint16_t *d)
{
    const struct axis *last = &levels->axes[AXES - 1];
    uint32_t width = levels->width, size = last->size;
    uint16_t *now = twins->row[0] + width, *next = twins->row[1] + width;
    memcpy (now, d, width * sizeof *d);
    for (uint32_t step = 1; step < size; step *= 2) {
        uint16_t *done = now, more = (uint16_t)step;
        if (last->wraps) {
            memcpy (now - size, now, size * sizeof *now);
            memcpy (now + size, now, size * sizeof *now);
        }
        for (uint32_t z = 0; z < width; z += LANES)
            store (next + z,
                   lower (load (now + z),
                          lower (load (now + (int64_t)z - step) + more,
                                 load (now + z + step) + more)));
        now = next;
        next = done;
    }
    memcpy (d, now, width * sizeof *d);
}

/* How far busy nodes are. */
static void find_busy (const struct levels *levels, struct twins *twins)
{
    for (size_t i = 0; i < levels->nrows; i++) {
        const uint16_t *row = levels->free + i * levels->free_pitch
                              + levels->free_pad;
        uint16_t *to = twins->busy + i * levels->width;
        for (uint32_t z = 0; z < levels->width; z++)
            to[z] = row[z] || z >= levels->axes[AXES - 1].size ? FAR : 0;
        scan_row (levels, twins, to);
    }
    sweep (levels, twins->busy, 1);
    sweep (levels, twins->busy, 0);
}

/* ---- centres ---- */

/* Coordinates and distances are far below FAR. */
static bool suits (const struct levels *levels)
{
    uint64_t sides = 0;
    for (int a = 0; a < AXES; a++)
        sides += levels->axes[a].size;
    return sides < FAR / 2;
}

/* Where the nodes of a row are, or those before them in some dimension. */
struct place {
    uint32_t coords[AXES];
    size_t at, back[AXES];
};

/* The lanes that have a twin before them. */
static lanes find_twins (const struct levels *levels,
                         const struct twins *twins, const struct place *p)
{
    lanes radius = load (levels->radius + p->at), found = {0};
    lanes own = (lanes)(load (twins->busy + p->at) > radius);
    for (int a = 0; a < AXES; a++) {
        lanes coords = (lanes){0} + (uint16_t)p->coords[a], twin;
        lanes end = (lanes){0} + (uint16_t)levels->axes[a].size;
        size_t before = p->at - p->back[a];
        if (p->coords[a] == 0 && a < AXES - 1)
            continue;
        if (a == AXES - 1)
            coords += (lanes){0, 1, 2, 3, 4, 5, 6, 7};
        if (p->at < p->back[a])
            continue;
        twin = (lanes)(load (twins->busy + before)
                       > load (levels->radius + before));
        found |= twin & (lanes)(coords > radius)
                 & (lanes)(coords + radius < end);
    }
    return found & own;
}

int twins_drop (struct twins *twins, struct levels *levels, tori_error *err)
{
    uint32_t y_size = levels->axes[1].size;
    struct place p = {.back = {y_size * (size_t)levels->width, levels->width,
                               1}};
    if (!suits (levels))
        return 0;
    if (prepare (twins, levels, err) < 0)
        return -1;
    find_busy (levels, twins);
    for (size_t row = 0; row < levels->nrows; row++) {
        p.coords[0] = (uint32_t)(row / y_size);
        p.coords[1] = (uint32_t)(row % y_size);
        p.at = row * levels->width;
        for (uint32_t z = 0; z < levels->width; z += LANES, p.at += LANES) {
            p.coords[2] = z;
            store (levels->allowed + p.at,
                   load (levels->allowed + p.at)
                       & ~find_twins (levels, twins, &p));
        }
    }
    return 0;
}
