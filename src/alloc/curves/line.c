#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

enum { BLOCK_WORDS = 64, BLOCK = 64 * BLOCK_WORDS };

/* Runs inside a block, as if it were the whole line. */
struct line_block {
    uint32_t head;    /* at its front; all of it if it is all free */
    uint32_t tail;    /* at its end */
    uint32_t longest;
    bool stale;
};

struct line {
    const tori_machine *machine;
    order_fn *order;
    uint32_t nodes;
    size_t words, nblocks;
    uint32_t *ids;       /* by position; NULL in the order of ids */
    uint32_t *positions; /* by id, the same */
    uint64_t *seen;      /* what was free at the last update, by id */
    uint64_t *free;      /* by position; the same set in the order of ids */
    struct line_block *blocks;
    struct run answer;   /* the last: so many free nodes from there on */
    uint64_t *marks;     /* the same by id */
    uint64_t *touched;   /* words of marks that are not empty */
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
    line->nblocks = (line->words + BLOCK_WORDS - 1) / BLOCK_WORDS;
    return line;
}

/* Back to where line_create left it. */
static void clear (struct line *line)
{
    if (line->order)
        free (line->free);
    free (line->seen);
    free (line->blocks);
    free (line->ids);
    free (line->positions);
    free (line->marks);
    free (line->touched);
    line->blocks = NULL;
    line->ids = line->positions = NULL;
    line->seen = line->free = line->marks = line->touched = NULL;
}

void line_destroy (struct line *line)
{
    if (!line)
        return;
    clear (line);
    free (line);
}

static int build_order (struct line *line, tori_error *err)
{
    line->ids = malloc (line->nodes * sizeof *line->ids);
    line->positions = malloc (line->nodes * sizeof *line->positions);
    line->free = calloc (line->words, sizeof *line->free);
    line->marks = calloc (line->words, sizeof *line->marks);
    line->touched = calloc (line->nblocks, sizeof *line->touched);
    if (!line->ids || !line->positions || !line->free || !line->marks
        || !line->touched)
        return tori_error_nomem (err);
    if (line->order (&line->machine->shape, line->ids, err) < 0)
        return -1;
    for (uint32_t i = 0; i < line->nodes; i++)
        line->positions[line->ids[i]] = i;
    return 0;
}

/* A line on which nothing is free. */
static int build (struct line *line, tori_error *err)
{
    line->seen = calloc (line->words, sizeof *line->seen);
    line->blocks = calloc (line->nblocks, sizeof *line->blocks);
    if (!line->seen || !line->blocks) {
        clear (line);
        return tori_error_nomem (err);
    }
    if (!line->order) {
        line->free = line->seen;
    } else if (build_order (line, err) < 0) {
        clear (line);
        return -1;
    }
    return 0;
}

static void move_bits (struct line *line, uint32_t id, uint64_t changed)
{
    for (; changed; changed &= changed - 1) {
        uint32_t at
            = line->positions[id + (unsigned)__builtin_ctzll (changed)];
        line->free[at / 64] ^= UINT64_C (1) << at % 64;
        line->blocks[at / BLOCK].stale = true;
    }
}

static void update_words (struct line *line, const uint64_t *now,
                          size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        uint64_t changed = now[i] ^ line->seen[i];
        if (changed && line->order)
            move_bits (line, (uint32_t)i * 64, changed);
        line->seen[i] = now[i];
    }
    if (!line->order)
        line->blocks[first / BLOCK_WORDS].stale = true;
}

/* A walk over the runs between two positions: from edge to edge, a word of
 * them at a time. Bit i of `edges` is set where position i is not like the one
 * before it. */
struct cursor {
    const uint64_t *set;
    size_t i, words;
    uint64_t edges, last; /* of word i, and its highest bit */
    uint32_t end;
};

static inline struct cursor cursor_at (const struct line *line, uint32_t from,
                                       uint32_t end)
{
    struct cursor c = {.set = line->free, .i = from / 64, .end = end};
    uint64_t word;
    c.words = bits_words (end);
    if (c.i >= c.words)
        return c;
    word = c.set[c.i] & ~bits_low (from % 64);
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

/* The same with no more of it than `most`: then the walk is over, without a
 * look at how long the run really is. */
static inline bool next_front (struct cursor *c, uint32_t most,
                               struct run *run)
{
    uint32_t end = c->end, behind;
    run->first = next_edge (c);
    if (run->first >= end)
        return false;
    if (most < end - run->first)
        c->end = run->first + most;
    c->words = bits_words (c->end);
    behind = next_edge (c);
    run->count = (behind < c->end ? behind : c->end) - run->first;
    c->end = end;
    c->words = bits_words (end);
    return true;
}

/* Who asks mostly takes what it is told: then the nodes of the last answer are
 * no longer free, and along the line they are a few runs, which is quicker
 * than bit by bit. Should only some of them be taken, what is done here is as
 * right for another state, and moving the bits that differ mends it. */
static void take_answer (struct line *line)
{
    struct cursor c = cursor_at (line, line->answer.first, line->nodes);
    uint32_t left = line->answer.count;
    struct run run;
    while (left > 0 && next_front (&c, left, &run)) {
        uint32_t last = run.first + run.count - 1;
        bits_clear_range (line->free, run.first, run.count);
        for (uint32_t b = run.first / BLOCK; b <= last / BLOCK; b++)
            line->blocks[b].stale = true;
        left -= run.count;
    }
}

static void settle_answer (struct line *line, const tori_state *state)
{
    bool taken = line->answer.count > 0
                 && !bits_test (state->free, line->ids[line->answer.first]);
    if (taken)
        take_answer (line);
    for (size_t b = 0; b < line->nblocks; b++) {
        uint64_t touched = line->touched[b];
        for (; touched; touched &= touched - 1) {
            size_t i = b * BLOCK_WORDS + (unsigned)__builtin_ctzll (touched);
            if (taken)
                line->seen[i] &= ~line->marks[i];
            line->marks[i] = 0;
        }
        line->touched[b] = 0;
    }
    line->answer.count = 0;
}

int line_update (struct line *line, const tori_state *state, tori_error *err)
{
    if (!line->seen && build (line, err) < 0)
        return -1;
    if (line->order)
        settle_answer (line, state);
    for (size_t i = 0; i < line->words; i += BLOCK_WORDS) {
        size_t left = line->words - i;
        size_t n = left < BLOCK_WORDS ? left : BLOCK_WORDS;
        if (memcmp (&line->seen[i], &state->free[i], n * sizeof (uint64_t)))
            update_words (line, state->free, i, i + n);
    }
    return 0;
}

/* The runs between two positions; true if that was enough. */
static bool each_between (const struct line *line, uint32_t from,
                          uint32_t end, uint32_t least, line_visit_fn *visit,
                          void *arg)
{
    struct cursor c = cursor_at (line, from, end);
    struct run run;
    while (next_run (&c, &run))
        if (run.count >= least && visit (arg, &run))
            return true;
    return false;
}

static const struct line_block *renew (const struct line *line,
                                       struct line_block *block, uint32_t from,
                                       uint32_t end)
{
    struct cursor c = cursor_at (line, from, end);
    struct run run;
    if (!block->stale)
        return block;
    *block = (struct line_block){0};
    while (next_run (&c, &run)) {
        if (run.first == from)
            block->head = run.count;
        if (run.first + run.count == end)
            block->tail = run.count;
        if (run.count > block->longest)
            block->longest = run.count;
    }
    return block;
}

void line_each (struct line *line, uint32_t least, line_visit_fn *visit,
                void *arg)
{
    struct run open = {0, 0}; /* reaches the end of the block before */
    if (line->nblocks == 1) {
        each_between (line, 0, line->nodes, least, visit, arg);
        return;
    }
    for (size_t b = 0; b < line->nblocks; b++) {
        uint32_t from = (uint32_t)b * BLOCK, left = line->nodes - from;
        uint32_t end = from + (left < BLOCK ? left : BLOCK);
        const struct line_block *block =
            renew (line, &line->blocks[b], from, end);
        open.count += block->head;
        if (block->head == end - from)
            continue;
        if (open.count >= least && visit (arg, &open))
            return;
        if (block->longest >= least
            && each_between (line, from + block->head, end - block->tail,
                             least, visit, arg))
            return;
        open = (struct run){end - block->tail, block->tail};
    }
    if (open.count >= least)
        visit (arg, &open);
}

/* At the front of a run: from inside of one, the nodes could be had one
 * position earlier and span no more. So a window from the front of every run
 * in turn, whose other end never goes back. */
uint32_t line_least_span (const struct line *line, uint32_t count)
{
    struct cursor back = cursor_at (line, 0, line->nodes), front = back;
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

/* Ids come in the order of the line; marking them in a set sorts them. */
static void mark_run (struct line *line, uint32_t first, uint32_t count)
{
    uint32_t block = 0;
    uint64_t touched = 0;
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t id = line->ids[i];
        if (id / BLOCK != block) {
            line->touched[block] |= touched;
            block = id / BLOCK;
            touched = 0;
        }
        touched |= UINT64_C (1) << id / 64 % 64;
        bits_set (line->marks, id);
    }
    line->touched[block] |= touched;
}

static void list_marks (const struct line *line, uint32_t ids[])
{
    for (size_t b = 0; b < line->nblocks; b++) {
        uint64_t touched = line->touched[b];
        for (; touched; touched &= touched - 1) {
            size_t i = b * BLOCK_WORDS + (unsigned)__builtin_ctzll (touched);
            uint64_t word = line->marks[i];
            for (; word; word &= word - 1)
                *ids++ = (uint32_t)i * 64 + (unsigned)__builtin_ctzll (word);
        }
    }
}

static void list_run (const struct run *run, uint32_t ids[])
{
    uint32_t first = run->first, count = run->count;
    for (uint32_t i = 0; i < count; i++)
        ids[i] = first + i;
}

void line_collect (struct line *line, uint32_t first, uint32_t count,
                   uint32_t ids[])
{
    struct cursor c = cursor_at (line, first, line->nodes);
    struct run run;
    uint32_t done = 0;
    while (done < count && next_front (&c, count - done, &run)) {
        if (line->order)
            mark_run (line, run.first, run.count);
        else
            list_run (&run, ids + done);
        done += run.count;
    }
    if (!line->order)
        return;
    list_marks (line, ids);
    line->answer = (struct run){first, count};
}
