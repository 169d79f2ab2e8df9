#include "nodesource.h"

#include <string.h>

#include "switchtree.h"

bool nodesource_given (const struct nodesource *source)
{
    return source->nodes || source->map || source->topology;
}

static bool is_yaml (const char *path)
{
    const char *end = strrchr (path, '.');
    return end && (!strcmp (end, ".yaml") || !strcmp (end, ".yml"));
}

static int make_machine (const struct torus_entry *torus,
                         tori_machine **machine, tori_error *err)
{
    return *machine ? 0
                    : tori_machine_create (TORI_TORUS, TORUS_DIMS, torus->dims,
                                           machine, err);
}

static int read_torus (const struct nodesource *source, tori_machine **machine,
                       struct nodemap *map, struct torus_entry *ret_torus,
                       tori_error *err)
{
    struct torusfile file;
    const struct torus_entry *torus;
    int status;
    if (torusfile_read (source->topology, &file, err) < 0)
        return -1;
    status =
        torusfile_find (&file, source->topology, source->torus, &torus, err);
    if (status == 0)
        status = make_machine (torus, machine, err);
    if (status == 0)
        status = nodemap_torus (map, *machine, torus, source->topology, err);
    if (status == 0 && ret_torus) {
        *ret_torus = *torus;
        file.tori[torus - file.tori] = (struct torus_entry){0};
    }
    torusfile_clear (&file);
    return status;
}

int nodesource_read (const struct nodesource *source, tori_machine **machine,
                     struct nodemap *map, struct torus_entry *ret_torus,
                     tori_error *err)
{
    *map = (struct nodemap){0};
    if (ret_torus)
        *ret_torus = (struct torus_entry){0};
    if (source->topology && is_yaml (source->topology))
        return read_torus (source, machine, map, ret_torus, err);
    if (!*machine)
        return tori_error_set (err, TORI_INVALID,
                               "--machine KIND:SIZES is missing");
    if (source->torus)
        return tori_error_set (err, TORI_INVALID,
                               "--torus has no effect without a file "
                               "topology.yaml");
    if (source->topology)
        return switchtree_read (map, *machine, source->topology, err);
    if (source->map)
        return nodemap_file (map, *machine, source->map, err);
    return source->suffixes
               ? nodemap_suffixes (map, *machine, source->nodes, err)
               : nodemap_pattern (map, *machine, source->nodes,
                                  (enum nodemap_order)source->order, err);
}
