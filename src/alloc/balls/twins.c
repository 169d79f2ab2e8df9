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

static int prepare (struct twins *twins, const struct field *field,
                    tori_error *err)
{
    size_t room = 4 * (size_t)field->width;
    if (twins->ready)
        return 0;
    twins->busy = malloc (field->nrows * field->width
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
static void sweep (const struct field *field, uint16_t *d, int dim)
{
    size_t slab = dim ? field->width : field->axes[1].size * field->width;
    size_t size = field->axes[dim].size;
    size_t times = size * (field->axes[dim].wraps ? 2 : 1);
    for (uint16_t *end = d + field->nrows * field->width; d < end;
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
static void scan_row (const struct field *field, const struct twins *twins,
                      uint16_t *d)
{
    const struct axis *last = &field->axes[AXES - 1];
    uint32_t width = field->width, size = last->size;
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
static void find_busy (const struct field *field, struct twins *twins)
{
    for (size_t i = 0; i < field->nrows; i++) {
        const uint16_t *row = field->free + i * field->axes[1].free_step;
        uint16_t *to = twins->busy + i * field->width;
        for (uint32_t z = 0; z < field->width; z++)
            to[z] = row[z] || z >= field->axes[AXES - 1].size ? FAR : 0;
        scan_row (field, twins, to);
    }
    sweep (field, twins->busy, 1);
    sweep (field, twins->busy, 0);
}

/* ---- centres ---- */

/* Coordinates and distances are far below FAR. */
static bool suits (const struct field *field)
{
    uint64_t sides = 0;
    for (int a = 0; a < AXES; a++)
        sides += field->axes[a].size;
    return sides < FAR / 2;
}

/* Where the nodes of a row are, or those before them in some dimension. */
struct place {
    uint32_t coords[AXES]; /* from the first centre on */
    size_t at, back[AXES];
};

/* The lanes that have a twin before them. */
static lanes find_twins (const struct field *field, const uint16_t *clear,
                         const struct place *p)
{
    lanes radius = load (field->radius + p->at), found = {0};
    for (int a = 0; a < AXES; a++) {
        const struct axis *axis = &field->axes[a];
        lanes own = (lanes){0} + (uint16_t)p->coords[a], coords;
        lanes end = (lanes){0} + (uint16_t)axis->size;
        if (p->coords[a] == 0 && a < AXES - 1)
            continue;
        if (a == AXES - 1)
            own += (lanes){0, 1, 2, 3, 4, 5, 6, 7};
        if (p->at < p->back[a])
            continue;
        coords = own + (uint16_t)axis->first;
        found |= load (clear + p->at - p->back[a]) & (lanes)(own > 0)
                 & (lanes)(coords > radius) & (lanes)(coords + radius < end);
    }
    return found & load (clear + p->at);
}

void twins_drop_clear (struct field *field, const uint16_t *clear)
{
    uint32_t y_size = field->axes[1].own;
    struct place p = {.back = {y_size * (size_t)field->width, field->width,
                               1}};
    if (!suits (field))
        return;
    for (size_t row = 0; row < field->nrows; row++) {
        p.coords[0] = (uint32_t)(row / y_size);
        p.coords[1] = (uint32_t)(row % y_size);
        p.at = row * field->width;
        for (uint32_t z = 0; z < field->width; z += LANES, p.at += LANES) {
            p.coords[2] = z;
            store (field->allowed + p.at,
                   load (field->allowed + p.at)
                       & ~find_twins (field, clear, &p));
        }
    }
}

int twins_drop (struct twins *twins, struct field *field, tori_error *err)
{
    size_t dense = field->nrows * field->width;
    if (!suits (field))
        return 0;
    if (prepare (twins, field, err) < 0)
        return -1;
    find_busy (field, twins);
    for (size_t i = 0; i < dense; i += LANES)
        store (twins->busy + i, (lanes)(load (twins->busy + i)
                                        > load (field->radius + i)));
    twins_drop_clear (field, twins->busy);
    return 0;
}
