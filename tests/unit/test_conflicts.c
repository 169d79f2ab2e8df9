/* Every link that partitions have in common is found, against sets of links
 * that are written down from the definitions. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "conflicts.h"
#include "naive_alloc.h"
#include "placement.h"

enum { PARTS = 12 };

struct world {
    tori_machine *machine;
    tori_state *state;
    struct naive *naive;
    struct partition parts[PARTS];
    struct site site;
};

/* Boxes may overlap: that is for others to refuse. */
static void make_world (struct world *w, struct rng *rng)
{
    w->machine = random_machine (rng, 3, 60);
    w->state = make_state (w->machine);
    w->naive = naive_create (w->machine);
    for (uint32_t n = between (rng, 0, 3); w->naive->nlinks > 0 && n > 0; n--)
        naive_disturb_link (w->naive, w->state, rng);
    w->site = (struct site){.machine = w->machine,
                            .state = w->state,
                            .partition = w->parts,
                            .partitions = between (rng, 0, PARTS)};
    for (size_t i = 0; i < w->site.partitions; i++) {
        tori_box box = random_box (rng, w->machine, 4, chance (rng, 20));
        w->parts[i] = (struct partition){
            i + 1, placement_of_box (&box, (tori_wiring)between (rng, 0, 2))};
    }
}

static void clear_world (struct world *w)
{
    for (size_t i = 0; i < w->site.partitions; i++)
        tori_placement_clear (&w->parts[i].place);
    naive_destroy (w->naive);
    tori_state_destroy (w->state);
    tori_machine_destroy (w->machine);
}

/* The links of a partition as the definitions have them, or of one that goes
 * around links which are down, its own: a flag a link. Returns how many there
 * are, or -1. */
static int links_of (const struct world *w, size_t i, bool has[])
{
    int n = naive_place_links (w->naive, &w->parts[i].place,
                               w->naive->scratch);
    memset (has, 0, w->naive->nlinks * sizeof *has);
    for (int k = 0; k < n; k++)
        has[w->naive->scratch[k]] = true;
    return n;
}

static const struct conflict *find (const struct conflicts *list, size_t i,
                                    size_t with, bool down)
{
    const struct conflict *found = NULL;
    for (size_t k = 0; k < list->n; k++) {
        const struct conflict *c = &list->item[k];
        if (c->partition != i || c->down != down || (!down && c->with != with))
            continue;
        assert_null (found);
        found = c;
    }
    return found;
}

/* Two sets have a link in common if and only if there is a conflict, and it
 * names one of them. */
static void expect_met (const struct world *w, const struct conflict *conflict,
                        const bool a[], const bool b[])
{
    bool common = false;
    for (size_t k = 0; k < w->naive->nlinks; k++)
        common = common || (a[k] && b[k]);
    assert_int_equal (conflict != NULL, common);
    if (common) {
        size_t k = naive_number (w->naive, &conflict->link);
        assert_true (a[k] && b[k]);
        assert_false (conflict->never);
    }
}

static void check_partition (const struct world *w, size_t i,
                             const struct conflicts *list)
{
    size_t nlinks = w->naive->nlinks, expected = 0;
    bool *own = make_array (nlinks, sizeof *own);
    bool *other = make_array (nlinks, sizeof *other);
    bool never = links_of (w, i, own) < 0;
    const struct conflict *c;
    for (size_t j = 0; j < i && !never; j++) {
        links_of (w, j, other);
        c = find (list, i, j, false);
        expect_met (w, c, own, other);
        expected += c != NULL;
    }
    for (size_t k = 0; k < nlinks; k++)
        other[k] = w->naive->links[k].down;
    c = find (list, i, 0, true);
    expect_met (w, c, own, other);
    expected += (c != NULL) + never;
    for (size_t k = 0; k < list->n; k++)
        if (list->item[k].partition == i) {
            assert_int_equal (list->item[k].never, never);
            expected--;
        }
    assert_int_equal (expected, 0);
    free (own);
    free (other);
}

/* The position of the link among those of its partition. */
struct position {
    tori_link link;
    size_t at;
};

static int seek (void *arg, const tori_link *link)
{
    struct position *p = arg;
    p->at++;
    return link->dim == p->link.dim && link->layer == p->link.layer
           && link->slot == p->link.slot;
}

static size_t position_of (const struct world *w, const struct conflict *c)
{
    const struct partition *part = &w->parts[c->partition];
    struct position p = {.link = c->link};
    tori_wiring_each (w->machine, &part->place.box, part->place.wiring, seek,
                      &p);
    return p.at;
}

/* If boxes neither wrap nor overlap, it is the first that both have. */
struct first {
    const struct world *world;
    const struct partition *other;
    size_t at;
};

static int stop_at_common (void *arg, const tori_link *link)
{
    struct first *first = arg;
    const struct naive *naive = first->world->naive;
    int n = naive_place_links (naive, &first->other->place, naive->scratch);
    size_t k = naive_number (naive, link);
    first->at++;
    while (n > 0 && naive->scratch[n - 1] != k)
        n--;
    return n > 0;
}

static void check_first (const struct world *w, const struct conflict *c)
{
    const struct partition *part = &w->parts[c->partition];
    struct first first = {w, &w->parts[c->with], 0};
    if (c->down || c->never || tori_box_wraps (w->machine, &part->place.box)
        || tori_box_wraps (w->machine, &first.other->place.box)
        || tori_box_overlap (w->machine, &part->place.box,
                             &first.other->place.box))
        return;
    tori_wiring_each (w->machine, &part->place.box, part->place.wiring,
                      stop_at_common, &first);
    assert_int_equal (position_of (w, c), first.at);
}

static void check_order (const struct world *w, const struct conflicts *list)
{
    for (size_t k = 1; k < list->n; k++) {
        const struct conflict *a = &list->item[k - 1], *b = &list->item[k];
        assert_true (a->partition <= b->partition);
        if (a->partition == b->partition)
            assert_true (position_of (w, a) <= position_of (w, b));
    }
}

TEST (every_conflict)
{
    struct rng rng = seeded (7);
    size_t met = 0, down = 0, never = 0, around = 0;
    for (size_t n = random_cases (2000); n > 0; n--) {
        struct world w;
        struct conflicts list;
        make_world (&w, &rng);
        assert_int_equal (conflicts_find (&w.site, &list, NULL), 0);
        for (size_t i = 0; i < w.site.partitions; i++)
            check_partition (&w, i, &list);
        for (size_t i = 0; i < w.site.partitions; i++)
            around += w.parts[i].place.pieces != NULL;
        check_order (&w, &list);
        for (size_t k = 0; k < list.n; k++) {
            check_first (&w, &list.item[k]);
            never += list.item[k].never;
            down += list.item[k].down;
            met += !list.item[k].never && !list.item[k].down;
        }
        conflicts_clear (&list);
        clear_world (&w);
    }
    assert_true (met > 100 && down > 20 && never > 20
                 && around > random_cases (20));
}
