/* Slurm's topology files, lists of hosts, and Tenstorrent's mesh graphs: the
 * first byte says which. What
 * is read names every node once, and reads the same when it was written; what
 * is refused says where. */
#include "fuzz.h"
#include "meshgraph.h"
#include "nodemap.h"
#include "switchtree.h"

static void check_map (const struct nodemap *map)
{
    size_t named = 0;
    for (uint32_t i = 0; i < map->n; i++)
        if (map->names[i]) {
            MUST (nodemap_id (map, map->names[i]) == i);
            named++;
        }
    MUST (named == json_object_size (map->ids));
}

/* The same torus, written and read again. */
static void try_again (const struct torus_entry *torus)
{
    struct fuzz_file file = fuzz_file (NULL, 0);
    struct torusfile again;
    FILE *out = fopen (file.path, "w");
    MUST (out);
    torus_write (torus, out);
    fclose (out);
    MUST (torusfile_read (file.path, &again, NULL) == 0);
    MUST (again.n == 1 && again.tori->n_regions == torus->n_regions);
    MUST (!strcmp (again.tori->name, torus->name));
    for (size_t i = 0; i < torus->n_regions; i++)
        MUST (!strcmp (again.tori->regions[i].nodes,
                       torus->regions[i].nodes));
    torusfile_clear (&again);
    fuzz_file_close (&file);
}

static void try_torus (const struct torus_entry *torus, const char *path)
{
    tori_machine *machine;
    struct nodemap map;
    tori_error err;
    try_again (torus);
    if ((uint64_t)torus->dims[0] * torus->dims[1] * torus->dims[2] > 100000)
        return;
    MUST (tori_machine_create (TORI_TORUS, TORUS_DIMS, torus->dims, &machine,
                               NULL)
          == 0);
    if (nodemap_torus (&map, machine, torus, path, &err) == 0)
        check_map (&map);
    nodemap_clear (&map);
    tori_machine_destroy (machine);
}

static void try_yaml (struct fuzz_file *file)
{
    struct torusfile tori;
    tori_error err = {0};
    if (torusfile_read (file->path, &tori, &err) < 0) {
        fuzz_refused (file, &err);
        return;
    }
    for (size_t i = 0; i < tori.n; i++)
        try_torus (&tori.tori[i], file->path);
    torusfile_clear (&tori);
}

static void try_conf (struct fuzz_file *file, const char *text)
{
    tori_machine *machine;
    struct nodemap map;
    tori_error err = {0};
    MUST (tori_machine_parse (text, &machine, NULL) == 0);
    if (switchtree_read (&map, machine, file->path, &err) < 0)
        fuzz_refused (file, &err);
    else
        check_map (&map);
    nodemap_clear (&map);
    tori_machine_destroy (machine);
}

static void try_map (struct fuzz_file *file)
{
    tori_machine *machine;
    struct nodemap map;
    tori_error err = {0};
    MUST (tori_machine_parse ("mesh:3x2", &machine, NULL) == 0);
    if (nodemap_file (&map, machine, file->path, &err) < 0)
        fuzz_refused (file, &err);
    else
        check_map (&map);
    nodemap_clear (&map);
    tori_machine_destroy (machine);
}

static void try_mesh (struct fuzz_file *file)
{
    struct fuzz_file copy = fuzz_file (NULL, 0);
    struct meshgraph graph = {0}, again = {0};
    tori_error err = {0};
    if (meshgraph_read (file->path, &graph, &err) < 0) {
        fuzz_refused (file, &err);
    } else {
        FILE *out = fopen (copy.path, "w");
        MUST (out);
        meshgraph_write (&graph, out);
        fclose (out);
        MUST (meshgraph_read (copy.path, &again, NULL) == 0);
        MUST (again.ndims == graph.ndims
              && !memcmp (again.dims, graph.dims, sizeof graph.dims)
              && !memcmp (again.ring, graph.ring, sizeof graph.ring)
              && !memcmp (again.hosts, graph.hosts, sizeof graph.hosts));
    }
    fuzz_file_close (&copy);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file (data + (size > 0), size - (size > 0));
    if (size > 0 && data[0] == 'c')
        try_conf (&file, "mesh:4x6");
    else if (size > 0 && data[0] == 't')
        try_conf (&file, "torus:2x3");
    else if (size > 0 && data[0] == 'm')
        try_map (&file);
    else if (size > 0 && data[0] == 'g')
        try_mesh (&file);
    else
        try_yaml (&file);
    fuzz_file_close (&file);
    return 0;
}
