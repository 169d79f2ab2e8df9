/* tori twist - what twisting the wraps of a slice gains. */
#include "asked.h"
#include "commands.h"
#include "fieldrows.h"
#include "twist.h"

/* Visiting this many nodes takes about a second. */
enum { MOST_NODES = 1 << 24 };

struct values {
    const char *shape;
    bool json;
};

static const struct option options[] = {
    {"shape", OPTION_STRING, offsetof (struct values, shape), "SHAPE",
     .required = true,
     .help = "the slice: sides of K and 2K, such as 4x4x8 or 4x8x8"},
    OPTION_ROW_JSON (struct values),
    {.name = NULL},
};

static int read_shape (const struct values *v, tori_shape *ret_shape,
                       tori_error *err)
{
    tori_shape shape;
    if (tori_shape_parse (v->shape, &shape, err) < 0)
        return -1;
    if (!twist_side (&shape))
        return tori_error_set (err, TORI_INVALID,
                               "--shape: '%.60s' has no twist: expected sides "
                               "of K and 2K, such as 4x4x8",
                               v->shape);
    if (tori_shape_volume (&shape) > MOST_NODES)
        return tori_error_set (err, TORI_INVALID,
                               "--shape: '%.60s' has more than %d nodes",
                               v->shape, MOST_NODES);
    *ret_shape = shape;
    return 0;
}

struct comparison {
    uint64_t nodes, links;
    struct twist_measures is[2]; /* straight and twisted */
};

#define AT(member) FIELD_AT (struct twist_measures, member)
static const struct field measures_fields[] = {
    {"diameter", FIELD_UINT, AT (diameter), "the longest distance", "hops"},
    {"average", FIELD_REAL, AT (average), "the mean over pairs of nodes",
     "hops"},
    {"bisection", FIELD_COUNT, AT (bisection),
     "the least number between two halves that planes make", "links"},
};
SHEET (measures);
#undef AT

#define AT(member) FIELD_AT (struct comparison, member)
static const struct field twist_fields[] = {
    {"nodes", FIELD_COUNT, AT (nodes), "nodes of the slice"},
    {"links", FIELD_COUNT, AT (links), "links of the slice"},
    {"straight", FIELD_GROUP, AT (is[0]), "as a torus",
     .group = &measures_sheet},
    {"twisted", FIELD_GROUP, AT (is[1]), "as a twisted torus",
     .group = &measures_sheet},
};
static ANSWER (twist);

static void print_answer (const tori_shape *shape,
                          const struct comparison *all, FILE *out)
{
    const struct twist_measures *is = all->is;
    char text[TORI_TEXT_MAX];
    tori_shape_format (shape, text);
    fprintf (out, "%s, %llu nodes, %llu links\n\n", text,
             (unsigned long long)all->nodes, (unsigned long long)all->links);
    fprintf (out, "%-10s  %8s  %8s\n", "", "straight", "twisted");
    fprintf (out, "%-10s  %8u  %8u  hops\n", "diameter", is[0].diameter,
             is[1].diameter);
    fprintf (out, "%-10s  %8.4g  %8.4g  hops\n", "average", is[0].average,
             is[1].average);
    fprintf (out, "%-10s  %8llu  %8llu  links\n", "bisection",
             (unsigned long long)is[0].bisection,
             (unsigned long long)is[1].bisection);
}

static int run_twist (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct comparison all;
    tori_shape shape;
    if (read_shape (v, &shape, err) < 0)
        return -1;
    all.nodes = tori_shape_volume (&shape);
    all.links = all.nodes * (uint64_t)shape.ndims;
    all.is[0] = twist_measure (&shape, 0);
    all.is[1] = twist_measure (&shape, twist_side (&shape));
    if (v->json)
        return asked_emit (&command_twist, v, &all, out, err);
    print_answer (&shape, &all, out);
    return 0;
}

const struct command command_twist = {
    .name = "twist",
    .summary = "Compare a slice as a torus and as a twisted torus",
    .notes = "In a twisted torus, a message that leaves a side of K at one "
             "end comes back at the other end, K further along every side of "
             "2K. Average is the mean distance over pairs of nodes. Bisection "
             "is the least number of links between two halves of the slice, "
             "over all halves that planes make. A ring of two nodes has two "
             "links.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "tori twist --shape 4x4x8",
    .status = {[0] = "done"},
    .answer = &answer_twist,
    .run = run_twist,
};
