/* far_end.c - an allocator of your own, in the library's scheduler.
 *
 *     cc far_end.c $(pkg-config --cflags --libs tori)
 *
 * It fills the machine from the far end: it takes the last free nodes, or the
 * last free box whose links are also free. The library checks each answer.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tori/sched.h>

/* Working memory: room for the nodes of any box. */
static int create (const tori_machine *machine,
                   const tori_alloc_config *config, void **ret_data,
                   tori_error *err)
{
    *ret_data = calloc (tori_machine_nodes (machine), sizeof (uint32_t));
    (void)config;
    return *ret_data ? 0 : tori_error_nomem (err);
}

static int last_nodes (const tori_state *state, uint32_t count,
                       tori_placement *ret_place, tori_error *err)
{
    uint32_t node = tori_machine_nodes (tori_state_machine (state));
    uint32_t *nodes = malloc (count * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    for (uint32_t left = count; left > 0;)
        if (tori_state_is_free (state, --node))
            nodes[--left] = node;
    *ret_place = (tori_placement){.count = count, .nodes = nodes};
    return 1;
}

static bool is_free (const tori_state *state, const tori_request *request,
                     const tori_box *box, uint32_t nodes[])
{
    const tori_machine *machine = tori_state_machine (state);
    uint64_t volume = tori_shape_volume (&box->shape);
    if (!tori_shape_fits (&box->shape, machine)
        || !tori_wiring_possible (machine, &box->shape, request->wiring))
        return false;
    for (int d = 0; d < box->shape.ndims; d++)
        if (!(request->wrap && tori_machine_wraps (machine, d))
            && box->origin[d] + box->shape.size[d]
                   > tori_machine_size (machine, d))
            return false;
    tori_box_nodes (machine, box, nodes);
    for (uint64_t i = 0; i < volume; i++)
        if (!tori_state_is_free (state, nodes[i]))
            return false;
    return tori_wiring_free (state, box, request->wiring);
}

static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err)
{
    const tori_machine *machine = tori_state_machine (state);
    tori_box box = {.shape = request->shape};
    if (request->shape.ndims == 0)
        return last_nodes (state, request->count, ret_place, err);
    for (uint32_t node = tori_machine_nodes (machine); node-- > 0;) {
        tori_machine_coords (machine, node, box.origin);
        if (!request->fixed)
            tori_shape_sort (&box.shape);
        do
            if (is_free (state, request, &box, data))
                return tori_placement_of_boxes (&box, 1, request->wiring,
                                                ret_place, err)
                               < 0
                           ? -1
                           : 1;
        while (!request->fixed && tori_shape_next_rotation (&box.shape));
    }
    return 0;
}

static const tori_alloc_ops far_end = {
    .size = sizeof far_end,
    .info = {.name = "far-end",
             .summary = "the last free nodes, or the last free box",
             .takes = TORI_BY_SHAPE | TORI_BY_COUNT},
    .create = create,
    .destroy = free,
    .place = place,
};

static int run (const tori_machine *machine, tori_error *err)
{
    static const char *const shapes[] = {"4x4x2", "2x2x2", "4x2x1"};
    tori_sched *sched;
    tori_decision decision = {.size = sizeof decision};
    tori_job job;
    int status = tori_sched_create (
        machine, TORI_SCHED ("easy", TORI_ALLOC (NULL, .ops = &far_end)),
        &sched, err);
    if (status < 0)
        return -1;
    for (uint64_t i = 0; i < 3 && status == 0; i++) {
        tori_job_spec spec = {.size = sizeof spec, .estimate = 60, .tag = i};
        status = tori_shape_parse (shapes[i], &spec.request.shape, err);
        if (status == 0)
            status = tori_sched_submit (sched, 0, &spec, &job, err);
    }
    if (status == 0)
        status = tori_sched_run (sched, 0, err);
    while (status == 0 && tori_sched_next (sched, &decision)) {
        char where[TORI_TEXT_MAX];
        tori_box_format (&decision.place->box, where);
        printf ("%s starts at %s\n", shapes[decision.tag], where);
    }
    tori_sched_destroy (sched);
    return status;
}

int main (void)
{
    tori_machine *machine = NULL;
    tori_error err;
    int status = tori_machine_parse ("mesh:4x4x4", &machine, &err);
    if (status == 0)
        status = run (machine, &err);
    if (status < 0)
        fprintf (stderr, "far_end: %s\n", err.text);
    tori_machine_destroy (machine);
    return status < 0;
}
