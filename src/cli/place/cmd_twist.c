/* tori twist - what twisting the wraps of a slice gains. */
#include "asked.h"
#include "commands.h"
#include "emit.h"
#include "fields.h"
#include "twist.h"

/* One look at each node of this many takes a second or so. */
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

static void emit_measures (struct emit *e, const char *key,
                           const struct twist_measures *is)
{
    emit_open (e, key, '{');
    emit_count (e, "diameter", is->diameter);
    emit_real (e, "average", is->average);
    emit_count (e, "bisection", is->bisection);
    emit_close (e, '}');
}

static int emit_answer (const struct values *v, const tori_shape *shape,
                        const struct twist_measures is[2], FILE *out,
                        tori_error *err)
{
    uint64_t nodes = tori_shape_volume (shape);
    struct emit e = emit_to (out);
    asked_open (&e, "twist", &command_twist, v);
    emit_count (&e, "nodes", nodes);
    emit_count (&e, "links", nodes * (uint64_t)shape->ndims);
    emit_measures (&e, "straight", &is[0]);
    emit_measures (&e, "twisted", &is[1]);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static void print_answer (const tori_shape *shape,
                          const struct twist_measures is[2], FILE *out)
{
    unsigned long long nodes = tori_shape_volume (shape);
    char text[TORI_TEXT_MAX];
    tori_shape_format (shape, text);
    fprintf (out, "%s, %llu nodes, %llu links\n\n", text, nodes,
             nodes * (unsigned long long)shape->ndims);
    fprintf (out, "%-10s  %8s  %8s\n", "", "straight", "twisted");
    fprintf (out, "%-10s  %8u  %8u  hops\n", "diameter", is[0].diameter,
             is[1].diameter);
    fprintf (out, "%-10s  %8.4g  %8.4g  hops\n", "average", is[0].average,
             is[1].average);
    fprintf (out, "%-10s  %8llu  %8llu  links\n", "bisection",
             (unsigned long long)is[0].bisection,
             (unsigned long long)is[1].bisection);
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    struct twist_measures is[2];
    tori_shape shape;
    if (read_shape (v, &shape, err) < 0)
        return -1;
    is[0] = twist_measure (&shape, 0);
    is[1] = twist_measure (&shape, twist_side (&shape));
    if (v->json)
        return emit_answer (v, &shape, is, out, err);
    print_answer (&shape, is, out);
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
    .run = run,
};
