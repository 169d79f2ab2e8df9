#include "line_cases.h"

#include <stdbool.h>

#include <tori/alloc.h>
#include <tori/wiring.h>

enum { SIDE = 8, CUTS = SIDE - 1, MOST_TORI = SIDE / 2 };

#define AT(member) FIELD_AT (struct line_orders, member)
static const struct field order_fields[] = {
    {"machine", FIELD_TEXT, AT (machine), "the line", .title = "line"},
    {"ways", FIELD_UINT, AT (ways),
     "ways to cut the line that can be wired in every order",
     .title = "ways wired"},
    {"all_ways", FIELD_UINT, AT (all_ways), "ways to cut the line",
     .title = "of"},
    {"orders", FIELD_UINT, AT (orders), "orders that can be wired",
     .title = "orders wired"},
    {"all_orders", FIELD_UINT, AT (all_orders), "orders of all ways",
     .title = "of"},
};
#undef AT
const struct sheet line_orders_sheet
    = {"orders", SHEET_FIELDS (order_fields)};

#define AT(member) FIELD_AT (struct line_faults, member)
static const struct field fault_fields[] = {
    {"rule", FIELD_TEXT, AT (rule), "how partitions are wired",
     .title = "wired by"},
    {"cases", FIELD_UINT, AT (cases), "partitions times links",
     .title = "cases"},
    {"tori", FIELD_UINT, AT (tori), "cases in which a torus is wired",
     .title = "tori"},
    {"meshes", FIELD_UINT, AT (meshes), "cases in which a mesh is wired",
     .title = "meshes"},
};
#undef AT
const struct sheet line_faults_sheet
    = {"faults", SHEET_FIELDS (fault_fields)};

static tori_box make_box (uint32_t first, uint32_t size)
{
    return (tori_box){.origin = {first},
                      .shape = {.ndims = 1, .size = {size}}};
}

/* Hold a box, wired by whatever links are free. 1 with a placement to drop, 0
 * if there is no way. */
static int hold_box (const tori_box *box, tori_wiring wiring,
                     tori_state *state, tori_placement *ret_place,
                     tori_error *err)
{
    if (tori_placement_of_boxes (box, 1, wiring, ret_place, err) < 0)
        return -1;
    if (tori_placement_wire (ret_place, state, err) == 0
        && tori_placement_hold (ret_place, state, err) == 0)
        return 1;
    tori_placement_clear (ret_place);
    return err->status == TORI_NOT_NOW || err->status == TORI_NEVER ? 0 : -1;
}

static void drop_box (tori_placement *place, tori_state *state)
{
    tori_placement_release (place, state);
    tori_placement_clear (place);
}

/* ---- orders ---- */

struct cut {
    tori_box torus[MOST_TORI];
    uint32_t n;
};

/* Bit i of `cuts` cuts between nodes i and i + 1. */
static struct cut cut_line (uint32_t cuts)
{
    struct cut cut = {.n = 0};
    uint32_t first = 0;
    for (uint32_t i = 0; i < SIDE; i++) {
        if (i < CUTS && !(cuts >> i & 1))
            continue;
        if (i > first)
            cut.torus[cut.n++] = make_box (first, i + 1 - first);
        first = i + 1;
    }
    return cut;
}

/* Count the orders of the tori that are not `placed` yet. */
static int count_orders (const struct cut *cut, uint32_t placed,
                         tori_state *state, uint32_t *orders, tori_error *err)
{
    int status = 0;
    *orders += placed == (UINT32_C (1) << cut->n) - 1;
    for (uint32_t i = 0; status == 0 && i < cut->n; i++) {
        tori_placement place;
        if (placed >> i & 1)
            continue;
        status = hold_box (&cut->torus[i], TORI_WIRE_TORUS, state, &place,
                           err);
        if (status <= 0)
            continue;
        status = count_orders (cut, placed | UINT32_C (1) << i, state, orders,
                               err);
        drop_box (&place, state);
    }
    return status;
}

static int try_ways (tori_state *state, struct line_orders *row,
                     tori_error *err)
{
    static const uint32_t factorial[MOST_TORI + 1] = {1, 1, 2, 6, 24};
    for (uint32_t cuts = 0; cuts < UINT32_C (1) << CUTS; cuts++) {
        struct cut cut = cut_line (cuts);
        uint32_t orders = 0;
        if (count_orders (&cut, 0, state, &orders, err) < 0)
            return -1;
        row->all_ways++;
        row->ways += orders == factorial[cut.n];
        row->all_orders += factorial[cut.n];
        row->orders += orders;
    }
    return 0;
}

static int count_line (struct line_orders *row, tori_error *err)
{
    tori_machine *machine;
    tori_state *state = NULL;
    int status = tori_machine_parse (row->machine, &machine, err);
    if (status < 0)
        return -1;
    status = tori_state_create (machine, &state, err);
    if (status == 0)
        status = try_ways (state, row, err);
    tori_state_destroy (state);
    tori_machine_destroy (machine);
    return status;
}

int line_orders_count (struct line_orders row[LINE_ORDERS], tori_error *err)
{
    static const char *const machines[LINE_ORDERS]
        = {"torus:8", "multitorus:8", "multitorus-left:8",
           "multitorus-facing:8", "torus:8+1-2+5-6+0-3+0-3+4-7+4-7"};
    for (size_t i = 0; i < LINE_ORDERS; i++) {
        row[i] = (struct line_orders){.machine = machines[i]};
        if (count_line (&row[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- links that are down ---- */

enum { RULE, EITHER_SIDE, AROUND };

static int is_link (void *arg, const tori_link *link)
{
    const tori_link *down = arg;
    return link->layer == down->layer && link->slot == down->slot;
}

/* Whether the rule of a machine does without a link. */
static bool spares_link (const tori_machine *machine, const tori_box *box,
                         tori_wiring wiring, tori_link link)
{
    return tori_wiring_each (machine, box, wiring, is_link, &link) == 0;
}

struct lines {
    const tori_machine *right, *left;
    tori_state *state; /* of `right`, with the link down */
};

/* Count a case for each rule that wires it. */
static int count_case (const struct lines *lines, const tori_box *box,
                       tori_wiring wiring, tori_link link,
                       uint32_t *count[LINE_FAULTS], tori_error *err)
{
    bool right = spares_link (lines->right, box, wiring, link);
    bool left = spares_link (lines->left, box, wiring, link);
    tori_placement place;
    int wired = hold_box (box, wiring, lines->state, &place, err);
    if (wired > 0)
        drop_box (&place, lines->state);
    *count[RULE] += right;
    *count[EITHER_SIDE] += right || left;
    *count[AROUND] += wired > 0;
    return wired < 0 ? -1 : 0;
}

static int count_box (const struct lines *lines, tori_link link,
                      const tori_box *box, struct line_faults row[LINE_FAULTS],
                      tori_error *err)
{
    uint32_t *tori[LINE_FAULTS], *meshes[LINE_FAULTS];
    for (size_t i = 0; i < LINE_FAULTS; i++) {
        tori[i] = &row[i].tori;
        meshes[i] = &row[i].meshes;
        row[i].cases++;
    }
    return count_case (lines, box, TORI_WIRE_TORUS, link, tori, err) < 0
                   || count_case (lines, box, TORI_WIRE_MESH, link, meshes,
                                  err)
                          < 0
               ? -1
               : 0;
}

static int count_link_down (const struct lines *lines, tori_link link,
                            struct line_faults row[LINE_FAULTS],
                            tori_error *err)
{
    int status = tori_state_set_link_down (lines->state, &link, true, err);
    for (uint32_t first = 0; first < SIDE; first++)
        for (uint32_t size = 2; status == 0 && first + size <= SIDE; size++) {
            tori_box box = make_box (first, size);
            status = count_box (lines, link, &box, row, err);
        }
    return status < 0
               ? -1
               : tori_state_set_link_down (lines->state, &link, false, err);
}

static int count_links_down (const struct lines *lines,
                             struct line_faults row[LINE_FAULTS],
                             tori_error *err)
{
    int status = 0;
    for (uint32_t i = 0; status == 0 && i < 2 * SIDE; i++) {
        tori_link link = {0, i < SIDE ? TORI_NEAR : TORI_FAR, i % SIDE};
        if (tori_link_exists (lines->right, &link))
            status = count_link_down (lines, link, row, err);
    }
    return status;
}

int line_faults_count (struct line_faults row[LINE_FAULTS], tori_error *err)
{
    static const char *const rules[LINE_FAULTS]
        = {"the rules", "the rules, pairs to either side",
           "paths through any free links"};
    tori_machine *right = NULL, *left = NULL;
    struct lines lines = {0};
    int status = tori_machine_parse ("multitorus:8", &right, err);
    for (size_t i = 0; i < LINE_FAULTS; i++)
        row[i] = (struct line_faults){.rule = rules[i]};
    if (status == 0)
        status = tori_machine_parse ("multitorus-left:8", &left, err);
    if (status == 0)
        status = tori_state_create (right, &lines.state, err);
    lines.right = right;
    lines.left = left;
    if (status == 0)
        status = count_links_down (&lines, row, err);
    tori_state_destroy (lines.state);
    tori_machine_destroy (left);
    tori_machine_destroy (right);
    return status;
}

/* ---- rings inside a partition ---- */

/* The links of a line of 8: along it, and folded. */
enum { LINE_ENDS = 2 * SIDE - 1 };
static const uint8_t line_ends[LINE_ENDS][2]
    = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7}, {0, 1},
       {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 6}, {5, 7}, {6, 7}};

/* Whether links join nodes `first` to `last` to a closed trail: each node has
 * an even number of them, at the most `most`, and all are connected. */
static bool is_trail (unsigned links, int first, int last, int most)
{
    int degree[SIDE] = {0};
    unsigned reached = 1U << first, all = (2U << last) - (1U << first);
    for (int round = 0; round < SIDE; round++)
        for (int i = 0; i < LINE_ENDS; i++) {
            unsigned ends = 1U << line_ends[i][0] | 1U << line_ends[i][1];
            if (links >> i & 1 && ends & reached)
                reached |= ends;
        }
    for (int i = 0; i < LINE_ENDS; i++)
        for (int e = 0; e < 2 && links >> i & 1; e++)
            degree[line_ends[i][e]]++;
    for (int v = first; v <= last; v++)
        if (degree[v] < 2 || degree[v] % 2 || degree[v] > most)
            return false;
    return reached == all;
}

/* Whether there is such a trail, with a link down. */
static bool has_trail (int first, int last, int down, int most)
{
    unsigned inside = 0;
    for (int i = 0; i < LINE_ENDS; i++)
        if (i != down && line_ends[i][0] >= first && line_ends[i][1] <= last)
            inside |= 1U << i;
    for (unsigned set = inside; set; set = (set - 1) & inside)
        if (is_trail (set, first, last, most))
            return true;
    return false;
}

void line_rings_count (uint32_t *ret_rings, uint32_t *ret_trails)
{
    enum { ANY = LINE_ENDS };
    *ret_rings = *ret_trails = 0;
    for (int first = 0; first < SIDE; first++)
        for (int last = first + 1; last < SIDE; last++)
            for (int down = 0; down < LINE_ENDS; down++) {
                bool pair = last == first + 1 && first > 0 && last < SIDE - 1;
                *ret_rings += has_trail (first, last, down, 2);
                *ret_trails
                    += has_trail (first, last, down, ANY)
                       || (pair
                           && (has_trail (first - 1, last, down, ANY)
                               || has_trail (first, last + 1, down, ANY)));
            }
}
