#include "waiting.h"

#include <stdlib.h>

#include "array.h"

void lanes_init (struct lanes *lanes)
{
    *lanes = (struct lanes){.head = NO_LANE};
}

void lanes_clear (struct lanes *lanes)
{
    for (size_t i = 0; i < lanes->n; i++)
        queue_clear (&lanes->all[i].queue);
    free (lanes->all);
    free (lanes->waiting);
    free (lanes->open);
    lanes_init (lanes);
}

/* ---- the heap of open lanes ---- */

static const struct entry *next_of (const struct lanes *lanes, uint32_t lane)
{
    return lanes_at (lanes, lane, lanes->all[lane].settled);
}

static void sift_down (struct lanes *lanes, size_t at)
{
    uint32_t lane = lanes->open[at];
    const struct entry *entry = next_of (lanes, lane);
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= lanes->nopen)
            break;
        if (child + 1 < lanes->nopen
            && entry_before (next_of (lanes, lanes->open[child + 1]),
                             next_of (lanes, lanes->open[child])))
            child++;
        if (!entry_before (next_of (lanes, lanes->open[child]), entry))
            break;
        lanes->open[at] = lanes->open[child];
        at = child;
    }
    lanes->open[at] = lane;
}

static bool is_exhausted (const struct lane *lane)
{
    return lane->settled == lane->queue.n;
}

static void make_heap (struct lanes *lanes)
{
    size_t kept = 0;
    for (size_t i = 0; i < lanes->nopen; i++) {
        struct lane *lane = &lanes->all[lanes->open[i]];
        lane->open = !is_exhausted (lane);
        if (lane->open)
            lanes->open[kept++] = lanes->open[i];
    }
    lanes->nopen = kept;
    for (size_t i = kept / 2; i-- > 0;)
        sift_down (lanes, i);
    lanes->ordered = true;
}

static void open_lane (struct lanes *lanes, uint32_t lane)
{
    if (!lanes->all[lane].open)
        lanes->open[lanes->nopen++] = lane;
    lanes->all[lane].open = true;
    lanes->ordered = false;
}

uint32_t lanes_next (struct lanes *lanes)
{
    if (!lanes->ordered)
        make_heap (lanes);
    if (lanes->nopen > 0 && is_exhausted (&lanes->all[lanes->open[0]])) {
        lanes->all[lanes->open[0]].open = false;
        lanes->open[0] = lanes->open[--lanes->nopen];
    }
    if (lanes->nopen == 0)
        return NO_LANE;
    sift_down (lanes, 0);
    return lanes->open[0];
}

bool lanes_begin (struct lanes *lanes,
                  bool (*hopeful) (const void *arg, uint32_t lane),
                  const void *arg)
{
    if (!lanes->stale)
        return false;
    for (size_t i = 0; i < lanes->nopen; i++)
        lanes->all[lanes->open[i]].open = false;
    lanes->nopen = 0;
    for (size_t i = 0; i < lanes->nwaiting; i++) {
        uint32_t number = lanes->waiting[i];
        struct lane *lane = &lanes->all[number];
        lane->settled = 0;
        if (hopeful (arg, number))
            open_lane (lanes, number);
        else
            lane->settled = lane->queue.n;
    }
    lanes->stale = false;
    return true;
}

void lanes_bar (struct lanes *lanes,
                bool (*barred) (void *arg, uint32_t lane), void *arg)
{
    for (size_t i = 0; i < lanes->nopen; i++) {
        struct lane *lane = &lanes->all[lanes->open[i]];
        if (barred (arg, lanes->open[i]))
            lane->settled = lane->queue.n;
    }
    lanes->ordered = false;
}

/* ---- entries ---- */

/* Make lanes up to this one, and room for all in both lists. */
static int need_lane (struct lanes *lanes, uint32_t lane, tori_error *err)
{
    size_t n = (size_t)lane + 1, room = lanes->room;
    uint32_t *waiting, *open;
    struct lane *all;
    if (n <= lanes->n)
        return 0;
    if (n > room)
        room = n < 2 * room ? 2 * room : n;
    waiting = realloc (lanes->waiting, room * sizeof *waiting);
    if (!waiting)
        return tori_error_nomem (err);
    lanes->waiting = waiting;
    open = realloc (lanes->open, room * sizeof *open);
    if (!open)
        return tori_error_nomem (err);
    lanes->open = open;
    all = realloc (lanes->all, room * sizeof *all);
    if (!all)
        return tori_error_nomem (err);
    lanes->all = all;
    lanes->room = room;
    for (; lanes->n < n; lanes->n++)
        all[lanes->n] = (struct lane){0};
    return 0;
}

int lanes_room (struct lanes *lanes, uint32_t lane, size_t n, tori_error *err)
{
    return need_lane (lanes, lane, err) < 0
               ? -1
               : queue_room (&lanes->all[lane].queue, n, err);
}

int lanes_insert (struct lanes *lanes, uint32_t number, struct entry entry,
                  size_t *ret_at, tori_error *err)
{
    const struct entry *head = lanes_head (lanes);
    bool first = !head || entry_before (&entry, head);
    struct lane *lane;
    if (need_lane (lanes, number, err) < 0)
        return -1;
    lane = &lanes->all[number];
    if (queue_insert (&lane->queue, entry, ret_at, err) < 0)
        return -1;
    if (lane->queue.n == 1 || entry.length < lane->shortest)
        lane->shortest = entry.length;
    if (lane->queue.n == 1) {
        lane->listed = lanes->nwaiting;
        lane->settled = 0;
        lanes->waiting[lanes->nwaiting++] = number;
    }
    if (*ret_at < lane->settled)
        lane->settled = *ret_at;
    lanes->entries++;
    open_lane (lanes, number);
    if (first)
        lanes->head = number;
    return 0;
}

static void find_head (struct lanes *lanes)
{
    lanes->head = NO_LANE;
    for (size_t i = 0; i < lanes->nwaiting; i++)
        if (lanes->head == NO_LANE
            || entry_before (lanes_at (lanes, lanes->waiting[i], 0),
                             lanes_at (lanes, lanes->head, 0)))
            lanes->head = lanes->waiting[i];
}

void lanes_sorted (struct lanes *lanes)
{
    lanes->ordered = false;
    find_head (lanes);
}

void lanes_remove (struct lanes *lanes, uint32_t number, size_t at)
{
    struct lane *lane = &lanes->all[number];
    queue_remove (&lane->queue, at);
    lanes->entries--;
    if (at < lane->settled)
        lane->settled--;
    if (!(lanes->nopen > 0 && lanes->open[0] == number))
        lanes->ordered = false;
    if (lane->queue.n == 0) {
        uint32_t last = lanes->waiting[--lanes->nwaiting];
        lanes->waiting[lane->listed] = last;
        lanes->all[last].listed = lane->listed;
    }
    if (at == 0 && lanes->head == number)
        find_head (lanes);
}

