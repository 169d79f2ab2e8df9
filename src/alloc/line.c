#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "marks.h"

enum { BLOCK_WORDS = 64, BLOCK = 64 * BLOCK_WORDS };

/* Runs inside a block, as if it were the whole line. */
struct block {
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
    struct block *blocks;
    uint64_t *marks;     /* by id; empty but in line_collect */
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

int line_update (struct line *line, const tori_state *state, tori_error *err)
{
    if (!line->seen && build (line, err) < 0)
        return -1;
    for (size_t i = 0; i < line->words; i += BLOCK_WORDS) {
        size_t left = line->words - i;
        size_t n = left < BLOCK_WORDS ? left : BLOCK_WORDS;
        if (memcmp (&line->seen[i], &state->free[i], n * sizeof (uint64_t)))
            update_words (line, state->free, i, i + n);
    }
    return 0;
}

/* The first position from `from` on whose bit is 1, if `flip` is 0, or 0, if
 * it is all ones; `end` if there is none before that. */
static inline uint32_t find_bit (const uint64_t *set, uint32_t from,
                                 uint32_t end, uint64_t flip)
{
    size_t i = from / 64, words = bits_words (end);
    uint64_t word;
    uint32_t at;
    if (from >= end)
        return end;
    word = (set[i] ^ flip) & ~bits_low (from % 64);
    while (!word) {
        if (++i == words)
            return end;
        word = set[i] ^ flip;
    }
    at = (uint32_t)i * 64 + (unsigned)__builtin_ctzll (word);
    return at < end ? at : end;
}

static inline bool next_run (const struct line *line, uint32_t from,
                             uint32_t end, struct run *run)
{
    run->first = find_bit (line->free, from, end, 0);
    if (run->first == end)
        return false;
    run->count = find_bit (line->free, run->first + 1, end, ~UINT64_C (0))
                 - run->first;
    return true;
}

bool line_next (const struct line *line, uint32_t from, struct run *ret_run)
{
    return next_run (line, from, line->nodes, ret_run);
}

/* The runs between two positions; true if that was enough. */
static bool each_between (const struct line *line, uint32_t from,
                          uint32_t end, uint32_t least, line_visit_fn *visit,
                          void *arg)
{
    struct run run;
    for (; next_run (line, from, end, &run); from = run.first + run.count)
        if (run.count >= least && visit (arg, &run))
            return true;
    return false;
}

static const struct block *renew (const struct line *line,
                                  struct block *block, uint32_t from,
                                  uint32_t end)
{
    struct run run = {from, 0};
    uint32_t at = from;
    if (!block->stale)
        return block;
    *block = (struct block){0};
    for (; next_run (line, at, end, &run); at = run.first + run.count) {
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
        const struct block *block = renew (line, &line->blocks[b], from, end);
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

/* Ids come in the order of the line; marking them in a set sorts them. */
static void mark_run (struct line *line, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t id = line->ids[i];
        bits_set (line->marks, id);
        bits_set (line->touched, id / 64);
    }
}

static void take_marks (struct line *line, uint32_t ids[])
{
    for (size_t b = 0; b < line->nblocks; b++) {
        for (; line->touched[b]; line->touched[b] &= line->touched[b] - 1) {
            size_t i = b * BLOCK_WORDS
                       + (unsigned)__builtin_ctzll (line->touched[b]);
            uint64_t word = line->marks[i];
            for (; word; word &= word - 1)
                *ids++ = (uint32_t)i * 64 + (unsigned)__builtin_ctzll (word);
            line->marks[i] = 0;
        }
    }
}

void line_collect (struct line *line, uint32_t first, uint32_t count,
                   uint32_t ids[])
{
    struct run run = {first, 0};
    uint32_t done = 0;
    while (done < count && line_next (line, run.first + run.count, &run)) {
        uint32_t n = run.count < count - done ? run.count : count - done;
        if (line->order)
            mark_run (line, run.first, n);
        for (uint32_t i = 0; i < n && !line->order; i++)
            ids[done + i] = run.first + i;
        done += n;
    }
    if (line->order)
        take_marks (line, ids);
}
