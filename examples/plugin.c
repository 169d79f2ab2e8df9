/* plugin.c - an allocator of your own for the command.
 *
 *     cc -shared -fPIC plugin.c -o plugin.so $(pkg-config --cflags --libs tori)
 *     tori place --machine torus:8x8 --count 5 --alloc ./plugin.so
 *     tori compare --machine torus:8x8 --alloc snake-bf,./plugin.so --shapes count
 *
 * It takes the free nodes with the highest numbers. tori/plugin.h has the
 * rules, tori/alloc.h the functions; far_end.c is an allocator for boxes.
 */
#include <stdlib.h>

#include <tori/plugin.h>

static int place (void *data, const tori_state *state,
                  const tori_request *request, tori_placement *ret_place,
                  tori_error *err)
{
    uint32_t node = tori_machine_nodes (tori_state_machine (state));
    uint32_t *nodes = malloc (request->count * sizeof *nodes);
    (void)data;
    if (!nodes)
        return tori_error_nomem (err);
    for (uint32_t left = request->count; left > 0;)
        if (tori_state_is_free (state, --node))
            nodes[--left] = node;
    *ret_place = (tori_placement){.count = request->count, .nodes = nodes};
    return 1;
}

const tori_alloc_ops tori_plugin_alloc = {
    .size = sizeof tori_plugin_alloc,
    .info = {.name = "last-nodes",
             .summary = "the free nodes with the highest numbers",
             .takes = TORI_BY_COUNT},
    .place = place,
};
