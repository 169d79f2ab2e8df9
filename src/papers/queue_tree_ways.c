/* The ways in partitions of halves and quarters (section 3.1). */
#include <math.h>

#include "queue_tree_study.h"

const uint32_t queue_tree_degrees[DEGREES] = {2, 4};

/* All pairs of processors alike, dimension by dimension. On a link, those
 * messages meet that come from before it and go beyond it: most of them in the
 * middle of the longest line. */
static struct partition measure_box (const tori_box *box, uint32_t degree)
{
    struct partition it = {.degree = degree};
    double n = (double)tori_shape_volume (&box->shape), root = sqrt (n);
    it.processors = (uint32_t)n;
    tori_shape_format (&box->shape, it.box);
    for (int d = 0; n > 1 && d < box->shape.ndims; d++) {
        uint32_t side = box->shape.size[d], half = side / 2;
        double s = side;
        it.hops += n / (n - 1) * (s * s - 1) / (3 * s);
        it.reach += s - 1;
        it.hot = fmax (it.hot, (double)half * (side - half) * n / s / (n - 1));
    }
    it.hops_square = n > 1 ? it.hops * 3 / (2 * root) : NAN;
    it.hot_square = n > 1 ? it.hot * 4 * (n - 1) / (n * root) : NAN;
    return it;
}

/* The first partition of every level; all of a level are alike on 8x8. */
static int list_partitions (const tori_machine *machine, uint32_t degree,
                            struct partition list[MAX_LEVELS], size_t *ret_n,
                            tori_error *err)
{
    tori_gang_tree *tree;
    size_t n = 0;
    if (tori_gang_tree_create (machine, degree, 1, &tree, err) < 0)
        return -1;
    for (uint32_t i = 0; i < tori_gang_tree_nodes (tree); i++) {
        tori_gang_place place;
        tori_gang_tree_place (tree, i, &place);
        if (place.level == n && n < MAX_LEVELS)
            list[n++] = measure_box (&place.box, degree);
    }
    tori_gang_tree_destroy (tree);
    *ret_n = n;
    return 0;
}

int queue_tree_list_ways (struct study *study, tori_error *err)
{
    tori_machine *machine;
    int status = tori_machine_parse ("mesh:8x8", &machine, err);
    if (status < 0)
        return -1;
    for (size_t d = 0; status == 0 && d < DEGREES; d++) {
        size_t n = 0;
        status = list_partitions (machine, queue_tree_degrees[d],
                                  &study->partition[study->partitions], &n,
                                  err);
        study->partitions += n;
    }
    tori_machine_destroy (machine);
    return status;
}

int queue_tree_measure_ways (const tori_machine *machine, uint32_t degree,
                             const tori_workload *work, struct sample *sample,
                             tori_error *err)
{
    struct partition list[MAX_LEVELS];
    size_t n;
    if (list_partitions (machine, degree, list, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < work->n; i++) {
        size_t level = n - 1;
        while (level > 0 && list[level].processors < work->jobs[i].asked)
            level--;
        sample->hops += list[level].hops / (double)work->n;
        sample->reach += list[level].reach / (double)work->n;
        sample->hot += list[level].hot / (double)work->n;
    }
    return 0;
}
