#include "event_tree.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "bits.h"

/* A state of the plan: `running` jobs in the order of members, and those that
 * wait. */
struct frame {
    ticks now;
    unsigned event; /* the member whose end this is; NO_MEMBER at 0 */
    struct active *running;
    size_t n;
    uint64_t waiting;
    ticks share;   /* node-time of waiting jobs over nodes */
    bool expected; /* the first waiting job must start before all have ended */
    ticks bound;   /* for all plans below */

    /* The job that was started last, at this time; NO_MEMBER if none was. */
    unsigned last;
    uint32_t last_place;
    ticks last_length;
};

/* A choice: start a member at a place, or wait (NO_MEMBER) for the next end. */
struct start_choice {
    ticks bound;
    ticks finish;
    unsigned member;
    uint32_t place;
};

/* The effect of a start. */
struct start_effect {
    ticks length; /* for which it overlaps with others, at most */
    ticks finish;
    ticks latest; /* end of any job */
    ticks share;  /* node-time added to that of all jobs, over nodes */
};

/* ---- two jobs ---- */

enum { APART = -1, OVERLAPPING = -2 };

/* The dimension whose links two places share. */
static int shared_dimension (const struct event_tree *b, uint32_t place,
                             uint32_t mask, uint32_t other,
                             uint32_t other_mask)
{
    uint32_t differ = (place ^ other) & mask & other_mask;
    int dim;
    if (!differ)
        return OVERLAPPING;
    dim = b->dim_of[__builtin_ctz (differ)];
    return differ & ~b->field[dim] ? APART : dim;
}

static int meeting (const struct event_tree *b, unsigned member, uint32_t place,
                    const struct active *other)
{
    return shared_dimension (b, place, b->member[member].mask, other->place,
                             b->member[other->member].mask);
}

/* ---- the effect of a start ---- */

static ticks least_of (ticks a, ticks b)
{
    return a < b ? a : b;
}

static ticks most_of (ticks a, ticks b)
{
    return a > b ? a : b;
}

/* A running job that the new one meets: its time left, and the new job's delay
 * per overlap, as log2 of its divisor. */
struct met {
    ticks left;
    int bits;
};

/* The length T of a job with its own delay: T = time + the sum of the least of
 * T and `left`, each divided by the other job's stride. The right side is
 * concave in T, so there is one solution, and steps from above reach it: each
 * takes the others to overlap as they would for the last T. Divisions round
 * down, so a step may lead back to where a job that ends just then counts the
 * other way: the steps end as soon as T does not become less. */
static ticks solve_length (ticks time, const struct met met[], size_t n,
                           int longest)
{
    const ticks whole = (ticks)1 << longest;
    ticks length = TORI_WIDE_MAX;
    for (;;) {
        ticks sum = time, rate = 0, shorter;
        for (size_t i = 0; i < n; i++)
            if (met[i].left < length)
                sum += met[i].left >> met[i].bits;
            else
                rate += whole >> met[i].bits;
        if (rate >= whole)
            break;
        shorter = sum * whole / (whole - rate);
        if (shorter >= length)
            break;
        length = shorter;
    }
    return length;
}

/* The time for which a job overlaps with those that it meets, at most; 0 if
 * its place is taken. */
static ticks find_length (const struct event_tree *b, const struct frame *f,
                          unsigned member, uint32_t place)
{
    struct met met[EVENT_SEARCH_MOST];
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct active *other = &f->running[i];
        int dim = meeting (b, member, place, other);
        if (dim == OVERLAPPING)
            return 0;
        if (dim >= 0)
            met[n++] = (struct met){other->finish - f->now,
                                    b->member[other->member].form->bits[dim]};
    }
    return b->problem->own_delay
               ? solve_length (b->member[member].time, met, n, b->longest)
               : b->member[member].time;
}

static bool find_effect (const struct event_tree *b, const struct frame *f,
                         unsigned member, uint32_t place,
                         struct start_effect *effect)
{
    const struct branch_job *me = &b->member[member];
    ticks length = find_length (b, f, member, place), load = 0;
    if (!length)
        return false;
    *effect = (struct start_effect){.length = length};
    for (size_t i = 0; i < f->n; i++) {
        const struct active *other = &f->running[i];
        const struct form *form = b->member[other->member].form;
        int dim = meeting (b, member, place, other);
        ticks overlap, delay;
        if (dim < 0)
            continue;
        overlap = least_of (length, other->finish - f->now);
        delay = overlap >> me->form->bits[dim];
        load += overlap >> form->bits[dim];
        effect->share += delay >> form->all;
        effect->latest = most_of (effect->latest, other->finish + delay);
    }
    effect->finish = f->now + me->time + load;
    effect->latest = most_of (effect->latest, effect->finish);
    effect->share += load >> me->form->all;
    return true;
}

/* ---- places that differ ---- */

/* The first running job whose place is known in this bit of its field and
 * agrees with `place` in the lower ones; NULL if there is none. */
static const struct active *first_beside (const struct event_tree *b,
                                          const struct frame *f,
                                          uint32_t place, int bit)
{
    for (size_t i = 0; i < f->n; i++)
        if (b->member[f->running[i].member].mask >> bit & 1
            && !((f->running[i].place ^ place) & b->below[bit]))
            return &f->running[i];
    return NULL;
}

/* Two dimensions can change places if all jobs that run are the same in
 * both. */
static bool is_twin (const struct event_tree *b, const struct frame *f, int d,
                     int e)
{
    int apart = __builtin_ctz (b->field[d]) - __builtin_ctz (b->field[e]);
    for (size_t i = 0; i < f->n; i++)
        if ((f->running[i].place & b->field[d]) >> apart
            != (f->running[i].place & b->field[e]))
            return false;
    return true;
}

/* Offsets matter only as far as they agree with others, bit by bit from the
 * lowest. So where a bit separates a place from no running job, it is 0; and
 * of two dimensions that can change places, the first has the lower offset. */
static bool is_canonical (const struct event_tree *b, const struct frame *f,
                          uint32_t place)
{
    for (uint32_t rest = place; rest; rest &= rest - 1)
        if (!first_beside (b, f, place, __builtin_ctz (rest)))
            return false;
    for (int d = 0; d < b->problem->ndims; d++)
        for (uint32_t twins = b->twin_of[d]; twins; twins &= twins - 1) {
            int e = __builtin_ctz (twins);
            int apart
                = __builtin_ctz (b->field[d]) - __builtin_ctz (b->field[e]);
            if ((place & b->field[d]) >> apart > (place & b->field[e])
                && is_twin (b, f, d, e))
                return false;
        }
    return true;
}

/* ---- orders that do not differ ---- */

/* Whether the start of `member` could come before the last one, at the same
 * time, without a change: they do not meet, and a job that both meet lasts
 * longer than either overlap. Then only the order of members is tried. */
static bool is_swappable (const struct event_tree *b, const struct frame *f,
                          unsigned member, uint32_t place, ticks length)
{
    const struct branch_job *last;
    if (f->last == NO_MEMBER
        || b->member[member].type >= b->member[f->last].type)
        return false;
    last = &b->member[f->last];
    if (shared_dimension (b, place, b->member[member].mask, f->last_place,
                          last->mask)
        != APART)
        return false;
    for (size_t i = 0; i < f->n; i++) {
        const struct active *other = &f->running[i];
        int dim;
        if (other->member == f->last || meeting (b, member, place, other) < 0)
            continue;
        dim = meeting (b, f->last, f->last_place, other);
        if (dim >= 0
            && other->finish - (f->last_length >> last->form->bits[dim])
                   < f->now + most_of (length, f->last_length))
            return false;
    }
    return true;
}

/* ---- bounds ---- */

static ticks running_share (const struct event_tree *b, const struct frame *f)
{
    ticks share = 0;
    for (size_t i = 0; i < f->n; i++)
        share += (f->running[i].finish - f->now)
                 >> b->member[f->running[i].member].form->all;
    return share;
}

static ticks next_end (const struct frame *f)
{
    ticks end = TORI_WIDE_MAX;
    for (size_t i = 0; i < f->n; i++)
        end = least_of (end, f->running[i].finish);
    return end;
}

static ticks last_end (const struct frame *f)
{
    ticks end = 0;
    for (size_t i = 0; i < f->n; i++)
        end = most_of (end, f->running[i].finish);
    return end;
}

/* The next event is not before this: running jobs end no earlier than now
 * known, and another waiting job ends no earlier than its time. */
static ticks next_event (const struct event_tree *b, const struct frame *f,
                         unsigned member)
{
    ticks event = next_end (f);
    uint64_t others = f->waiting & ~(UINT64_C (1) << member);
    for (; others; others &= others - 1)
        event = least_of (event,
                          f->now + b->member[__builtin_ctzll (others)].time);
    return event;
}

/* A job that is still to be done: its time at least, the nodes it takes, out of
 * ALL_NODES, and the mask of its places. */
struct rest {
    ticks time;
    uint64_t nodes;
    uint32_t mask;
};
static const uint64_t ALL_NODES = UINT64_C (1) << 40;

static void add_rest (const struct event_tree *b, struct rest rest[],
                      size_t *n, unsigned member, ticks time)
{
    const struct branch_job *me = &b->member[member];
    size_t at = (*n)++;
    for (; at > 0 && rest[at - 1].time < time; at--)
        rest[at] = rest[at - 1];
    rest[at] = (struct rest){time, ALL_NODES >> me->form->all, me->mask};
}

/* All jobs that run or wait, the longest first. */
static size_t find_rest (const struct event_tree *b, const struct frame *f,
                         struct rest rest[])
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        add_rest (b, rest, &n, f->running[i].member,
                  f->running[i].finish - f->now);
    for (uint64_t left = f->waiting; left; left &= left - 1) {
        unsigned member = (unsigned)__builtin_ctzll (left);
        add_rest (b, rest, &n, member, b->member[member].time);
    }
    return n;
}

/* The time of some two jobs one after the other. Two jobs whose places always
 * have a node in common never overlap. And if jobs take more than all nodes,
 * they do not all run at once; so some two of them do not overlap, because
 * intervals that overlap two by two have a time in common. */
static ticks find_pair (const struct event_tree *b, const struct frame *f)
{
    struct rest rest[EVENT_SEARCH_MOST];
    size_t n = find_rest (b, f, rest);
    ticks most = 0;
    for (size_t i = 1; i < n; i++) {
        uint64_t nodes = rest[i].nodes;
        for (size_t j = 0; j < i; j++) {
            nodes += rest[j].nodes;
            if (nodes > ALL_NODES || !(rest[i].mask & rest[j].mask)) {
                most = most_of (most, rest[i].time + rest[j].time);
                break;
            }
        }
    }
    return most;
}

/* ---- choices ---- */

static int by_bound (const void *a, const void *b)
{
    const struct start_choice *x = a, *y = b;
    if (x->bound != y->bound)
        return x->bound < y->bound ? -1 : 1;
    if (x->member != y->member)
        return x->member < y->member ? -1 : 1;
    if (x->finish != y->finish)
        return x->finish < y->finish ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static int add_choice (struct event_tree *b, struct start_choice choice,
                       tori_error *err)
{
    struct start_choice *more = array_room (b->choice, &b->room, b->choices + 1,
                                      sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    b->choice = more;
    b->choice[b->choices++] = choice;
    return 0;
}

/* All places of a member. The bound of the frame becomes the earliest end of
 * this job: now, on the best place, or from the next event on. */
static int add_starts (struct event_tree *b, struct frame *f, unsigned member,
                       ticks share, tori_error *err)
{
    const struct branch_job *me = &b->member[member];
    ticks earliest = next_event (b, f, member);
    uint32_t place = 0;
    if (earliest < TORI_WIDE_MAX)
        earliest += me->time;
    do {
        struct start_effect effect;
        if (is_canonical (b, f, place)
            && find_effect (b, f, member, place, &effect)) {
            struct start_choice choice = {
                .bound = most_of (effect.latest, share + effect.share),
                .finish = effect.finish,
                .member = member,
                .place = place};
            earliest = least_of (earliest, effect.finish);
            if (choice.bound < b->best
                && !is_swappable (b, f, member, place, effect.length)
                && add_choice (b, choice, err) < 0)
                return -1;
        }
        place = (place - me->mask) & me->mask;
    } while (place);
    f->bound = most_of (f->bound, earliest);
    return 0;
}

/* Waiting leaves nodes without a job until the next end. */
static int add_wait (struct event_tree *b, struct frame *f, tori_error *err)
{
    ticks end = next_end (f), share = f->share;
    for (size_t i = 0; i < f->n; i++)
        share += (f->running[i].finish - end)
                 >> b->member[f->running[i].member].form->all;
    if (!f->n)
        return 0;
    for (uint64_t rest = f->waiting; rest; rest &= rest - 1)
        share = most_of (share, b->member[__builtin_ctzll (rest)].time);
    return add_choice (b,
                       (struct start_choice){.bound = end + share,
                                             .member = NO_MEMBER},
                       err);
}

/* A job that has the whole machine runs alone. If it must start before all have
 * ended, it starts now, or it cannot any more. */
static bool is_alone (const struct event_tree *b, const struct frame *f)
{
    return f->expected
           && !b->member[__builtin_ctzll (f->waiting)].mask;
}

static int add_choices (struct event_tree *b, struct frame *f, tori_error *err)
{
    bool alone = is_alone (b, f);
    ticks share = f->now + f->share + running_share (b, f);
    f->bound = most_of (f->bound, most_of (share, last_end (f)));
    f->bound = most_of (f->bound, f->now + find_pair (b, f));
    if (f->bound >= b->best || (alone && f->n))
        return 0;
    for (uint64_t rest = f->waiting; rest; rest &= rest - 1) {
        unsigned member = (unsigned)__builtin_ctzll (rest);
        unsigned type = b->member[member].type;
        /* Equal jobs start in their order. */
        if (f->waiting & bits_low (member) & ~bits_low (type))
            continue;
        if (add_starts (b, f, member, share, err) < 0)
            return -1;
        if (alone)
            break;
    }
    return add_wait (b, f, err);
}

/* ---- states ---- */

static void start_member (const struct event_tree *b, const struct frame *f,
                          const struct start_choice *choice, struct frame *next)
{
    const struct branch_job *me = &b->member[choice->member];
    ticks length = find_length (b, f, choice->member, choice->place);
    struct active *to = next->running, mine = {
        choice->member, choice->place, choice->finish};
    *next = (struct frame){
        .now = f->now,
        .event = f->event,
        .running = to,
        .n = f->n + 1,
        .waiting = f->waiting & ~(UINT64_C (1) << choice->member),
        .share = f->share - (me->time >> me->form->all),
        .expected = f->expected
                    && choice->member
                           != (unsigned)__builtin_ctzll (f->waiting),
        .last = choice->member,
        .last_place = choice->place,
        .last_length = length};
    for (size_t i = 0; i < f->n; i++) {
        struct active other = f->running[i];
        int dim = meeting (b, choice->member, choice->place, &other);
        if (dim >= 0)
            other.finish += least_of (length, other.finish - f->now)
                            >> me->form->bits[dim];
        if (mine.member < other.member) {
            *to++ = mine;
            mine = other;
        } else {
            *to++ = other;
        }
    }
    *to = mine;
}

static void wait_for_end (const struct frame *f, struct frame *next)
{
    struct active *to = next->running;
    ticks end = next_end (f);
    *next = *f;
    next->now = end;
    next->running = to;
    next->n = 0;
    next->event = next->last = NO_MEMBER;
    for (size_t i = 0; i < f->n; i++)
        if (f->running[i].finish > end)
            to[next->n++] = f->running[i];
        else if (next->event == NO_MEMBER)
            next->event = f->running[i].member;
}

static uint64_t mix_bits (uint64_t x)
{
    x += UINT64_C (0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C (0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C (0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void hash_word (uint64_t key[2], uint64_t word)
{
    key[0] = mix_bits (key[0] ^ word);
    key[1] = mix_bits (key[1] + ~word);
}

/* The place as it would be if every running job had taken the lower of two
 * equal halves of each field, in the order of members. */
static uint32_t canonical_place (const struct event_tree *b,
                                 const struct frame *f, uint32_t place,
                                 uint32_t mask)
{
    uint32_t canonical = place;
    for (; mask; mask &= mask - 1) {
        int bit = __builtin_ctz (mask);
        const struct active *first = first_beside (b, f, place, bit);
        canonical ^= first->place & UINT32_C (1) << bit;
    }
    return canonical;
}

/* Whether all that can follow has been searched already, from an earlier or
 * the same time on. */
static bool is_known (struct event_tree *b, const struct frame *f)
{
    uint64_t key[2] = {f->expected, 0};
    struct memory *known;
    hash_word (key, f->waiting);
    for (size_t i = 0; i < f->n; i++) {
        const struct active *a = &f->running[i];
        ticks left = a->finish - f->now;
        hash_word (key, (uint64_t)a->member << 32
                            | canonical_place (b, f, a->place,
                                               b->member[a->member].mask));
        hash_word (key, (uint64_t)left);
        hash_word (key, (uint64_t)(left >> 64));
    }
    known = &b->memory[key[0] >> (64 - MEMORY_BITS)];
    if (known->key[0] == key[0] && known->key[1] == key[1]
        && known->now <= f->now)
        return true;
    *known = (struct memory){{key[0], key[1]}, f->now};
    return false;
}

/* ---- the search ---- */

static bool take_step (struct event_tree *b)
{
    const tori_contention_search *search = b->search;
    if (b->steps >= search->steps
        || (search->enough && search->enough (search->arg)))
        b->over = true;
    else
        b->steps++;
    return !b->over;
}

static int try_choices (struct event_tree *b, struct frame *f, tori_error *err);

static int try_choice (struct event_tree *b, const struct frame *f,
                       const struct start_choice *choice, tori_error *err)
{
    struct frame next = {.running = f->running + b->n};
    if (choice->member == NO_MEMBER) {
        wait_for_end (f, &next);
        if (!next.n && next.expected)
            return 0;
        if (!next.n)
            next.expected = true;
        if (is_known (b, &next))
            return 0;
    } else {
        start_member (b, f, choice, &next);
        b->path[b->n - (size_t)__builtin_popcountll (f->waiting)] =
            (struct start){choice->member, f->event, choice->place};
    }
    next.bound = choice->bound;
    if (next.waiting)
        return try_choices (b, &next, err);
    b->best = last_end (&next);
    b->found = true;
    memcpy (b->least, b->path, sizeof b->least);
    return 0;
}

/* Try the choices of a frame, the lowest bound first. */
static int try_choices (struct event_tree *b, struct frame *f, tori_error *err)
{
    size_t first = b->choices, i = first;
    int status = add_choices (b, f, err);
    if (status == 0 && first < b->choices)
        qsort (&b->choice[first], b->choices - first, sizeof *b->choice,
               by_bound);
    for (; status == 0 && i < b->choices; i++) {
        struct start_choice choice = b->choice[i];
        choice.bound = most_of (choice.bound, f->bound);
        if (choice.bound >= b->best)
            break;
        if (b->over || !take_step (b)) {
            b->open = least_of (b->open, choice.bound);
            break;
        }
        status = try_choice (b, f, &choice, err);
    }
    b->choices = first;
    return status;
}

int event_tree_search (struct event_tree *b, tori_error *err)
{
    struct frame root = {.running = b->pool,
                         .event = NO_MEMBER,
                         .waiting = bits_low ((unsigned)b->n),
                         .expected = true,
                         .last = NO_MEMBER};
    for (size_t i = 0; i < b->n; i++)
        root.share += b->member[i].time >> b->member[i].form->all;
    return try_choices (b, &root, err);
}
