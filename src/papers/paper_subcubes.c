/* M. Kang et al., "Isomorphic Strategy for Processor Allocation in k-Ary
 * n-Cube Systems", 2003, sections 2 to 4: the examples of Figures 1 to 8 by
 * the library's allocators, and Table 1. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tori/cubes.h>

#include "paper.h"
#include "random.h"

enum { TEXT = 64, SEQUENCES = 200, ROWS = 8, STRATEGIES = 6 };

/* The answer to a request on an idle machine. */
static const struct given {
    const char *where, *value, *machine, *alloc;
    tori_shape shape;
    const char *printed;
} given[ROWS] = {
    {"Figure 1a", "nodes of a slice for 4x4 on 8-ary 3-cube", "torus:8^3",
     "eb", {.ndims = 3, .size = {4, 4, 1}}, "64"},
    {"Figure 1b", "nodes for 4x4 by job-based partitioning", "torus:8^3",
     "etc", {.ndims = 3, .size = {4, 4, 1}}, "16"},
    {"Section 4.2, Figure 7", "nodes for 2x2x4 on 8-ary 3-cube", "torus:8^3",
     "isomorphic", {.ndims = 3, .size = {2, 2, 4}}, "16"},
    {"Figure 6", "box for 2x2x8 on 8-ary 3-cube", "torus:8^3", "isomorphic",
     {.ndims = 3, .size = {2, 2, 8}}, "2x4x4"},
    {"Section 4.2", "nodes for 3x5 on 8-ary 2-cube, of a box of 4x8",
     "torus:8^2", "isomorphic", {.ndims = 2, .size = {3, 5}}, "15"},
    {"Figure 8", "first partition of 4x4x16: the half", "torus:4x4x16",
     "isomorphic", {.ndims = 3, .size = {4, 4, 8}}, "4x4x8"},
    {"Figure 8", "second partition: the quarter", "torus:4x4x16",
     "isomorphic", {.ndims = 3, .size = {4, 4, 4}}, "4x4x4"},
    {"Figure 8", "third partition: an eighth of that", "torus:4x4x16",
     "isomorphic", {.ndims = 3, .size = {2, 2, 2}}, "2x2x2"},
};

struct row {
    const char *where, *machine, *alloc, *value, *printed;
    char asked[TEXT], ours[TEXT];
};

#define AT(member) FIELD_AT (struct row, member)
static const struct field row_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"alloc", FIELD_TEXT, AT (alloc), "the strategy", .title = "strategy"},
    {"asked", FIELD_CHARS, AT (asked), "the request", .title = "request"},
    {"value", FIELD_TEXT, AT (value), "what is looked at",
     .title = "looked at"},
    {"ours", FIELD_CHARS, AT (ours), "what it gets", .title = "ours"},
    {"printed", FIELD_TEXT, AT (printed), "the same as printed",
     .title = "printed"},
};
#undef AT
static const struct sheet row_sheet
    = {"requests", SHEET_FIELDS (row_fields)};

/* Figure 4: the free subcubes of 8x8 while A and B are busy, by their side. */
struct list {
    uint32_t side, free;
};

static const struct field list_fields[] = {
    {"side", FIELD_UINT, FIELD_AT (struct list, side), "side of a subcube",
     .title = "side"},
    {"free", FIELD_UINT, FIELD_AT (struct list, free),
     "free subcubes of that side that are not part of a larger one",
     .title = "in the free list"},
};
static const struct sheet list_sheet
    = {"free_lists", SHEET_FIELDS (list_fields)};

enum { REQUESTS, LISTS };

static const struct field answer_fields[] = {
    {"requests", FIELD_LIST, .about = "requests on idle machines",
     .group = &row_sheet},
    {"free_lists", FIELD_LIST, .about = "Figure 4", .group = &list_sheet},
};
static const struct sheet answer_sheet
    = {"subcubes", SHEET_FIELDS (answer_fields)};

struct study {
    char node[TEXT], cube[TEXT]; /* A and B of Figure 3 */
    size_t optimal;              /* sequences that were accommodated */
    uint32_t positions;          /* of a window, in all planes */
    bool parts;                  /* whether a 4x4 holds 3x5 in parts */
    double slice, halves;        /* mean hops between nodes of 8x1, 2x2x2 */
};

/* ---- requests ---- */

static void write_shape (const tori_shape *shape, char text[TEXT])
{
    size_t used = 0;
    for (int d = 0; d < shape->ndims && used < TEXT; d++)
        used += (size_t)snprintf (text + used, TEXT - used, "%s%" PRIu32,
                                  d ? "x" : "", shape->size[d]);
}

static int place_request (const tori_machine *machine,
                          const struct given *is, tori_placement *ret_place,
                          tori_error *err)
{
    tori_request request = {.shape = is->shape};
    tori_state *state = NULL;
    tori_alloc *alloc = NULL;
    int status = tori_state_create (machine, &state, err);
    if (status == 0)
        status = tori_alloc_create (machine, TORI_ALLOC (is->alloc), &alloc,
                                    err);
    if (status == 0
        && tori_alloc_place (alloc, state, &request, ret_place, err)
               != TORI_PLACED)
        status = -1;
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    return status;
}

static int fill_row (const struct given *is, struct row *row, tori_error *err)
{
    tori_placement place = {0};
    tori_machine *machine;
    int status;
    if (tori_machine_parse (is->machine, &machine, err) < 0)
        return -1;
    *row = (struct row){is->where, is->machine, is->alloc, is->value,
                        is->printed};
    write_shape (&is->shape, row->asked);
    status = place_request (machine, is, &place, err);
    if (strchr (is->printed, 'x'))
        write_shape (&place.box.shape, row->ours);
    else
        snprintf (row->ours, TEXT, "%" PRIu32, place.count);
    tori_placement_clear (&place);
    tori_machine_destroy (machine);
    return status;
}

/* ---- Figures 3 and 4 ---- */

/* The n-th subcube of a side on the idle 8x8, from 1 on: subcubes are taken in
 * the order of their addresses. */
static int take_nth (const tori_machine *machine, uint32_t side, uint32_t n,
                     tori_box *ret_box, tori_error *err)
{
    tori_shape shape = {.ndims = 2, .size = {side, side}};
    tori_cubes *cubes;
    int status = tori_cubes_create (machine, NULL, &cubes, err);
    if (status < 0)
        return -1;
    for (uint32_t i = 0; status == 0 && i < n; i++) {
        tori_placement place = {0};
        if (tori_cubes_request (cubes, &shape, &place, err) != TORI_PLACED)
            status = -1;
        *ret_box = place.box;
        tori_placement_clear (&place);
    }
    tori_cubes_destroy (cubes);
    return status;
}

/* Whether all of a square is free. */
static bool is_free (const tori_cubes *cubes, uint32_t x, uint32_t y,
                     uint32_t side)
{
    bool all = true;
    for (uint32_t i = 0; i < side * side; i++)
        all &= tori_cubes_is_free (cubes,
                                   8 * (x + i / side) + y + i % side);
    return all;
}

static uint32_t count_free (const tori_cubes *cubes, uint32_t side)
{
    uint32_t n = 0, up = 2 * side;
    for (uint32_t x = 0; x < 8; x += side)
        for (uint32_t y = 0; y < 8; y += side)
            n += is_free (cubes, x, y, side)
                 && (side == 8
                     || !is_free (cubes, x / up * up, y / up * up, up));
    return n;
}

/* A is node 3,5; B is the square of 2x2 at 6,2. */
static int fill_lists (const tori_machine *machine, struct list list[],
                       tori_error *err)
{
    static const uint32_t busy[] = {29, 50, 51, 58, 59};
    tori_cubes *cubes;
    int status = tori_cubes_create (machine, NULL, &cubes, err);
    if (status < 0)
        return -1;
    for (size_t i = 0; status == 0 && i < sizeof busy / sizeof *busy; i++)
        status = tori_cubes_take_node (cubes, busy[i], err);
    for (uint32_t i = 0; i < 4; i++)
        list[i] = (struct list){UINT32_C (8) >> i,
                                count_free (cubes, UINT32_C (8) >> i)};
    tori_cubes_destroy (cubes);
    return status;
}

static int find_addresses (struct study *study, struct list list[],
                           tori_error *err)
{
    tori_machine *machine;
    tori_box a = {0}, b = {0};
    int status;
    if (tori_machine_parse ("mesh:8x8", &machine, err) < 0)
        return -1;
    /* ((0,1),(1,0),(1,1)) is 011011 in the order of partitions, the 28th node;
     * ((1,0),(1,1)) is 1011, the 12th square of 2x2. */
    status = take_nth (machine, 1, 28, &a, err);
    if (status == 0)
        status = take_nth (machine, 2, 12, &b, err);
    if (status == 0)
        status = fill_lists (machine, list, err);
    snprintf (study->node, TEXT, "(%" PRIu32 ", %" PRIu32 ")", a.origin[0],
              a.origin[1]);
    snprintf (study->cube, TEXT, "2x2 at (%" PRIu32 ", %" PRIu32 ")",
              b.origin[0], b.origin[1]);
    tori_machine_destroy (machine);
    return status;
}

/* ---- static optimality ---- */

/* Isomorphic requests at random, until nothing is free. */
static int fill_machine (tori_cubes *cubes, struct rng *rng, bool *ret_all,
                         tori_error *err)
{
    *ret_all = true;
    while (tori_cubes_free_count (cubes) > 0 && *ret_all) {
        uint32_t side = UINT32_C (1) << rng_below (rng, 4);
        tori_shape shape = {.ndims = 3, .size = {side, side, side}};
        tori_placement place = {0};
        tori_outcome outcome;
        if (side * side * side > tori_cubes_free_count (cubes))
            continue;
        outcome = tori_cubes_request (cubes, &shape, &place, err);
        if (outcome == TORI_ERROR)
            return -1;
        *ret_all = outcome == TORI_PLACED;
        tori_placement_clear (&place);
    }
    return 0;
}

static int try_sequences (const struct paper_setup *setup,
                          struct study *study, tori_error *err)
{
    tori_machine *machine;
    int status = 0;
    if (tori_machine_parse ("torus:8^3", &machine, err) < 0)
        return -1;
    for (uint64_t i = 0; status == 0 && i < SEQUENCES; i++) {
        struct rng rng;
        tori_cubes *cubes;
        bool all = false;
        rng_seed (&rng, setup->seed, i);
        status = tori_cubes_create (machine, NULL, &cubes, err);
        if (status < 0)
            break;
        status = fill_machine (cubes, &rng, &all, err);
        study->optimal += all;
        tori_cubes_destroy (cubes);
    }
    tori_machine_destroy (machine);
    return status;
}

/* ---- the entry ---- */

/* The positions of a 4x4 window in the eight planes of an 8-ary 3-cube. */
static uint32_t count_positions (void)
{
    uint32_t n = 0;
    for (uint32_t plane = 0; plane < 8; plane++)
        for (uint32_t x = 0; x + 4 <= 8; x++)
            for (uint32_t y = 0; y + 4 <= 8; y++)
                n++;
    return n;
}

/* The mean of all pairs of nodes of a box without links around it. */
static double mean_hops (const tori_shape *shape)
{
    double sum = 0, nodes = (double)tori_shape_volume (shape);
    for (int d = 0; d < shape->ndims; d++) {
        double k = shape->size[d];
        sum += (k * k - 1) / (3 * k);
    }
    return sum * nodes / (nodes - 1);
}

/* A request of 3x5 for connected parts, on a machine of 4x4. */
static int place_parts (struct study *study, tori_error *err)
{
    tori_request request = {.shape = {.ndims = 2, .size = {3, 5}}};
    tori_placement place = {0};
    tori_machine *machine;
    tori_state *state = NULL;
    tori_alloc *alloc = NULL;
    int status = tori_machine_parse ("mesh:4x4", &machine, err);
    if (status < 0)
        return -1;
    status = tori_state_create (machine, &state, err);
    if (status == 0)
        status = tori_alloc_create (
            machine,
            TORI_ALLOC ("isomorphic", .noncubic = TORI_NONCUBIC_DECOMPOSE),
            &alloc, err);
    if (status == 0)
        study->parts = tori_alloc_place (alloc, state, &request, &place, err)
                           == TORI_PLACED
                       && place.count == 15;
    tori_placement_clear (&place);
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    struct row *row = paper_rows (run, REQUESTS, ROWS, sizeof *row, err);
    struct list *list = paper_rows (run, LISTS, 4, sizeof *list, err);
    if (!row || !list)
        return -1;
    for (size_t i = 0; i < ROWS; i++)
        if (fill_row (&given[i], &row[i], err) < 0)
            return -1;
    study->positions = count_positions ();
    study->slice = mean_hops (&(tori_shape){.ndims = 1, .size = {8}});
    study->halves = mean_hops (&(tori_shape){.ndims = 3, .size = {2, 2, 2}});
    if (place_parts (study, err) < 0)
        return -1;
    return find_addresses (study, list, err) < 0
                   || try_sequences (run->setup, study, err) < 0
               ? -1
               : 0;
}

/* Ours are the bounds of the code: k-partner tries every choice of dimensions,
 * and windows are found for all places at once by halving their sides
 * (src/lib/alloc). */
static void judge_table1 (struct paper_run *run)
{
    static const struct {
        const char *strategy, *printed, *ours;
    } table1[STRATEGIES] = {
        {"eb, egc: allocate, release", "O(2^kn), O(2^km)",
         "O(2^kn), O(2^km)"},
        {"k-partner: allocate, release", "O(2^kn), O(2^km)",
         "O(C(n,m) 2^kn), O(2^km)"},
        {"sniffing: allocate, release", "O(2^kn 2^lm), O(2^lm)",
         "O(2^kn lm), O(2^lm)"},
        {"etc: allocate, release", "O(C(n,m) 2^kn 2^lm), O(2^lm)",
         "O(C(n,m) 2^kn lm), O(2^lm)"},
        {"isomorphic, Algorithm 1: allocate, release", "O(k), O(k)",
         "O(k), O(k)"},
        {"isomorphic, Algorithm 2: allocate, release", "O(2^n), O(k + 2^l)",
         "O(2^n), O(k + 2^l)"},
    };
    for (size_t i = 0; i < STRATEGIES; i++)
        verdict_refuse (run,
                        &(struct published){
                            "Table 1", table1[i].strategy, table1[i].printed,
                            "bounds, not times; make bench-parts measures times"},
                        "%s", table1[i].ours);
}

/* Statements of the text about parts of a machine. */
static void judge_text (struct paper_run *run)
{
    const struct study *study = run->study;
    verdict_compare (run,
                     &(struct published){"Section 2",
                                         "mean hops in a slice of 8x1, beside "
                                         "a 2-ary 3-cube",
                                         "longer", "they are not"},
                     study->slice > study->halves, "%.2f beside %.2f",
                     study->slice, study->halves);
    verdict_compare (run,
                     &(struct published){"Section 4.2",
                                         "3x5 in connected parts fits a 4x4",
                                         "yes", "it does not"},
                     study->parts, "%s", study->parts ? "yes" : "no");
}

static void judge_study (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct row *row = run->list[REQUESTS].row;
    const struct list *list = run->list[LISTS].row;
    for (size_t i = 0; i < ROWS; i++)
        verdict_compare (run,
                         &(struct published){row[i].where, row[i].value,
                                             row[i].printed, "another place"},
                         strcmp (row[i].ours, row[i].printed) == 0, "%s",
                         row[i].ours);
    verdict_compare (run,
                     &(struct published){
                         "Section 2", "positions of a 4x4 window, 8 planes",
                         "128", "(k - l)^m should be (k - l + 1)^m"},
                     study->positions == 128, "%" PRIu32, study->positions);
    verdict_compare (run,
                     &(struct published){"Figure 3",
                                         "A = ((0,1),(1,0),(1,1))", "(3, 5)",
                                         "another node"},
                     strcmp (study->node, "(3, 5)") == 0, "%s", study->node);
    verdict_compare (run,
                     &(struct published){"Figure 3", "B = ((1,0),(1,1))",
                                         "2x2 at (6, 2)", "another subcube"},
                     strcmp (study->cube, "2x2 at (6, 2)") == 0, "%s",
                     study->cube);
    verdict_refuse (run,
                    &(struct published){"Figure 4",
                                        "free lists of 8x8 with A and B busy",
                                        "a drawing",
                                        "its numbers are not in the text"},
                    "%" PRIu32 " of 8x8, %" PRIu32 " of 4x4, %" PRIu32
                    " of 2x2, %" PRIu32 " of 1x1",
                    list[0].free, list[1].free, list[2].free, list[3].free);
    verdict_compare (run,
                     &(struct published){"Section 4.1, Figure 5",
                                         "isomorphic requests that fill 8^3",
                                         "always accommodated",
                                         "some are not"},
                     study->optimal == SEQUENCES, "%zu of %d sequences",
                     study->optimal, SEQUENCES);
    verdict_draw (run,
                  &(struct published){"Figure 2",
                                      "slices and isomorphic parts of 8^3",
                                      "-"},
                  "tori place --machine torus:8^3 --alloc isomorphic --shape "
                  "4x4x4");
    judge_text (run);
    judge_table1 (run);
}

static void print_study (struct paper_run *run)
{
    paper_say (run,
               "Requests on idle machines, by the allocators of tori place.\n");
    paper_table (run, REQUESTS);
    paper_say (run,
               "\nFigure 4: the free lists of the 8-ary 2-cube of Figure 3 "
               "while A and B are busy.\n");
    paper_table (run, LISTS);
}

const struct paper paper_subcubes = {
    .name = "subcubes",
    .citation = paper_kang_2003,
    .what = "Figures 1-8 and Table 1: what requests get, addresses, free "
            "lists, and bounds",
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
