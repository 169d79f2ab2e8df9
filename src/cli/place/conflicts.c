#include "conflicts.h"

#include <stdlib.h>

#include "array.h"
#include "fieldrows.h"
#include "grid.h"
#include "links.h"
#include "placement.h"
#include "taking.h"
#include "forecast_rows.h"

/* ---- conflicts ---- */

static int add_conflict (struct conflicts *list,
                         const struct conflict *conflict, tori_error *err)
{
    struct conflict *grown =
        array_room (list->item, &list->room, list->n + 1, sizeof *grown);
    if (!grown)
        return tori_error_nomem (err);
    list->item = grown;
    list->item[list->n++] = *conflict;
    return 0;
}

/* Order by the link, as in tori_wiring_each, then by the other partition. */
enum { KEY = 5 };

static void key_of (const tori_machine *machine, const struct conflict *c,
                    uint64_t key[KEY])
{
    uint32_t coords[TORI_MAX_DIMS];
    tori_machine_coords (machine, c->link.slot, coords);
    coords[c->link.dim] = 0;
    key[0] = (uint64_t)c->link.dim;
    key[1] = tori_machine_id (machine, coords);
    key[2] = (uint64_t)c->link.layer;
    key[3] = c->link.slot;
    key[4] = c->down ? 0 : c->with + 1;
}

static int compare_conflicts (const void *a, const void *b, void *arg)
{
    uint64_t x[KEY], y[KEY];
    int i = 0;
    key_of (arg, a, x);
    key_of (arg, b, y);
    while (i < KEY - 1 && x[i] == y[i])
        i++;
    return x[i] < y[i] ? -1 : x[i] > y[i];
}

/* The first link of a box that is down, or that another placement has. */
struct failed {
    const struct site *site;
    const tori_placement *other; /* or NULL */
    tori_link link;
};

static int stop_at_failed (void *arg, const tori_link *link)
{
    struct failed *failed = arg;
    const struct site *site = failed->site;
    failed->link = *link;
    return failed->other ? tori_placement_uses_link (failed->other,
                                                     site->machine, link)
                         : tori_state_link_down (site->state, link);
}

/* Whether a place needs a link that a partition has, and which link. For links
 * given by the wiring rule there is a fast test. */
static bool shares_link (const struct site *site, const tori_placement *place,
                         const tori_placement *other, tori_link *ret_link)
{
    struct failed failed = {.site = site, .other = other};
    const tori_link *links;
    if (placement_listed (other, &links) == 0)
        return tori_wiring_conflict (site->machine, &place->box,
                                     place->wiring, &other->box,
                                     other->wiring, ret_link);
    if (!tori_wiring_each (site->machine, &place->box, place->wiring,
                           stop_at_failed, &failed))
        return false;
    *ret_link = failed.link;
    return true;
}

/* The conflicts of a place with the first n partitions, unsorted. The slices
 * of a pod need no link in common, so the first box is enough. */
static int collect_conflicts (const struct site *site,
                              const tori_placement *place, size_t n,
                              struct conflicts *list, tori_error *err)
{
    struct failed failed = {.site = site};
    struct conflict conflict = {.partition = n};
    if (tori_placement_each_link (place, site->machine, stop_at_failed,
                                  &failed)) {
        conflict.down = true;
        conflict.link = failed.link;
        if (add_conflict (list, &conflict, err) < 0)
            return -1;
    }
    conflict.down = false;
    for (conflict.with = 0; conflict.with < n; conflict.with++) {
        if (shares_link (site, place, &site->partition[conflict.with].place,
                         &conflict.link)
            && add_conflict (list, &conflict, err) < 0)
            return -1;
    }
    return 0;
}

/* Whether its links are free, or it can be wired around those that are
 * down. */
static bool can_wire (const struct site *site, const tori_placement *place)
{
    return placement_links_free (place, site->state)
           || (place->nboxes == 1
               && tori_wiring_free (site->state, &place->box, place->wiring));
}

/* A place that can be wired has no conflicts, so only other places are
 * compared with every partition. */
static int find_conflicts (const struct site *site,
                           const tori_placement *place, size_t n,
                           struct conflicts *list, tori_error *err)
{
    const struct conflict never = {.partition = n, .never = true};
    size_t before = list->n;
    if (can_wire (site, place))
        return 0;
    if (!placement_wirable (place, site->machine))
        return add_conflict (list, &never, err);
    if (collect_conflicts (site, place, n, list, err) < 0)
        return -1;
    if (list->n > before) /* a link that is down belongs to no partition */
        qsort_r (list->item + before, list->n - before, sizeof *list->item,
                 compare_conflicts, site->machine);
    return 0;
}

int conflicts_find (struct site *site, struct conflicts *ret_conflicts,
                    tori_error *err)
{
    *ret_conflicts = (struct conflicts){0};
    for (size_t i = 0; i < site->partitions; i++) {
        tori_placement *place = &site->partition[i].place;
        size_t before = ret_conflicts->n;
        if (find_conflicts (site, place, i, ret_conflicts, err) < 0
            || (ret_conflicts->n == before
                && tori_placement_wire (place, site->state, err) < 0)
            || placement_block (place, site->state, err) < 0)
            return -1;
    }
    return 0;
}

int conflicts_of_place (const struct site *site, const tori_placement *place,
                        struct conflicts *ret_conflicts, tori_error *err)
{
    *ret_conflicts = (struct conflicts){0};
    return find_conflicts (site, place, site->partitions, ret_conflicts, err);
}

void conflicts_clear (struct conflicts *conflicts)
{
    free (conflicts->item);
    *conflicts = (struct conflicts){0};
}

void conflict_format (const struct site *site, const struct conflict *conflict,
                      char text[CONFLICT_TEXT])
{
    char link[TORI_LINK_TEXT];
    if (conflict->never) {
        snprintf (text, CONFLICT_TEXT, "%s", wiring_never (site->machine));
        return;
    }
    tori_link_format (site->machine, &conflict->link, link);
    if (conflict->down)
        snprintf (text, CONFLICT_TEXT, "link %s is down", link);
    else
        snprintf (text, CONFLICT_TEXT, "link %s is taken, see %.400s:%zu",
                  link, site->files->partitions,
                  site->partition[conflict->with].line);
}

/* ---- hits ---- */

/* The nodes of a partition that are down: how many, and which is the first.
 * With an emitter they are also written. */
static size_t down_in_box (const struct site *site, const tori_box *box,
                           struct emit *e, uint32_t *ret_first)
{
    struct runs rows = runs_of_box (site->machine, box);
    uint32_t coords[TORI_MAX_DIMS];
    uint64_t at, count;
    size_t n = 0;
    while (runs_next (&rows, &at, &count))
        for (; count > 0; count--, at++) {
            if (tori_state_node (site->state, (uint32_t)at) != TORI_NODE_DOWN)
                continue;
            if (n++ == 0)
                *ret_first = (uint32_t)at;
            tori_machine_coords (site->machine, (uint32_t)at, coords);
            if (e)
                emit_counts (e, NULL, coords, (size_t)box->shape.ndims);
        }
    return n;
}

static size_t down_nodes (const struct site *site, const tori_placement *place,
                          struct emit *e, uint32_t *ret_first)
{
    uint32_t other;
    size_t n = 0;
    for (size_t i = 0; i < place->nboxes; i++)
        n += down_in_box (site, tori_placement_box (place, i), e,
                          n ? &other : ret_first);
    return n;
}

/* The same for its links. */
struct broken {
    const struct site *site;
    struct emit *e;
    size_t n;
    tori_link first;
};

static int take_broken (void *arg, const tori_link *link)
{
    struct broken *broken = arg;
    if (!tori_state_link_down (broken->site->state, link))
        return 0;
    if (broken->n++ == 0)
        broken->first = *link;
    if (broken->e)
        emit_link (broken->e, broken->site->machine, link);
    return 0;
}

static struct broken down_links (const struct site *site,
                                 const struct partition *p, struct emit *e)
{
    struct broken broken = {.site = site, .e = e};
    if (!placement_links_up (&p->place, site->state))
        tori_placement_each_link (&p->place, site->machine, take_broken,
                                  &broken);
    return broken;
}

/* "node 1,2 is down", or how many are. */
static void print_down (const char *before, const char *what, size_t n,
                        const char *first, FILE *out)
{
    if (n == 1)
        fprintf (out, "%s %s %s is down", before, what, first);
    else if (n > 1)
        fprintf (out, "%s %zu %ss are down, the first %s", before, n, what,
                 first);
}

void hits_print (const struct site *site, FILE *out)
{
    for (size_t i = 0; i < site->partitions; i++) {
        const struct partition *p = &site->partition[i];
        uint32_t first = 0;
        size_t nodes = down_nodes (site, &p->place, NULL, &first);
        struct broken broken = down_links (site, p, NULL);
        char box[PLACE_TEXT_MAX], node[TORI_TEXT_MAX];
        char link[TORI_LINK_TEXT] = "", wiring[TORI_TEXT_MAX];
        if (nodes + broken.n == 0)
            continue;
        place_format (site->machine, &p->place, box);
        tori_wiring_format (site->machine, p->place.wiring, wiring);
        tori_node_format (site->machine, first, node);
        if (broken.n > 0)
            tori_link_format (site->machine, &broken.first, link);
        fprintf (out, "hit       %s:%zu: %s %s", site->files->partitions,
                 p->line, box, wiring);
        print_down (":", "node", nodes, node, out);
        print_down (nodes ? ";" : ":", "link", broken.n, link, out);
        fputc ('\n', out);
    }
}

static const tori_placement *place_of (const struct partition_row *row)
{
    return &row->site->partition[row->i].place;
}

static void emit_box (struct emit *e, const struct field *field,
                      const void *row)
{
    char text[PLACE_TEXT_MAX];
    place_format (NULL, place_of (row), text);
    emit_text (e, field->name, text);
}

static void emit_wiring (struct emit *e, const struct field *field,
                         const void *arg)
{
    const struct partition_row *row = arg;
    char text[TORI_TEXT_MAX];
    tori_wiring_format (row->site->machine, place_of (row)->wiring, text);
    emit_text (e, field->name, text);
}

static const struct field partition_row_fields[] = {
    {"box", FIELD_BY, .about = "its box", .by = emit_box},
    {"wiring", FIELD_BY, .about = "its wiring", .by = emit_wiring},
};
const struct sheet partition_row_sheet = {"partition",
                                          SHEET_FIELDS (partition_row_fields)};

static void emit_down_nodes (struct emit *e, const struct field *field,
                             const void *arg)
{
    const struct partition_row *row = arg;
    uint32_t first;
    emit_open (e, field->name, '[');
    (void)down_nodes (row->site, place_of (row), e, &first);
    emit_close (e, ']');
}

static void emit_down_links (struct emit *e, const struct field *field,
                             const void *arg)
{
    const struct partition_row *row = arg;
    emit_open (e, field->name, '[');
    (void)down_links (row->site, &row->site->partition[row->i], e);
    emit_close (e, ']');
}

static const struct field hit_fields[] = {
    {"partition", FIELD_SIZE, FIELD_AT (struct partition_row, i),
     "which one, counted from 0, in the order of the file"},
    BESIDE (partition_row),
    {"nodes", FIELD_LIST, .about = "nodes of it that are down",
     .by = emit_down_nodes},
    {"links", FIELD_LIST, .about = "links of it that are down",
     .group = &link_sheet, .by = emit_down_links},
};
const struct sheet hit_sheet = {"hit", SHEET_FIELDS (hit_fields)};

static bool is_hit (const struct partition_row *row)
{
    uint32_t first;
    return down_nodes (row->site, place_of (row), NULL, &first) > 0
           || !placement_links_up (place_of (row), row->site->state);
}

void hits_emit (struct emit *e, const struct field *field, const void *arg)
{
    struct partition_row row = {
        (const void *)((const char *)arg + field->offset)};
    bool open = false;
    for (; row.i < row.site->partitions; row.i++) {
        if (!is_hit (&row))
            continue;
        if (!open)
            emit_open (e, field->name, '[');
        open = true;
        sheet_emit_object (e, NULL, field->group, &row);
    }
    if (open)
        emit_close (e, ']');
}
