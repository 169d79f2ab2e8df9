/* tori place - one request on a machine in a given situation, or among points
 * without a machine. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "place_exports.h"
#include "map.h"
#include "place.h"
#include "place_answer.h"
#include "machine_options.h"
#include "plugin.h"
#include "tuning.h"

static const char *used_alloc (const void *values, const void *slot);

static const struct option options[] = {
    SITE_MACHINE_IF (struct place_values),
    SITE_LINKS (struct place_values),
    {"mesh-graph", OPTION_STRING, offsetof (struct place_values, mesh_graph),
     "FILE", .file = FILE_READ, .without = "machine points",
     .help = "the machine as a mesh graph descriptor of Tenstorrent "
             "(textproto): its device_topology, where a RING is a torus "
             "dimension and a LINE a mesh dimension"},
    {"points", OPTION_STRING, offsetof (struct place_values, points), "FILE",
     .file = FILE_READ,
     .help = "choose among these points instead of the nodes of a machine: "
             "one point per line, up to 32 numbers such as 3,-1,4 or 1.5 "
             "2.25, taken exactly; # starts a comment"},
    {"around", OPTION_STRING, offsetof (struct place_values, around), "SIZES",
     .help = "with --points: the lengths of dimensions that are rings, such "
             "as 1000 or 8x0x8, where 0 is a line; coordinates wrap around "
             "them"},
    {"shape", OPTION_STRING, offsetof (struct place_values, shape), "SHAPE",
     .help = "ask for a box of this shape, such as 4x4x2"},
    {"count", OPTION_INTEGER, offsetof (struct place_values, count), "N",
     .min = 1, .max = INT64_MAX,
     .help = "ask for this many nodes; with --shape, how many nodes of the "
             "box are wanted"},
    {"alloc", OPTION_STRING, offsetof (struct place_values, alloc), "NAME",
     .choices = allocator_names, .otherwise = used_alloc,
     .help = "the allocator; if not given, first-fit for a shape and mm for a "
             "count (hilbert-bf on more than 65536 nodes), and for points mc "
             "and mc1x1; ./mine.so: one of your own (man tori_plugin)"},
    TUNING_COUNT (struct place_values),
    TUNING_SHAPE (struct place_values),
    {"wiring", OPTION_CHOICE, offsetof (struct place_values, wiring), "WIRING",
     .choices = wiring_names, .fallback = "none",
     .help = "the links to reserve for the box"},
    {"fold", OPTION_CHOICE, offsetof (struct place_values, fold), "FOLD",
     .choices = fold_names, .fallback = "none",
     .help = "how a torus of this shape, or on a pod a mesh, may be placed: "
             "with rings it may get a box with other sides, in which its "
             "neighbours are still neighbours and its rings are closed"},
    {"partitions", OPTION_STRING,
     offsetof (struct place_values, site.partitions), "FILE", .file = FILE_READ,
     .help = "running partitions, which hold nodes and links: per line one "
             "box and mesh, torus or none, or for each dimension m or t, such "
             "as tmm"},
    SITE_BUSY (struct place_values),
    SITE_DOWN (struct place_values),
    SITE_DOWN_LINKS (struct place_values),
    {"no-rotate", OPTION_FLAG, offsetof (struct place_values, no_rotate),
     .help = "take the shape as it is, not its rotations"},
    {"request", OPTION_STRING, offsetof (struct place_values, request), "TEXT",
     .without = "points shape count wiring no-rotate",
     .help = "ask as in Fujitsu's job manager: node=4x3x2, then perhaps "
             ":torus, :mesh (the default) or :noncont (as many nodes, "
             "anywhere), then perhaps :strict (not rotated)"},
    {"segments", OPTION_INTEGER, offsetof (struct place_values, segments), "N",
     .min = 1, .max = 4096, .with = "shape request",
     .without = "points count",
     .help = "ask for this many boxes of the shape, or slices of a pod, "
             "placed one after another, each wired by itself: all of them, or "
             "none; the answer is never if one of them never fits, or all are "
             "larger than the machine"},
    SITE_WRAP_ROW (struct place_values, SITE_WRAP_HELP,
                   .with = "shape partitions busy down request",
                   .without = "points"),
    EXPORTS_ROWS (struct place_values),
    {"map", OPTION_FLAG, offsetof (struct place_values, map), .aside = true,
     .help = "draw the machine as well: . free, # busy, x down, O placed, and "
             "a letter for each partition, with a colour in a terminal unless "
             "NO_COLOR is set"},
    OPTION_ROW_JSON (struct place_values),
    {.name = NULL},
};

/* ---- the request ---- */

static bool allows_planes (const struct place_values *v)
{
    return place_alloc (v) && place_alloc (v)->flags & TORI_ALLOC_PLANES;
}

/* Whether a shape may have other dimensions than the machine. On a pod,
 * nothing joins the cubes of a job that is not wired, so it has no rings that
 * could go through another dimension. */
static bool has_own_dims (const struct place_job *job)
{
    const struct place_values *v = job->values;
    return place_folds (v)
           || (v->fold
               && (v->wiring != TORI_WIRE_NONE
                   || !tori_machine_is_pod (job->site.machine)));
}

static int parse_shape (struct place_job *job, tori_error *err)
{
    const struct place_values *v = job->values;
    struct place_space space = {"machine has",
                                tori_machine_shape_dims (job->site.machine),
                                has_own_dims (job), allows_planes (v)};
    return place_parse_shape (v->shape, &space, (uint64_t)v->count,
                              &job->request.shape, err);
}

static int make_request (struct place_job *job, tori_error *err)
{
    const struct place_values *v = job->values;
    uint64_t nodes;
    if (!v->shape && !v->count)
        return tori_error_set (err, TORI_INVALID,
                               "one of --shape, --count and --request is "
                               "needed");
    if (!v->shape && v->no_rotate)
        return tori_error_set (err, TORI_INVALID,
                               "--no-rotate needs --shape");
    if (v->fold && (!v->shape || v->no_rotate))
        return tori_error_set (err, TORI_INVALID,
                               v->shape ? "--fold and --no-rotate exclude "
                                          "each other"
                                        : "--fold needs --shape");
    if (!v->shape && v->wiring != TORI_WIRE_NONE)
        return tori_error_set (err, TORI_INVALID,
                               "--wiring %s needs --shape",
                               tori_wiring_name ((tori_wiring)v->wiring));
    if (v->shape && parse_shape (job, err) < 0)
        return -1;
    /* Machines have fewer than UINT32_MAX nodes, so larger counts are
     * capped. */
    nodes = v->count ? (uint64_t)v->count
                     : tori_shape_volume (&job->request.shape);
    job->request.count = nodes < UINT32_MAX ? (uint32_t)nodes : UINT32_MAX;
    job->request.wiring = (tori_wiring)v->wiring;
    job->request.fixed = v->no_rotate;
    job->request.wrap = v->site.wrap;
    job->request.flags = v->fold ? TORI_REQUEST_FOLD : 0;
    return 0;
}

/* Allocate room for the best set that a search finds. Requests larger than the
 * machine are refused, so its nodes are room enough. */
static int find_room (struct place_job *job, tori_error *err)
{
    uint32_t nodes = tori_machine_nodes (job->site.machine);
    size_t n = job->request.count < nodes ? job->request.count : nodes;
    job->search.chosen = malloc (n * sizeof *job->search.chosen);
    return job->search.chosen ? 0 : tori_error_nomem (err);
}

static const tori_alloc_info *allocator_of (const struct place_values *v)
{
    if (place_alloc (v))
        return place_alloc (v);
    if (v->points)
        return tori_alloc_find (v->shape ? "mc" : "mc1x1");
    return usual_allocator (v->site.machine, v->shape);
}

static const char *used_alloc (const void *values, const void *slot)
{
    return allocator_of (values)->name;
}

static int choose_allocator (struct place_job *job, tori_error *err)
{
    unsigned need = job->values->shape ? TORI_BY_SHAPE : TORI_BY_COUNT;
    tori_wiring wiring = (tori_wiring)job->values->wiring;
    const tori_alloc_info *info = allocator_of (job->values);
    tori_alloc_config tuning;
    if (!(info->takes & need))
        return tori_error_set (err, TORI_INVALID,
                               "--alloc: %s takes no %s; see 'tori list "
                               "allocators'",
                               info->name,
                               need == TORI_BY_SHAPE ? "shape" : "count");
    if (wiring != TORI_WIRE_NONE
        && ((info->flags & TORI_ALLOC_FOLDS)
            || (info->takes & TORI_BY_COUNT && !allocator_ops (info))))
        return tori_error_set (err, TORI_INVALID,
                               "--wiring %s: %s gives nodes or folds shapes, "
                               "and reserves no links",
                               tori_wiring_name (wiring), info->name);
    if (job->values->fold && !(info->flags & TORI_ALLOC_RINGS))
        return tori_error_set (err, TORI_INVALID,
                               "--fold: %s does not fold rings", info->name);
    if (tuning_check (&job->values->tuning, info, err) < 0)
        return -1;
    tuning = tuning_of (&job->values->tuning, info);
    tuning.search = &job->search;
    place_show (&tuning, info, &job->progress);
    if ((info->flags & TORI_ALLOC_SEARCHES) && find_room (job, err) < 0)
        return -1;
    return tori_alloc_create (job->site.machine, &tuning, &job->alloc, err);
}

/* ---- several boxes ---- */

static tori_outcome failed_at (size_t i, size_t n, tori_outcome outcome,
                               tori_error *why)
{
    tori_error first = *why;
    if (outcome != TORI_PLACED)
        tori_error_set (why, first.status, "segment %zu of %zu: %.300s",
                        i + 1, n, first.text);
    return outcome;
}

static void clear_segments (struct place_job *job)
{
    for (size_t i = 0; i < job->segments; i++)
        tori_placement_clear (&job->segment[i]);
}

static tori_outcome no_boxes (tori_error *why)
{
    tori_error_set (why, TORI_INVALID,
                    "--segments: the allocator gives no boxes");
    return TORI_ERROR;
}

/* Place the segments one after another; the state holds those already
 * placed. */
static tori_outcome place_each (struct place_job *job, tori_state *state,
                                tori_error *why)
{
    for (size_t i = 0; i < job->segments; i++) {
        tori_placement *one = &job->segment[i];
        tori_outcome outcome = tori_alloc_place (job->alloc, state,
                                                 &job->request, one, why);
        if (outcome == TORI_PLACED && one->nboxes == 0)
            return no_boxes (why);
        if (outcome == TORI_PLACED && tori_placement_hold (one, state, why) < 0)
            outcome = TORI_ERROR;
        if (outcome != TORI_PLACED)
            return failed_at (i, job->segments, outcome, why);
    }
    return TORI_PLACED;
}

/* Try in a copy of a state, or on the idle machine if it is NULL. */
static tori_outcome try_segments (struct place_job *job,
                                  const tori_state *from, tori_error *why)
{
    tori_state *state = NULL;
    tori_outcome outcome = TORI_ERROR;
    if (tori_state_create (job->site.machine, &state, why) == 0
        && (!from || tori_state_copy (state, from, why) == 0))
        outcome = place_each (job, state, why);
    tori_state_destroy (state);
    return outcome;
}

static tori_outcome too_large (const struct place_job *job, tori_error *why)
{
    tori_error_set (why, TORI_NEVER,
                    "%zu segments of %llu nodes: larger than the machine",
                    job->segments,
                    (unsigned long long)tori_request_nodes (&job->request));
    return TORI_UNPLACEABLE;
}

/* A request larger than the machine never fits. If the idle machine has no
 * room either, waiting probably does not help. That is not certain, because
 * segments are tried one after another, not in every combination. */
static tori_outcome check_idle_machine (struct place_job *job,
                                        tori_outcome outcome, tori_error *why)
{
    uint64_t nodes = tori_request_nodes (&job->request);
    tori_error first = *why, idle;
    tori_outcome then;
    if (outcome == TORI_PLACED || outcome == TORI_ERROR
        || outcome == TORI_UNPLACEABLE)
        return outcome;
    clear_segments (job);
    if (nodes > tori_machine_nodes (job->site.machine) / job->segments)
        return too_large (job, why);
    then = try_segments (job, NULL, &idle);
    if (then != TORI_PLACED && then != TORI_ERROR)
        tori_error_set (why, first.status,
                        "%.400s; no room was found on the idle machine either",
                        first.text);
    return outcome;
}

/* Gather the boxes of all segments into one placement, for code that does not
 * need the segments. */
static int gather_boxes (struct place_job *job, tori_error *err)
{
    tori_box *boxes;
    size_t n = 0;
    int status;
    for (size_t i = 0; i < job->segments; i++)
        n += job->segment[i].nboxes;
    boxes = calloc (n, sizeof *boxes);
    if (!boxes)
        return tori_error_nomem (err);
    n = 0;
    for (size_t i = 0; i < job->segments; i++)
        for (size_t k = 0; k < job->segment[i].nboxes; k++)
            boxes[n++] = *tori_placement_box (&job->segment[i], k);
    status = tori_placement_of_boxes (boxes, n, job->segment[0].wiring,
                                      &job->place, err);
    free (boxes);
    return status;
}

static tori_outcome place_segments (struct place_job *job, size_t n,
                                    tori_error *why)
{
    tori_placement *segment;
    tori_outcome outcome;
    if (place_folds (job->values))
        return no_boxes (why);
    segment = calloc (n, sizeof *segment);
    if (!segment) {
        tori_error_nomem (why);
        return TORI_ERROR;
    }
    job->segment = segment;
    job->segments = n;
    outcome = try_segments (job, job->site.state, why);
    outcome = check_idle_machine (job, outcome, why);
    return outcome == TORI_PLACED && gather_boxes (job, why) < 0 ? TORI_ERROR
                                                                 : outcome;
}

static int answer_request (struct place_job *job, FILE *out, tori_error *err)
{
    tori_error why;
    tori_outcome outcome;
    size_t segments = (size_t)job->values->segments;
    int status;
    progress_begin (&job->progress);
    outcome = segments > 1
                  ? place_segments (job, segments, &why)
                  : tori_alloc_place (job->alloc, job->site.state,
                                      &job->request, &job->place, &why);
    progress_end (&job->progress);
    if (outcome == TORI_ERROR && why.status == TORI_GAVE_UP)
        return place_answer_gave_up (job, &why, out, err);
    if (outcome == TORI_ERROR) {
        *err = why;
        return -1;
    }
    if (outcome == TORI_WIRING && segments <= 1
        && place_explain_wiring (job, &why, err) < 0)
        return -1;
    status = outcome == TORI_PLACED
                 ? place_answer_found (job, out, err)
                 : place_answer_refused (job, outcome, why.text, out, err);
    if (status >= 0 && job->values->map
        && place_print_map (job,
                            outcome == TORI_PLACED ? &job->place : NULL, out,
                            err)
               < 0)
        return -1;
    return status;
}

static int check_map (const struct place_job *job, tori_error *err)
{
    if (!job->values->map)
        return 0;
    if (job->values->json)
        return tori_error_set (err, TORI_INVALID,
                               "--map and --json exclude each other");
    return map_check (job->site.machine, err);
}

/* ---- points instead of a machine ---- */

/* Options that need a machine; the error names the first one given. */
static int check_points (const struct place_values *v, tori_error *err)
{
    const struct {
        bool given;
        const char *name;
    } rules[] = {
        {v->site.machine, "--machine"},
        {v->wiring != TORI_WIRE_NONE, "--wiring"},
        {v->fold, "--fold"},
        {v->site.partitions, "--partitions"},
        {v->site.busy, "--busy"},
        {v->site.down, "--down"},
        {v->site.down_links, "--down-links"},
        {v->map, "--map"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given)
            return tori_error_set (err, TORI_INVALID,
                                   "--points and %s exclude each other",
                                   rules[i].name);
    if (!v->count && !v->shape)
        return tori_error_set (err, TORI_INVALID,
                               "--count is needed");
    return 0;
}

static int run_points (const struct place_values *v, FILE *out, tori_error *err)
{
    const tori_alloc_info *alloc = allocator_of (v);
    struct place_points request = {
        .path = v->points,
        .around = v->around,
        .shape = v->shape,
        .fixed = v->no_rotate,
        .alloc = alloc,
        .count = (size_t)v->count,
        .options = tuning_of (&v->tuning, alloc),
        .command = &command_place,
        .values = v,
    };
    if (check_points (v, err) < 0
        || tuning_check (&v->tuning, alloc, err) < 0)
        return -1;
    return place_points (&request, out, err);
}

/* ---- nodes of a machine ---- */

static int run_machine (const struct place_values *v,
                        const struct meshgraph *graph, FILE *out,
                        tori_error *err)
{
    struct place_job job
        = {.command = &command_place, .values = v, .graph = graph};
    struct machine_options files = v->site;
    int status = -1;
    files.running = true;
    job.segment = &job.place;
    job.segments = 1;
    if (exports_check (&v->exports, graph, err) == 0
        && site_open (&files, &job.site, err) == 0
        && make_request (&job, err) == 0 && check_map (&job, err) == 0
        && choose_allocator (&job, err) == 0)
        status = answer_request (&job, out, err);
    clear_segments (&job);
    if (job.segment != &job.place)
        free (job.segment);
    tori_placement_clear (&job.place);
    free (job.search.chosen);
    free (job.map);
    free (job.ids);
    exports_clear (&job.exports);
    tori_alloc_destroy (job.alloc);
    site_close (&job.site);
    return status;
}

/* ---- requests in the form of Fujitsu's job manager ---- */

struct fujitsu {
    char shape[TORI_TEXT_MAX];
    tori_wiring wiring;
    bool apart, strict;
};

static int bad_request (const char *text, tori_error *err)
{
    return tori_error_set (err, TORI_INVALID,
                           "--request: '%.60s': expected node=4x3x2, perhaps "
                           ":torus, :mesh or :noncont, perhaps :strict",
                           text);
}

static int read_request (const char *text, struct fujitsu *f, tori_error *err)
{
    const char *at = text + strlen ("node=");
    size_t n;
    if (strncmp (text, "node=", strlen ("node=")) != 0
        || (n = strcspn (at, ":")) >= sizeof f->shape)
        return bad_request (text, err);
    *f = (struct fujitsu){.wiring = TORI_WIRE_MESH};
    memcpy (f->shape, at, n);
    at += n;
    if (strncmp (at, ":torus", strlen (":torus")) == 0) {
        f->wiring = TORI_WIRE_TORUS;
        at += strlen (":torus");
    } else if (strncmp (at, ":noncont", strlen (":noncont")) == 0) {
        f->apart = true;
        at += strlen (":noncont");
    } else if (strncmp (at, ":mesh", strlen (":mesh")) == 0) {
        at += strlen (":mesh");
    }
    f->strict = strcmp (at, ":strict") == 0;
    return *at && !f->strict ? bad_request (text, err) : 0;
}

/* Place as if the other options had stated the request. */
static int run_request (const struct place_values *v,
                        const struct meshgraph *graph, FILE *out,
                        tori_error *err)
{
    struct place_values own = *v;
    struct fujitsu f;
    tori_shape shape;
    if (read_request (v->request, &f, err) < 0)
        return -1;
    if (tori_shape_parse (f.shape, &shape, NULL) < 0)
        return bad_request (v->request, err);
    if (f.apart) {
        own.count = (int64_t)tori_shape_volume (&shape);
    } else {
        own.shape = f.shape;
        own.wiring = (int)f.wiring;
        own.no_rotate = f.strict;
    }
    return run_machine (&own, graph, out, err);
}

static int run_either (const struct place_values *v,
                       const struct meshgraph *graph, FILE *out,
                       tori_error *err)
{
    return v->request ? run_request (v, graph, out, err)
                      : run_machine (v, graph, out, err);
}

/* Place as if the machine had been given as text. */
static int run_mesh_graph (const struct place_values *v, FILE *out,
                           tori_error *err)
{
    struct place_values own = *v;
    struct meshgraph graph;
    tori_machine *machine;
    char text[TORI_TEXT_MAX];
    if (meshgraph_read (v->mesh_graph, &graph, err) < 0
        || meshgraph_machine (&graph, &machine, err) < 0)
        return -1;
    tori_machine_format (machine, text);
    tori_machine_destroy (machine);
    own.site.machine = text;
    return run_either (&own, &graph, out, err);
}

static int run_place (const void *values, FILE *out, tori_error *err)
{
    const struct place_values *v = values;
    const tori_alloc_info *named;
    if (v->alloc && plugin_find (v->alloc, "--alloc", &named, err) < 0)
        return -1;
    if (v->points)
        return run_points (v, out, err);
    if (v->around)
        return tori_error_set (err, TORI_INVALID,
                               "--around is for --points; the kind of a "
                               "machine says where it wraps");
    if (v->mesh_graph)
        return run_mesh_graph (v, out, err);
    if (!v->site.machine)
        return tori_error_set (err, TORI_INVALID,
                               "--machine KIND:SIZES is missing; see 'tori "
                               "place --help'");
    return run_either (v, NULL, out, err);
}

const struct command command_place = {
    .name = "place",
    .summary = "Find a place for one request on a machine",
    .notes = "The machine is idle except for what the files say. Nodes are "
             "listed in the order of their ids. Pairwise is the sum of hop "
             "distances over unordered pairs of nodes, and average is that "
             "sum divided by the number of pairs. Distances follow the kind "
             "of the machine. A multi-torus dimension (u) counts as a line, "
             "because its rings exist only where a box is wired. Partitions "
             "with nodes or links that are down are listed as hit, and keep "
             "what they have.\n"
             "A request for more nodes than are free, or for more points than "
             "the file has, does not fit now (3). A request for more nodes "
             "than the machine has never fits (4). exact may give up, and so "
             "may mm and mm+inc among many points in many dimensions. ptas "
             "goes on until it has an answer, which may take long; with "
             "--steps it refuses what would take longer. The status is "
             "then 2. With --json, \"reason\" is \"gave-up\", "
             "\"best\" is the least sum found, \"best_nodes\" is its set, and "
             "\"at_least\" is a proved lower bound. exact answers for any "
             "number of nodes on a single line, and on a single ring mostly "
             "for up to a third of the points.\n"
             "Points keep the order of their file, and indexes count them "
             "from 0. Their distance is the sum over the dimensions. "
             "Allocators that follow a curve walk the bounding box of the "
             "points.\n"
             "isomorphic folds shapes. It prints the subcube that holds the "
             "shape and how many hops apart logical neighbours are. With "
             "--json, \"map\" has the node of each logical node, row by row "
             "of the shape. --fold rings answers in the same way. There, "
             "logical neighbours are one hop apart, and the shape may have "
             "any number of dimensions. On a pod without a wiring, nothing "
             "joins neighbours in different cubes.",
    .options = options,
    .size = sizeof (struct place_values),
    .examples =
        "tori place --machine torus:8x8x8 --shape 4x4x2\n"
        "tori place --machine multitorus:8x8x8 --shape 4x4x2 --wiring torus "
        "--partitions FILE\n"
        "tori place --machine torus:16^3 --shape 64x2 --fold rings\n"
        "tori place --machine mesh:16x16 --count 30 --busy FILE --map\n"
        "tori place --machine torus:4x4x4 --request node=4x2x2:torus --names "
        "'n[0-63]' --ranks hilbert --rank-file hosts\n"
        "tori place --machine pod:64/4x4x4 --shape 8x4x4 --wiring torus "
        "--names 'p[0-63]' --slice-file slice.yaml --slice-name train\n"
        "tori place --points FILE --alloc mm --count 30\n"
        "tori place --points FILE --around 360 --alloc exact --count 30",
    .status = {[0] = "placed",
               [2] = "bad usage, bad input, or a search that gave up",
               [3] = "does not fit now",
               [4] = "never fits on this machine"},
    .answer = &answer_place,
    .run = run_place,
};
