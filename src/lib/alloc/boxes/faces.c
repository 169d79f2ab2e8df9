#include "faces.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

/* Half a GiB. */
static const uint64_t MAX_SUMS = UINT64_C (1) << 27;

void faces_init (struct faces *faces, const tori_machine *machine)
{
    int a = FACES_AXES;
    *faces = (struct faces){.machine = machine};
    for (int i = 0; i < FACES_AXES; i++)
        faces->axes[i] = (struct faces_axis){.dim = -1, .size = 1};
    for (int d = machine->shape.ndims; d-- > 0;) {
        if (machine->shape.size[d] == 1)
            continue;
        if (a == 0)
            return;
        faces->axes[--a] = (struct faces_axis){
            .dim = d,
            .size = machine->shape.size[d],
            .wraps = tori_machine_wraps (machine, d),
            .before = 1,
        };
    }
    faces->suits = true;
}

void faces_clear (struct faces *faces)
{
    free (faces->sums);
}

/* ---- the table ---- */

/* One place beyond both ends and, if boxes wrap, as many as they reach. */
static uint64_t lay_out (struct faces *faces, const tori_request *request)
{
    uint32_t longest = 0;
    uint64_t total = 1;
    for (int d = 0; d < request->shape.ndims; d++)
        if (request->shape.size[d] > longest)
            longest = request->shape.size[d];
    for (int a = FACES_AXES; a-- > 0;) {
        struct faces_axis *axis = &faces->axes[a];
        axis->cells = axis->size + 2 * axis->before;
        if (request->wrap && axis->wraps)
            axis->cells += (longest < axis->size ? longest : axis->size) - 1;
        axis->step = (size_t)total;
        if (total <= MAX_SUMS)
            total *= (uint64_t)axis->cells + 1;
    }
    return total;
}

/* The coordinate of a place; -1 if there is none. */
static int64_t coord_of (const struct faces_axis *axis, uint32_t cell)
{
    int64_t at = (int64_t)cell - axis->before;
    if (axis->wraps)
        return (at + axis->size) % axis->size;
    return at >= 0 && at < axis->size ? at : -1;
}

/* Sum a row on top of the rows before it in both dimensions. */
static void sum_row (const struct faces *faces, const uint64_t *free_nodes,
                     int64_t x, int64_t y, uint32_t *row)
{
    const struct faces_axis *axes = faces->axes;
    const uint32_t *back_y = row - axes[1].step, *back_x = row - axes[0].step;
    const uint32_t *back = back_y - axes[0].step;
    uint64_t first = x < 0 || y < 0 ? 0
                                    : ((uint64_t)x * axes[1].size
                                       + (uint64_t)y)
                                          * axes[2].size;
    uint32_t sum = 0;
    row[0] = 0;
    for (uint32_t k = 0; k < axes[2].cells; k++) {
        int64_t z = x < 0 || y < 0 ? -1 : coord_of (&axes[2], k);
        sum += z >= 0 && bits_test (free_nodes, first + (uint64_t)z);
        row[k + 1] = sum + back_y[k + 1] + back_x[k + 1] - back[k + 1];
    }
}

int faces_load (struct faces *faces, const tori_state *state,
                const tori_request *request, tori_error *err)
{
    const struct faces_axis *axes = faces->axes;
    uint64_t total = lay_out (faces, request);
    if (!faces->suits || total > MAX_SUMS)
        return 0;
    faces->shape.ndims = 0;
    if (total > faces->room) {
        free (faces->sums);
        faces->sums = malloc (total * sizeof *faces->sums);
        faces->room = faces->sums ? total : 0;
        if (!faces->sums)
            return tori_error_nomem (err);
    }
    memset (faces->sums, 0, axes[0].step * sizeof *faces->sums);
    for (uint32_t i = 0; i < axes[0].cells; i++) {
        uint32_t *plane = faces->sums + (i + 1) * axes[0].step;
        memset (plane, 0, axes[1].step * sizeof *plane);
        for (uint32_t j = 0; j < axes[1].cells; j++)
            sum_row (faces, state->free, coord_of (&axes[0], i),
                     coord_of (&axes[1], j),
                     plane + (j + 1) * axes[1].step);
    }
    return 1;
}

/* ---- boxes ---- */

/* The corners of a box, longer by one on both sides of an axis. */
static void add_terms (struct faces *faces, const uint32_t *sides, int longer)
{
    for (unsigned corner = 0; corner < 1 << FACES_AXES; corner++) {
        struct faces_term term = {0, false};
        for (int a = 0; a < FACES_AXES; a++) {
            bool high = corner >> a & 1;
            uint32_t at = faces->axes[a].before + (high ? sides[a] : 0);
            at += a != longer ? 0 : high ? 1 : UINT32_MAX;
            term.at += at * faces->axes[a].step;
            term.less = term.less != !high;
        }
        faces->terms[faces->nterms++] = term;
    }
}

/* A box that is as long as the dimension cannot grow. */
void faces_set (struct faces *faces, const tori_shape *shape)
{
    uint32_t sides[FACES_AXES], volume = 1;
    faces->shape = *shape;
    faces->nterms = 0;
    faces->own = 0;
    for (int a = 0; a < FACES_AXES; a++) {
        int d = faces->axes[a].dim;
        sides[a] = d < 0 ? 1 : shape->size[d];
        volume *= sides[a];
    }
    for (int a = 0; a < FACES_AXES; a++)
        if (sides[a] < faces->axes[a].size) {
            add_terms (faces, sides, a);
            faces->own += volume;
        }
}

void faces_count (const struct faces *faces, const uint32_t origin[],
                  unsigned n, uint32_t ret_touching[FACES_ROW])
{
    const uint32_t *from = faces->sums;
    for (int a = 0; a < FACES_AXES; a++)
        if (faces->axes[a].dim >= 0)
            from += origin[faces->axes[a].dim] * faces->axes[a].step;
    for (unsigned i = 0; i < n; i++)
        ret_touching[i] = 0 - faces->own;
    for (int t = 0; t < faces->nterms; t++) {
        const uint32_t *sums = from + faces->terms[t].at;
        if (faces->terms[t].less)
            for (unsigned i = 0; i < n; i++)
                ret_touching[i] -= sums[i];
        else
            for (unsigned i = 0; i < n; i++)
                ret_touching[i] += sums[i];
    }
}
