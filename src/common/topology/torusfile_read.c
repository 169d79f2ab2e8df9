/* Reading topology.yaml: every mapping has a table of its keys, and errors
 * have their line. */
#include "syserror.h"
#include "torusfile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "array.h"
#include "nodemap.h"
#include "number.h"

struct yaml_reading {
    const char *path;
    yaml_document_t *document;
    const char *topology; /* the topology whose tori are read */
    struct torusfile *file;
    size_t room;
    tori_error *err;
};

typedef int yaml_fn (struct yaml_reading *r, const yaml_node_t *node,
                     void *slot);

/* A key of a mapping, and the reader of its value. */
struct yaml_key {
    const char *name;
    yaml_fn *read;
    size_t offset; /* of its slot in the structure of the mapping */
};

/* ---- what is wrong ---- */

static size_t line_of (const yaml_node_t *node)
{
    return node->start_mark.line + 1;
}

static int refuse_line (struct yaml_reading *r, size_t line,
                        const tori_error *why)
{
    return refuse_at (r->path, line, why, r->err);
}

static int refuse_node (struct yaml_reading *r, const yaml_node_t *node,
                        const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

static int refuse_node (struct yaml_reading *r, const yaml_node_t *node,
                        const char *format, ...)
{
    tori_error why = {.status = TORI_INVALID};
    va_list words;
    va_start (words, format);
    vsnprintf (why.text, sizeof why.text, format, words);
    va_end (words);
    return refuse_line (r, line_of (node), &why);
}

/* ---- nodes of the document ---- */

static const yaml_node_t *node_at (struct yaml_reading *r, int index)
{
    return yaml_document_get_node (r->document, index);
}

/* The text of a scalar; NULL if it is not one, or has a 0 in it. */
static const char *text_of (const yaml_node_t *node)
{
    const char *text;
    if (node->type != YAML_SCALAR_NODE)
        return NULL;
    text = (const char *)node->data.scalar.value;
    return strlen (text) == node->data.scalar.length ? text : NULL;
}

static bool is_repeated (struct yaml_reading *r, const yaml_node_t *mapping,
                         const yaml_node_pair_t *pair, const char *name)
{
    const yaml_node_pair_t *other = mapping->data.mapping.pairs.start;
    for (; other < pair; other++) {
        const char *text = text_of (node_at (r, other->key));
        if (text && !strcmp (text, name))
            return true;
    }
    return false;
}

static int read_pair (struct yaml_reading *r, const yaml_node_t *mapping,
                      const yaml_node_pair_t *pair,
                      const struct yaml_key keys[], void *to)
{
    const yaml_node_t *key = node_at (r, pair->key);
    const char *name = text_of (key);
    if (!name)
        return refuse_node (r, key, "a key is not a text");
    if (is_repeated (r, mapping, pair, name))
        return refuse_node (r, key, "'%.40s' is given twice", name);
    for (size_t i = 0; keys[i].name; i++)
        if (!strcmp (name, keys[i].name))
            return keys[i].read (r, node_at (r, pair->value),
                                 (char *)to + keys[i].offset);
    return refuse_node (r, key, "'%.40s' is not understood", name);
}

/* A mapping whose keys are all in the table. */
static int read_mapping (struct yaml_reading *r, const yaml_node_t *node,
                         const char *what, const struct yaml_key keys[],
                         void *to)
{
    if (node->type != YAML_MAPPING_NODE)
        return refuse_node (r, node, "expected %s, as KEY: VALUE", what);
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; pair++)
        if (read_pair (r, node, pair, keys, to) < 0)
            return -1;
    return 0;
}

/* A list; as in Slurm, a single mapping is a list of one. */
static int read_list (struct yaml_reading *r, const yaml_node_t *node,
                      const char *what, yaml_fn *read, void *to)
{
    if (node->type == YAML_MAPPING_NODE)
        return read (r, node, to);
    if (node->type != YAML_SEQUENCE_NODE)
        return refuse_node (r, node, "expected a list of %s", what);
    for (const yaml_node_item_t *item = node->data.sequence.items.start;
         item < node->data.sequence.items.top; item++)
        if (read (r, node_at (r, *item), to) < 0)
            return -1;
    return 0;
}

/* ---- values ---- */

static int read_text (struct yaml_reading *r, const yaml_node_t *node,
                      void *slot)
{
    char **to = slot;
    const char *text = text_of (node);
    if (!text)
        return refuse_node (r, node, "expected a text");
    free (*to);
    *to = strdup (text);
    return *to ? 0 : tori_error_nomem (r->err);
}

static int read_side (struct yaml_reading *r, const yaml_node_t *node,
                      void *slot)
{
    const char *text = text_of (node);
    uint64_t value;
    if (!text || !number_scan (&text, TORUS_SIDE_MAX, &value) || *text)
        return refuse_node (r, node, "expected a number from 0 to %d",
                            TORUS_SIDE_MAX);
    *(uint32_t *)slot = (uint32_t)value;
    return 0;
}

static int read_dims (struct yaml_reading *r, const yaml_node_t *node,
                      void *slot)
{
    static const struct yaml_key keys[] = {
        {"x", read_side, 0},
        {"y", read_side, sizeof (uint32_t)},
        {"z", read_side, 2 * sizeof (uint32_t)},
        {NULL}};
    return read_mapping (r, node, "x, y and z", keys, slot);
}

static int pass_over (struct yaml_reading *r, const yaml_node_t *node,
                      void *slot)
{
    return 0;
}

/* ---- a torus ---- */

#define REGION(member) offsetof (struct torus_region, member)
#define PLACEMENT(member) offsetof (struct torus_placement, member)
#define TORUS(member) offsetof (struct torus_entry, member)

/* One more item at the end of a list, zero but for its line; NULL without
 * memory. */
static struct torus_region *new_region (struct torus_entry *torus,
                                        const yaml_node_t *node)
{
    struct torus_region *more =
        realloc (torus->regions, (torus->n_regions + 1) * sizeof *more);
    if (!more)
        return NULL;
    torus->regions = more;
    more += torus->n_regions++;
    *more = (struct torus_region){.line = line_of (node)};
    return more;
}

static int read_region (struct yaml_reading *r, const yaml_node_t *node,
                        void *slot)
{
    static const struct yaml_key keys[] = {
        {"anchor", read_dims, REGION (anchor)},
        {"dims", read_dims, REGION (dims)},
        {"nodes", read_text, REGION (nodes)},
        {NULL}};
    struct torus_region *region = new_region (slot, node);
    return region ? read_mapping (r, node, "a region", keys, region)
                  : tori_error_nomem (r->err);
}

static int read_regions (struct yaml_reading *r, const yaml_node_t *node,
                         void *slot)
{
    struct torus_entry *torus = slot;
    if (torus->n_regions > 0)
        return refuse_node (r, node, "a torus has nodes or regions, not both");
    return read_list (r, node, "regions", read_region, torus);
}

/* All nodes of the torus as one region; its sides may come later in the
 * file. */
static int read_nodes (struct yaml_reading *r, const yaml_node_t *node,
                       void *slot)
{
    struct torus_entry *torus = slot;
    struct torus_region *region;
    if (torus->n_regions > 0)
        return refuse_node (r, node, "a torus has nodes or regions, not both");
    region = new_region (torus, node);
    if (!region)
        return tori_error_nomem (r->err);
    region->whole = true;
    return read_text (r, node, &region->nodes);
}

static int read_placement (struct yaml_reading *r, const yaml_node_t *node,
                           void *slot)
{
    static const struct yaml_key keys[] = {
        {"dims", read_dims, PLACEMENT (dims)},
        {"anchor_seed", read_dims, PLACEMENT (seed)},
        {"anchor_spacing", read_dims, PLACEMENT (spacing)},
        {NULL}};
    struct torus_entry *torus = slot;
    struct torus_placement *more =
        realloc (torus->placements, (torus->n_placements + 1) * sizeof *more);
    if (!more)
        return tori_error_nomem (r->err);
    torus->placements = more;
    more += torus->n_placements++;
    *more = (struct torus_placement){.line = line_of (node)};
    if (read_mapping (r, node, "a placement", keys, more) < 0)
        return -1;
    for (int d = 0; d < TORUS_DIMS; d++)
        if (more->spacing[d] == 0)
            more->spacing[d] = more->dims[d];
    return 0;
}

static int read_placements (struct yaml_reading *r, const yaml_node_t *node,
                            void *slot)
{
    return read_list (r, node, "placements", read_placement, slot);
}

static int read_keys (struct yaml_reading *r, const yaml_node_t *node,
                      struct torus_entry *torus)
{
    static const struct yaml_key keys[] = {
        {"name", read_text, TORUS (name)},  {"dims", read_dims, TORUS (dims)},
        {"nodes", read_nodes, 0},           {"regions", read_regions, 0},
        {"placements", read_placements, 0}, {NULL}};
    tori_error why = {0};
    size_t line;
    if (read_mapping (r, node, "a torus", keys, torus) < 0)
        return -1;
    if (torus->n_regions > 0 && torus->regions->whole)
        memcpy (torus->regions->dims, torus->dims, sizeof torus->dims);
    return torus_check (torus, &line, &why) < 0 ? refuse_line (r, line, &why)
                                                : 0;
}

static int read_torus (struct yaml_reading *r, const yaml_node_t *node,
                       void *slot)
{
    struct torusfile *file = r->file;
    struct torus_entry *more =
        array_room (file->tori, &r->room, file->n + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (r->err);
    file->tori = more;
    more += file->n++;
    *more = (struct torus_entry){.line = line_of (node)};
    more->topology = strdup (r->topology);
    if (!more->topology)
        return tori_error_nomem (r->err);
    if (read_keys (r, node, more) < 0)
        return -1;
    for (const struct torus_entry *other = file->tori; other < more; other++)
        if (!strcmp (other->name, more->name)
            && !strcmp (other->topology, more->topology))
            return refuse_node (r, node, "there are two tori '%.60s'",
                                more->name);
    return 0;
}

/* ---- topologies ---- */

static int read_tori (struct yaml_reading *r, const yaml_node_t *node,
                      void *slot)
{
    return read_list (r, node, "tori", read_torus, NULL);
}

static int read_torus3d (struct yaml_reading *r, const yaml_node_t *node,
                         void *slot)
{
    static const struct yaml_key keys[] = {{"toruses", read_tori, 0}, {NULL}};
    if (!r->topology)
        return refuse_node (r, node,
                            "the name of the topology must stand first");
    return read_mapping (r, node, "toruses", keys, r);
}

static int read_name (struct yaml_reading *r, const yaml_node_t *node,
                      void *slot)
{
    r->topology = text_of (node);
    return r->topology ? 0 : refuse_node (r, node, "expected a text");
}

static int read_topology (struct yaml_reading *r, const yaml_node_t *node,
                          void *slot)
{
    static const struct yaml_key keys[] = {
        {"topology", read_name, 0},   {"cluster_default", pass_over, 0},
        {"block", pass_over, 0},      {"flat", pass_over, 0},
        {"ring", pass_over, 0},       {"tree", pass_over, 0},
        {"torus3d", read_torus3d, 0}, {NULL}};
    r->topology = NULL;
    return read_mapping (r, node, "a topology", keys, r);
}

/* ---- the file ---- */

static int refuse_syntax (struct yaml_reading *r, const yaml_parser_t *parser)
{
    tori_error why = {.status = TORI_INVALID};
    if (parser->error == YAML_MEMORY_ERROR)
        return tori_error_nomem (r->err);
    snprintf (why.text, sizeof why.text, "it is not YAML: %s",
              parser->problem ? parser->problem : "it cannot be read");
    return refuse_line (r, parser->problem_mark.line + 1, &why);
}

static int read_document (struct yaml_reading *r)
{
    const yaml_node_t *root = yaml_document_get_root_node (r->document);
    tori_error why = {.status = TORI_INVALID, .text = "the file is empty"};
    if (!root)
        return refuse_line (r, 1, &why);
    if (root->type != YAML_SEQUENCE_NODE)
        return refuse_node (r, root, "expected a list of topologies");
    return read_list (r, root, "topologies", read_topology, NULL);
}

static int read_stream (struct yaml_reading *r, FILE *stream)
{
    yaml_document_t document;
    yaml_parser_t parser;
    int status;
    if (!yaml_parser_initialize (&parser))
        return tori_error_nomem (r->err);
    yaml_parser_set_input_file (&parser, stream);
    if (!yaml_parser_load (&parser, &document)) {
        status = refuse_syntax (r, &parser);
    } else {
        r->document = &document;
        status = read_document (r);
        yaml_document_delete (&document);
    }
    yaml_parser_delete (&parser);
    return status;
}

int torusfile_read (const char *path, struct torusfile *ret_file,
                    tori_error *err)
{
    struct torusfile file = {0};
    struct yaml_reading r = {.path = path, .file = &file, .err = err};
    FILE *stream = fopen (path, "re");
    int status;
    if (!stream)
        return system_error (path, errno, err);
    status = read_stream (&r, stream);
    fclose (stream);
    if (status < 0) {
        torusfile_clear (&file);
        return -1;
    }
    *ret_file = file;
    return 0;
}
