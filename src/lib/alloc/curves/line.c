#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

struct line {
    const tori_machine *machine;
    order_fn *order;
    uint32_t nodes;
    size_t words;
    uint32_t *ids;        /* by position; NULL in the order of ids */
    uint32_t *positions;  /* by id, the same */
    uint64_t *seen;       /* the free nodes at the last update, by id */
    uint64_t *placed;     /* the same by position */
    const uint64_t *free; /* by position: of the state in the order of ids */
    uint64_t *marks;      /* nodes by id, empty between calls */
};

struct line *line_create (const tori_machine *machine, order_fn *order,
                          tori_error *err)
{
    struct line *line = calloc (1, sizeof *line);
    if (!line) {
        tori_error_nomem (err);
        return NULL;
    }
    line->machine = machine;
    line->order = order;
    line->nodes = machine->nodes;
    line->words = bits_words (machine->nodes);
    return line;
}

/* Return to the state after line_create. */
static void clear_line (struct line *line)
{
    free (line->ids);
    free (line->positions);
    free (line->seen);
    free (line->placed);
    free (line->marks);
    line->ids = line->positions = NULL;
    line->seen = line->placed = line->marks = NULL;
}

void line_destroy (struct line *line)
{
    if (!line)
        return;
    clear_line (line);
    free (line);
}

/* A line on which nothing is free. */
static int build_line (struct line *line, tori_error *err)
{
    line->ids = malloc (line->nodes * sizeof *line->ids);
    line->positions = malloc (line->nodes * sizeof *line->positions);
    line->seen = calloc (line->words, sizeof *line->seen);
    line->placed = calloc (line->words, sizeof *line->placed);
    line->marks = calloc (line->words, sizeof *line->marks);
    if (!line->ids || !line->positions || !line->seen || !line->placed
        || !line->marks) {
        clear_line (line);
        return tori_error_nomem (err);
    }
    if (line->order (&line->machine->shape, line->ids, err) < 0) {
        clear_line (line);
        return -1;
    }
    for (uint32_t i = 0; i < line->nodes; i++)
        line->positions[line->ids[i]] = i;
    return 0;
}

static void move_bits (struct line *line, uint32_t id, uint64_t changed)
{
    for (; changed; changed &= changed - 1) {
        uint32_t at
            = line->positions[id + (unsigned)__builtin_ctzll (changed)];
        line->placed[at / 64] ^= UINT64_C (1) << at % 64;
    }
}

int line_update (struct line *line, const tori_state *state, tori_error *err)
{
    line->free = state->free;
    if (!line->order)
        return 0;
    if (!line->seen && build_line (line, err) < 0)
        return -1;
    for (size_t i = 0; i < line->words; i++)
        if (line->seen[i] != state->free[i]) {
            move_bits (line, (uint32_t)i * 64,
                       line->seen[i] ^ state->free[i]);
            line->seen[i] = state->free[i];
        }
    line->free = line->placed;
    return 0;
}

/* A walk over the runs from a position on: from edge to edge, a word of
 * them at a time. Bit i of `edges` is set where position i is not like the one
 * before it. */
struct cursor {
    const uint64_t *set;
    size_t i, words;
    uint64_t edges, last; /* of word i, and its highest bit */
    uint32_t end;
};

static inline struct cursor cursor_at (const struct line *line, uint32_t from)
{
    struct cursor c = {.set = line->free, .i = from / 64,
                       .words = line->words, .end = line->nodes};
    uint64_t word = c.set[c.i] & ~bits_low (from % 64);
    c.edges = word ^ word << 1;
    c.last = word >> 63;
    return c;
}

/* The next edge; at or past the end there is none. */
static inline uint32_t next_edge (struct cursor *c)
{
    uint32_t at;
    while (!c->edges) {
        uint64_t word;
        if (++c->i >= c->words)
            return c->end;
        word = c->set[c->i];
        c->edges = word ^ (word << 1 | c->last);
        c->last = word >> 63;
    }
    at = (uint32_t)c->i * 64 + (unsigned)__builtin_ctzll (c->edges);
    c->edges &= c->edges - 1;
    return at;
}

static inline bool next_run (struct cursor *c, struct run *run)
{
    uint32_t behind;
    run->first = next_edge (c);
    if (run->first >= c->end)
        return false;
    behind = next_edge (c);
    run->count = (behind < c->end ? behind : c->end) - run->first;
    return true;
}

void line_each (const struct line *line, uint32_t least, line_visit_fn *visit,
                void *arg)
{
    struct cursor c = cursor_at (line, 0);
    struct run run;
    while (next_run (&c, &run))
        if (run.count >= least && visit (arg, &run))
            return;
}

/* The window begins at the front of a run: from inside of one, the nodes could
 * be had one position earlier and span no more. So a window from the front of
 * every run in turn, whose other end never goes back. */
uint32_t line_least_span (const struct line *line, uint32_t count)
{
    struct cursor back = cursor_at (line, 0), front = back;
    struct run tail, head = {0, 0};
    uint32_t sum = 0, first = 0, least = UINT32_MAX;
    while (next_run (&back, &tail)) {
        uint32_t span;
        while (sum < count && next_run (&front, &head))
            sum += head.count;
        if (sum < count)
            break;
        span = head.first + head.count - (sum - count) - tail.first;
        if (span < least) {
            least = span;
            first = tail.first;
        }
        sum -= tail.count;
    }
    return first;
}

/* Marking ids in a set sorts them. */
static void list_marks (struct line *line, uint32_t ids[])
{
    for (size_t i = 0; i < line->words; i++) {
        for (uint64_t word = line->marks[i]; word; word &= word - 1)
            *ids++ = (uint32_t)i * 64 + (unsigned)__builtin_ctzll (word);
        line->marks[i] = 0;
    }
}

void line_collect (struct line *line, uint32_t first, uint32_t count,
                   uint32_t ids[])
{
    struct cursor c = cursor_at (line, first);
    struct run run;
    uint32_t done = 0;
    while (done < count && next_run (&c, &run))
        for (uint32_t i = 0; i < run.count && done < count; i++, done++)
            if (line->order)
                bits_set (line->marks, line->ids[run.first + i]);
            else
                ids[done] = run.first + i;
    if (line->order)
        list_marks (line, ids);
}
