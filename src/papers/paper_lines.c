/* Y. Aridor et al., "Multi-Toroidal Interconnects", 2004, section 2: what the
 * lines of Figures 2 to 10 need and leave, by the library's rules. */
#include <inttypes.h>
#include <stdlib.h>

#include <tori/alloc.h>
#include <tori/wiring.h>

#include "line_cases.h"
#include "paper.h"

enum { SIDE = 8, ROWS = 9, CUBE = 4 * 4 * 4, NODES = 8 * 8 * 8 };

/* Partitions of lines, and the links that the paper says they take. */
static const struct given {
    const char *where, *value, *machine;
    uint32_t first, size;
    tori_wiring wiring;
    uint32_t printed;
} given[ROWS] = {
    {"Section 2.1, Property 1", "links of a torus of 1", "multitorus:8", 3, 1,
     TORI_WIRE_TORUS, 0},
    {"Figure 2, Property 2", "links of a mesh of 5", "mesh:8", 1, 5,
     TORI_WIRE_MESH, 4},
    {"Figure 4", "links of a torus of 2 on a torus line", "torus:8", 0, 2,
     TORI_WIRE_TORUS, 8},
    {"Figure 6, Property 2", "links of a mesh of 4", "multitorus:8", 2, 4,
     TORI_WIRE_MESH, 3},
    {"Figure 7, Property 3", "links of a torus of 5", "multitorus:8", 1, 5,
     TORI_WIRE_TORUS, 5},
    {"Figure 8, Property 3", "links of a torus of 6", "multitorus:8", 1, 6,
     TORI_WIRE_TORUS, 6},
    {"Figure 5, Property 4", "links of a torus of 2 at an end",
     "multitorus:8", 6, 2, TORI_WIRE_TORUS, 2},
    {"Figure 9, Property 5", "links of a torus of 2 inside", "multitorus:8",
     1, 2, TORI_WIRE_TORUS, 3},
    {"Section 4", "links of a torus of 8 on a torus line: none extra",
     "torus:8", 0, 8, TORI_WIRE_TORUS, 8},
};

struct row {
    const char *machine, *value;
    char partition[16];
    uint32_t links, printed;
};

#define AT(member) FIELD_AT (struct row, member)
static const struct field row_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the line", .title = "line"},
    {"partition", FIELD_CHARS, AT (partition), "the partition",
     .title = "partition"},
    {"value", FIELD_TEXT, AT (value), "what is counted", .title = "counted"},
    {"links", FIELD_UINT, AT (links), "links that the rule gives it",
     .title = "ours"},
    {"printed", FIELD_UINT, AT (printed), "the same as printed",
     .title = "printed"},
};
#undef AT
static const struct sheet row_sheet = {"lines", SHEET_FIELDS (row_fields)};

struct study {
    uint64_t torus, multitorus; /* links of a line */
    uint32_t pairs;             /* of Figure 10 that were wired */
    uint32_t alone;             /* of {0,1} and {6,7} on a torus line */
    uint32_t cubes;             /* tori of 4x4x4 on torus:8x8x8 */
    uint32_t rings, trails;     /* inside a partition, a link down */
};

static const struct field answer_fields[] = {
    {"lines", FIELD_LIST, .about = "partitions of lines", .group = &row_sheet},
    {"orders", FIELD_LIST, .about = "orders in which tori of a line can come",
     .group = &line_orders_sheet},
    {"faults", FIELD_LIST, .about = "partitions of a line with a link down",
     .group = &line_faults_sheet},
    {"rings_inside", FIELD_UINT, FIELD_AT (struct study, rings),
     "the same cases that have a ring of their own links alone"},
    {"trails_inside", FIELD_UINT, FIELD_AT (struct study, trails),
     "those that have a closed trail of them, which may pass a switch more "
     "than once; pairs to either side"},
};
static const struct sheet answer_sheet
    = {"lines", SHEET_FIELDS (answer_fields)};

static int count_link (void *arg, const tori_link *link)
{
    ++*(uint32_t *)arg;
    return 0;
}

static int fill_row (const struct given *is, struct row *row, tori_error *err)
{
    tori_box box = {.origin = {is->first},
                    .shape = {.ndims = 1, .size = {is->size}}};
    tori_machine *machine;
    if (tori_machine_parse (is->machine, &machine, err) < 0)
        return -1;
    *row = (struct row){is->machine, is->value, .printed = is->printed};
    snprintf (row->partition, sizeof row->partition,
              "%" PRIu32 " to %" PRIu32, is->first, is->first + is->size - 1);
    tori_wiring_each (machine, &box, is->wiring, count_link, &row->links);
    tori_machine_destroy (machine);
    return 0;
}

static int count_links (const char *name, uint64_t *ret_links,
                        tori_error *err)
{
    tori_machine *machine;
    if (tori_machine_parse (name, &machine, err) < 0)
        return -1;
    *ret_links = tori_machine_links (machine);
    tori_machine_destroy (machine);
    return 0;
}

/* Tori of two nodes each, one after the other: how many can be wired. */
static int wire_pairs (const char *line, const uint32_t first[], size_t n,
                       uint32_t *ret_pairs, tori_error *err)
{
    tori_machine *machine;
    tori_state *state = NULL;
    int status = tori_machine_parse (line, &machine, err);
    if (status < 0)
        return -1;
    status = tori_state_create (machine, &state, err);
    for (size_t i = 0; status == 0 && i < n; i++) {
        tori_box box = {.origin = {first[i]},
                        .shape = {.ndims = 1, .size = {2}}};
        *ret_pairs
            += tori_wiring_take (state, &box, TORI_WIRE_TORUS, NULL) == 0;
    }
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}

/* Figure 10: pairs 1 and 2, 5 and 6, then 3 and 4, all to the right. Figure 4:
 * pairs 0 and 1, then 6 and 7. */
static int wire_figures (struct study *study, tori_error *err)
{
    static const uint32_t multi[] = {1, 5, 3}, torus[] = {0, 6};
    return wire_pairs ("multitorus:8", multi, 3, &study->pairs, err) < 0
                   || wire_pairs ("torus:8", torus, 2, &study->alone, err) < 0
               ? -1
               : 0;
}

/* First fit, as the paper has it, until no torus of 4x4x4 fits. */
static int fill_cubes (const tori_machine *machine, struct study *study,
                       tori_error *err)
{
    tori_request request = {.shape = {.ndims = 3, .size = {4, 4, 4}},
                            .wiring = TORI_WIRE_TORUS};
    tori_state *state = NULL;
    tori_alloc *alloc = NULL;
    int status = tori_state_create (machine, &state, err);
    if (status == 0)
        status = tori_alloc_create (machine, TORI_ALLOC ("first-fit"), &alloc,
                                    err);
    while (status == 0) {
        tori_placement place = {0};
        tori_outcome outcome
            = tori_alloc_place (alloc, state, &request, &place, err);
        if (outcome != TORI_PLACED)
            break;
        status = tori_placement_hold (&place, state, err);
        tori_placement_clear (&place);
        study->cubes++;
    }
    tori_alloc_destroy (alloc);
    tori_state_destroy (state);
    return status;
}

static int place_cubes (struct study *study, tori_error *err)
{
    tori_machine *machine;
    int status;
    if (tori_machine_parse ("torus:8x8x8", &machine, err) < 0)
        return -1;
    status = fill_cubes (machine, study, err);
    tori_machine_destroy (machine);
    return status;
}

static int try_lines (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    struct line_orders *orders
        = paper_rows (run, 1, LINE_ORDERS, sizeof *orders, err);
    struct line_faults *faults
        = paper_rows (run, 2, LINE_FAULTS, sizeof *faults, err);
    line_rings_count (&study->rings, &study->trails);
    return orders && faults && line_orders_count (orders, err) == 0
                   && line_faults_count (faults, err) == 0
               ? 0
               : -1;
}

static int compute_study (struct paper_run *run, tori_error *err)
{
    struct study *study = run->study;
    struct row *row = paper_rows (run, 0, ROWS, sizeof *row, err);
    for (size_t i = 0; row && i < ROWS; i++)
        if (fill_row (&given[i], &row[i], err) < 0)
            return -1;
    return row && count_links ("torus:8", &study->torus, err) == 0
                   && count_links ("multitorus:8", &study->multitorus, err)
                          == 0
                   && wire_figures (study, err) == 0
                   && place_cubes (study, err) == 0
                   && try_lines (run, err) == 0
               ? 0
               : -1;
}

/* How many tori the paper's machine holds. */
static void judge_cubes (struct paper_run *run)
{
    const struct study *study = run->study;
    char why[VERDICT_TEXT];
    snprintf (why, sizeof why,
              "first fit places %" PRIu32 ", on %" PRIu32
              " %% of the machine",
              study->cubes, 100 * study->cubes * CUBE / NODES);
    verdict_compare (run,
                     &(struct published){"Section 4",
                                         "tori of 4x4x4 on torus:8x8x8",
                                         "only 2", why},
                     study->cubes == 2, "%" PRIu32, study->cubes);
}

static void judge_tori (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct line_orders *multi
        = (const struct line_orders *)run->list[1].row + 1;
    verdict_compare (run,
                     &(struct published){"Figure 4",
                                         "of {0,1} and {6,7}, tori that a "
                                         "torus line holds at once",
                                         "1", "others"},
                     study->alone == 1, "%" PRIu32, study->alone);
    verdict_compare (run,
                     &(struct published){"Figure 10",
                                         "pairs wired to the right: {1,2}, "
                                         "{5,6}, {3,4}",
                                         "3", "one lacks links"},
                     study->pairs == 3, "%" PRIu32, study->pairs);
    verdict_compare (run,
                     &(struct published){"Section 2.1, Theorem",
                                         "a new torus is wired beside all "
                                         "others of a line",
                                         "always", "some are not"},
                     multi->orders == multi->all_orders,
                     "%" PRIu32 " of %" PRIu32 " orders of %" PRIu32
                     " ways to cut a line of 8",
                     multi->orders, multi->all_orders, multi->all_ways);
}

static void judge_study (struct paper_run *run)
{
    const struct study *study = run->study;
    const struct row *row = run->list[0].row;
    for (size_t i = 0; i < ROWS; i++) {
        char printed[16];
        snprintf (printed, sizeof printed, "%" PRIu32, row[i].printed);
        verdict_compare (run,
                         &(struct published){given[i].where, row[i].value,
                                             printed, "the rule takes others"},
                         row[i].links == row[i].printed, "%" PRIu32,
                         row[i].links);
    }
    verdict_compare (run,
                     &(struct published){"Figure 3", "links of a torus line",
                                         "8", "others"},
                     study->torus == SIDE, "%" PRIu64, study->torus);
    verdict_compare (run,
                     &(struct published){"Figure 5",
                                         "links of a multi-torus line, 2N - 1",
                                         "15", "others"},
                     study->multitorus == 2 * SIDE - 1, "%" PRIu64,
                     study->multitorus);
    judge_tori (run);
    judge_cubes (run);
    verdict_draw (run,
                  &(struct published){"Figure 1",
                                      "an allocation unit and three switches",
                                      "-"},
                  "tori wire --machine multitorus:8x8x8 --partitions FILE");
    verdict_refuse (run,
                    &(struct published){"Figure 11", "a figure that no text names", "-",
                                        "it is not in our copy of the paper"},
                    "-");
}

static void print_study (struct paper_run *run)
{
    const struct study *study = run->study;
    paper_say (run,
               "Links that partitions of a line of 8 take by the rules of "
               "section 2.1 (tori wire lists them).\n");
    paper_table (run, 0);
    paper_say (run,
               "\nThe ways to cut a line of 8 into intervals, and the orders "
               "in which their tori can come. Each is wired beside those "
               "before it, by any links that are free.\n");
    paper_table (run, 1);
    paper_say (run,
               "\nEvery partition of two nodes or more of multitorus:8, with "
               "every link down: how many can be wired.\n");
    paper_table (run, 2);
    paper_say (run,
               "\nWithout links outside the partition, %" PRIu32
               " tori have a ring that passes every switch once, and %" PRIu32
               " a closed trail that passes switches as often as needed, "
               "pairs of inner nodes to either side.",
               study->rings, study->trails);
}

const struct paper paper_lines = {
    .name = "lines",
    .citation = paper_aridor_2004,
    .what = "Figures 2-10: the links that partitions of a line take, and how "
            "many tori fit",
    .answer = &answer_sheet,
    .size = sizeof (struct study),
    .compute = compute_study,
    .judge = judge_study,
    .print = print_study,
};
