#include "sieve.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "boxscan.h"
#include "marks.h"

/* Below this many nodes a search takes no longer than the sieve. In more
 * dimensions a node of the small machine stands for too many. */
enum { FEWEST_NODES = 8192, MOST_DIMS = 4 };

bool sieve_takes (const tori_machine *machine, const tori_request *request)
{
    if (machine->nodes < FEWEST_NODES || machine->shape.ndims > MOST_DIMS)
        return false;
    for (int d = 0; d < request->shape.ndims; d++)
        if (request->shape.size[d] < 3)
            return false;
    return true;
}

void sieve_clear (struct sieve *sieve)
{
    free (sieve->set);
    boxscan_destroy (sieve->scan);
    tori_state_destroy (sieve->state);
    tori_machine_destroy (sieve->machine);
    *sieve = (struct sieve){0};
}

/* ---- the small machine ---- */

static bool create_small (struct sieve *sieve, const tori_machine *machine)
{
    uint32_t sizes[TORI_MAX_DIMS];
    for (int d = 0; d < machine->shape.ndims; d++)
        sizes[d] = machine->shape.size[d] / 2;
    if (!sieve->machine
        && tori_machine_create (TORI_MESH, machine->shape.ndims, sizes,
                                &sieve->machine, NULL)
               < 0)
        return false;
    if (!sieve->state
        && tori_state_create (sieve->machine, &sieve->state, NULL) < 0)
        return false;
    return sieve->scan
           || boxscan_create (sieve->machine, &sieve->scan, NULL) == 0;
}

/* Every second of 64 bits. */
static uint64_t pack_even (uint64_t word)
{
    word &= UINT64_C (0x5555555555555555);
    word = (word | word >> 1) & UINT64_C (0x3333333333333333);
    word = (word | word >> 2) & UINT64_C (0x0f0f0f0f0f0f0f0f);
    word = (word | word >> 4) & UINT64_C (0x00ff00ff00ff00ff);
    word = (word | word >> 8) & UINT64_C (0x0000ffff0000ffff);
    return (word | word >> 16) & UINT64_C (0x00000000ffffffff);
}

/* The rows of the large machine that lie in one of the small machine: by
 * where they begin. */
struct rows {
    uint64_t first[1 << (MOST_DIMS - 1)];
    int n;
};

static struct rows rows_of (const tori_machine *machine,
                            const uint32_t coords[])
{
    int outer = machine->shape.ndims - 1;
    struct rows rows = {.n = 1 << outer};
    for (int i = 0; i < rows.n; i++)
        for (int d = 0; d < outer; d++)
            rows.first[i] += (uint64_t)(2 * coords[d] + (i >> d & 1))
                             * machine->stride[d];
    return rows;
}

/* Make a row of the small machine. */
static void pack_row (const struct sieve *sieve, const struct rows *rows,
                      uint64_t at, uint32_t length)
{
    for (uint32_t done = 0; done < length; done += 32) {
        unsigned n = length - done < 32 ? length - done : 32;
        uint64_t word = UINT64_MAX;
        for (int i = 0; i < rows->n; i++)
            word &= bits_get (sieve->set, rows->first[i] + 2 * done, 2 * n);
        bits_put (sieve->state->free, at + done, n,
                  pack_even (word & word >> 1));
    }
}

static void fill_small (const struct sieve *sieve, const tori_machine *machine)
{
    const tori_machine *small = sieve->machine;
    int last = small->shape.ndims - 1;
    uint32_t length = small->shape.size[last];
    uint32_t coords[TORI_MAX_DIMS] = {0};
    for (uint64_t at = 0; at < small->nodes; at += length) {
        struct rows rows = rows_of (machine, coords);
        int d = last - 1;
        pack_row (sieve, &rows, at, length);
        while (d >= 0 && ++coords[d] == small->shape.size[d])
            coords[d--] = 0;
    }
}

bool sieve_refuses (struct sieve *sieve, const tori_machine *machine,
                    const tori_request *request, uint32_t *ret_from)
{
    tori_request small = {.shape.ndims = request->shape.ndims,
                          .fixed = request->fixed};
    tori_box box;
    int found;
    for (int d = 0; d < small.shape.ndims; d++)
        small.shape.size[d] = (request->shape.size[d] - 1) / 2;
    if (!create_small (sieve, machine))
        return false;
    if (!sieve->made)
        fill_small (sieve, machine);
    sieve->made = true;
    found = boxscan_first (sieve->scan, sieve->state, &small, false, &box,
                           NULL);
    if (found > 0 && box.origin[0] > 0)
        *ret_from = 2 * box.origin[0] - 1;
    return found == 0;
}
