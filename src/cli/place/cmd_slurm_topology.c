/* tori slurm topology - names of nodes from one form to another. */
#include <stdlib.h>

#include <tori/machine.h>

#include "commands.h"
#include "nodesource.h"
#include "ranks.h"
#include "switchtree.h"

struct values {
    const char *machine;
    struct nodesource names;
    struct strings placements;
    const char *name;
    int format;
    int order;
};

enum format { FORMAT_YAML, FORMAT_CONF, FORMAT_MAP, FORMAT_WEIGHTS };

static const char *format_name (size_t i)
{
    static const char *const names[] = {"yaml", "conf", "map", "weights"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static const struct option options[] = {
    {.name = "machine",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, machine),
     .value = "KIND:SIZES",
     .help = "the machine; if not given, the torus of a topology.yaml"},
    NODESOURCE_ROWS (struct values),
    {.name = "format",
     .kind = OPTION_CHOICE,
     OPTION_AT (struct values, format),
     .value = "FORMAT",
     .fallback = "yaml",
     .choices = format_name,
     .help = "what is written: topology.yaml with torus3d, topology.conf with "
             "a tree of switches, a file for --map, or the weights of nodes, "
             "for slurm.conf or scontrol update (Slurm takes the nodes of "
             "least weight first)"},
    {.name = "order",
     .kind = OPTION_CHOICE,
     OPTION_AT (struct values, order),
     .value = "ORDER",
     .fallback = "hilbert",
     .choices = rank_order_name,
     .help = "the order of weights: row, morton, hilbert or folded, as in "
             "'tori place --ranks'"},
    {.name = "name",
     .kind = OPTION_STRING,
     OPTION_AT (struct values, name),
     .value = "NAME",
     .help = "what topology.yaml calls the topology and the torus; if not "
             "given, 'torus', or as in the file that is read"},
    {.name = "placement",
     .kind = OPTION_STRINGS,
     OPTION_AT (struct values, placements),
     .value = "BOX",
     .help = "a placement for topology.yaml, as [SEED/]SIDES[:SPACING], such "
             "as 2x2x1 or 1,0,0/4x2x1:2x2x1"},
    {.name = NULL},
};

/* A torus that was read from a file keeps its regions and placements. */
static int make_torus (const struct values *v, const struct nodemap *map,
                       struct torus_entry *torus, tori_error *err)
{
    const char *name = v->name ? v->name : "torus";
    if (torus->name && !v->name)
        return 0;
    if (!torus->name)
        return nodemap_to_torus (map, name, name, torus, err);
    free (torus->topology);
    free (torus->name);
    torus->topology = strdup (name);
    torus->name = strdup (name);
    return torus->topology && torus->name ? 0 : tori_error_nomem (err);
}

static int write_yaml (const struct values *v, const struct nodemap *map,
                       struct torus_entry *torus, FILE *out, tori_error *err)
{
    if (make_torus (v, map, torus, err) < 0)
        return -1;
    for (size_t i = 0; i < v->placements.n; i++)
        if (torus_add_placement (torus, v->placements.item[i], err) < 0)
            return -1;
    torus_write (torus, out);
    return 0;
}

/* Weights start at 1; places without a node have none. */
static int write_weights (const struct values *v, const struct nodemap *map,
                          FILE *out, tori_error *err)
{
    uint32_t *ids = malloc (map->n * sizeof *ids), weight = 0;
    int status = ids ? ranks_order_all (map->machine,
                                        (enum rank_order)v->order, ids, err)
                     : tori_error_nomem (err);
    for (uint32_t i = 0; i < map->n && status == 0; i++)
        if (map->names[ids[i]])
            fprintf (out, "NodeName=%s Weight=%u\n", map->names[ids[i]],
                     ++weight);
    free (ids);
    return status;
}

static int write_names (const struct values *v, const struct nodemap *map,
                        struct torus_entry *torus, FILE *out, tori_error *err)
{
    if (v->format == FORMAT_YAML)
        return write_yaml (v, map, torus, out, err);
    if (v->format == FORMAT_CONF)
        return switchtree_write (map, out, err);
    if (v->format == FORMAT_WEIGHTS)
        return write_weights (v, map, out, err);
    nodemap_write (map, out);
    return 0;
}

static int run_slurm_topology (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    const struct option_rule rules[] = {
        {!nodesource_given (&v->names),
         "--nodes PATTERN, --map FILE or --topology FILE is missing; see "
         "'tori slurm topology --help'"},
        {v->format != FORMAT_YAML && (v->name || v->placements.n > 0),
         "--name and --placement have no effect without --format yaml"}};
    tori_machine *machine = NULL;
    struct nodemap map = {0};
    struct torus_entry torus = {0};
    int status = options_check (rules, sizeof rules / sizeof rules[0], err);
    if (status == 0 && v->machine)
        status = tori_machine_parse (v->machine, &machine, err);
    if (status == 0)
        status = nodesource_read (&v->names, &machine, &map, &torus, err);
    if (status == 0)
        status = write_names (v, &map, &torus, out, err);
    torus_clear (&torus);
    nodemap_clear (&map);
    tori_machine_destroy (machine);
    return status;
}

const struct command command_slurm_topology = {
    .name = "topology",
    .summary = "Write Slurm's topology.yaml, topology.conf or weights, or read "
               "the first two",
    .notes = "In topology.yaml, x, y and z are the first, second and third "
             "dimension. Slurm names nodes with x fastest; here the last "
             "dimension varies fastest. topology.conf gets a tree of boxes: "
             "every side longer than 3 is halved, again and again. When it is "
             "read, its switches must be whole lines or planes in the order "
             "of the nodes' numbers, or have their box in a comment, as in "
             "the files written here.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori slurm topology --machine torus:4x4x4 --nodes 'n[0-63]' "
                "--placement 2x2x2\n"
                "tori slurm topology --topology topology.yaml --torus pod1 "
                "--format map\n"
                "tori slurm topology --machine torus:4x4x4 --nodes 'n[0-63]' "
                "--format weights --order hilbert",
    .run = run_slurm_topology,
};
