#include "planlanes.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

static int stride_bits (const tori_machine *machine,
                        const tori_subtorus *subtorus, int dim)
{
    return __builtin_ctz (
        tori_subtorus_stride (machine, &subtorus->shape, dim));
}

static void find_bits (struct planlanes *lanes, const tori_machine *machine,
                       const tori_contention *plan, size_t n)
{
    int all = 0;
    lanes->ndims = tori_machine_ndims (machine);
    for (size_t i = 0; i < n; i++) {
        tori_contention_place at = tori_contention_at (plan, i);
        for (int d = 0; at.finish > 0 && d < lanes->ndims; d++) {
            int bits = stride_bits (machine, &at.subtorus, d);
            if (bits > lanes->bits[d])
                lanes->bits[d] = (uint8_t)bits;
        }
    }
    for (int d = 0; d < lanes->ndims; d++)
        all += lanes->bits[d];
    lanes->lanes = UINT32_C (1) << all;
}

/* Which lanes a subtorus has, by the bits of a lane, the highest first:
 * `fixed` has the bits of its offset, and `open` the bits that take both
 * values among its nodes. */
static void lanes_of (const struct planlanes *lanes,
                      const tori_machine *machine,
                      const tori_subtorus *subtorus, uint32_t *fixed,
                      uint32_t *open)
{
    *fixed = *open = 0;
    for (int level = 0; level < 32; level++)
        for (int d = 0; d < lanes->ndims; d++) {
            int bits = stride_bits (machine, subtorus, d);
            if (level >= lanes->bits[d])
                continue;
            *fixed = *fixed << 1 | (subtorus->offset[d] >> level & 1);
            *open = *open << 1 | (level >= bits);
        }
}

/* A bar for every run of adjacent lanes, which the open bits at the low end
 * make. */
static int add_bars (struct planlanes *lanes, const tori_machine *machine,
                     const tori_contention_place *at, size_t job,
                     tori_error *err)
{
    uint32_t fixed, open, run = 1, sub = 0;
    lanes_of (lanes, machine, &at->subtorus, &fixed, &open);
    while (open & run)
        run <<= 1;
    open &= ~(run - 1);
    do {
        struct gantt_bar *more = array_room (lanes->bar, &lanes->room,
                                             lanes->bars + 1, sizeof *more);
        if (!more)
            return tori_error_nomem (err);
        lanes->bar = more;
        more[lanes->bars++] = (struct gantt_bar){
            .job = job,
            .low = fixed | sub,
            .high = (fixed | sub) + run,
            .start = at->start,
            .finish = at->finish,
        };
        sub = (sub - open) & open;
    } while (sub);
    return 0;
}

int planlanes_create (const tori_machine *machine, const tori_contention *plan,
                      size_t n, struct planlanes *ret_lanes, tori_error *err)
{
    struct planlanes lanes = {0};
    find_bits (&lanes, machine, plan, n);
    for (size_t i = 0; i < n; i++) {
        tori_contention_place at = tori_contention_at (plan, i);
        if (at.finish > 0 && add_bars (&lanes, machine, &at, i + 1, err) < 0) {
            planlanes_clear (&lanes);
            return -1;
        }
    }
    *ret_lanes = lanes;
    return 0;
}

void planlanes_clear (struct planlanes *lanes)
{
    free (lanes->bar);
    *lanes = (struct planlanes){0};
}

void planlanes_label (const void *arg, uint32_t low, uint32_t high,
                      char text[GANTT_LABEL])
{
    const struct planlanes *lanes = arg;
    uint32_t offset[TORI_MAX_DIMS] = {0}, rest = lanes->lanes;
    size_t used = 0;
    for (int level = 0; level < 32; level++)
        for (int d = 0; d < lanes->ndims; d++)
            if (level < lanes->bits[d]) {
                rest /= 2;
                offset[d] |= (low / rest & 1) << level;
            }
    text[0] = '\0';
    for (int d = 0; d < lanes->ndims && used < GANTT_LABEL; d++)
        used += (size_t)snprintf (text + used, GANTT_LABEL - used,
                                  d ? ",%u" : "%u", offset[d]);
}
