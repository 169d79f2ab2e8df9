#include "stages.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "simplex.h"
#include "wide.h"

/* The `height` longest jobs of a class need `need` ticks. */
struct stage_row {
    int class;
    uint32_t height;
    tori_wide need;
};

struct stage_class {
    uint32_t dimension; /* in units of what divides all */
    uint32_t places;    /* jobs that run at the same time, at most */
    tori_wide *need;    /* by height, from 0 to places: the longest jobs; the
                           last is of all jobs */
    tori_wide *worth;   /* by number of jobs: what it is worth in a mix */
};

struct stage_program {
    const struct batch *batch;
    uint32_t side; /* in the unit of dimensions */
    struct stage_class *class;
    tori_wide *numbers; /* all that classes point to */
    struct stage_row *row; /* first one for all jobs of each class */
    size_t rows, room;
    struct simplex simplex;
    int priced;       /* classes that mixes are made of so far */
    uint32_t *mix;    /* of each basic variable; all 0 if it is the surplus
                         of a row */
    tori_wide *price; /* of each row, times det */
    tori_wide *entry; /* of the variable that enters */
    uint32_t *enters; /* its mix */
    tori_wide *best;  /* by class and space: what the best mix of this class
                         and those before it is worth */
};

static int count_classes (const struct stage_program *p)
{
    return p->batch->classes;
}

static uint32_t *mix_of (const struct stage_program *p, size_t i)
{
    return p->mix + i * (size_t)count_classes (p);
}

/* ---- the classes ---- */

static uint32_t find_divisor (const struct batch *batch)
{
    tori_wide all = 0;
    for (int k = 0; k < batch->classes; k++)
        all = tori_wide_gcd (all, batch->class[k].dimension);
    return (uint32_t)all;
}

static size_t set_places (struct stage_program *p)
{
    uint32_t all = find_divisor (p->batch);
    size_t numbers = 0;
    p->side = p->batch->side / all;
    for (int k = 0; k < count_classes (p); k++) {
        const struct batch_class *class = &p->batch->class[k];
        uint32_t most = p->batch->side / class->dimension;
        size_t jobs = class->end - class->begin;
        p->class[k].dimension = class->dimension / all;
        p->class[k].places = jobs < most ? (uint32_t)jobs : most;
        numbers += 2 * ((size_t)p->class[k].places + 1);
    }
    return numbers;
}

static void set_needs (struct stage_program *p, const tori_wide *time)
{
    tori_wide *number = p->numbers;
    for (int k = 0; k < count_classes (p); k++) {
        const struct batch_class *from = &p->batch->class[k];
        struct stage_class *class = &p->class[k];
        class->need = number;
        class->worth = number += class->places + 1;
        number += class->places + 1;
        for (size_t i = from->begin; i < from->end; i++) {
            size_t h = i - from->begin + 1;
            if (h <= class->places)
                class->need[h] = class->need[h - 1];
            else
                h = class->places;
            class->need[h] += time[i];
        }
    }
}

static bool create_classes (struct stage_program *p)
{
    tori_wide *time = batch_sort_times (p->batch);
    size_t classes = (size_t)count_classes (p);
    bool done = false;
    p->class = calloc (classes, sizeof *p->class);
    p->enters = calloc (classes, sizeof *p->enters);
    if (time && p->class && p->enters) {
        p->numbers = calloc (set_places (p), sizeof *p->numbers);
        p->best = calloc ((classes + 1) * ((size_t)p->side + 1),
                          sizeof *p->best);
        done = p->numbers && p->best;
        if (done)
            set_needs (p, time);
    }
    free (time);
    return done;
}

/* ---- the rows ---- */

static bool add_row (struct stage_program *p, int k, uint32_t height)
{
    struct stage_row *more =
        array_room (p->row, &p->room, p->rows + 1, sizeof *more);
    if (!more)
        return false;
    p->row = more;
    more[p->rows++]
        = (struct stage_row){k, height, p->class[k].need[height]};
    return true;
}

/* The height whose jobs need the most time each, if they have its places for
 * themselves. */
static uint32_t find_tightest (const struct stage_class *class)
{
    uint32_t best = class->places;
    for (uint32_t h = 1; h < class->places; h++)
        if (tori_exact_compare ((tori_exact){class->need[h], h},
                                (tori_exact){class->need[best], best})
            > 0)
            best = h;
    return best;
}

static bool add_first_rows (struct stage_program *p)
{
    for (int k = 0; k < count_classes (p); k++)
        if (!add_row (p, k, p->class[k].places))
            return false;
    for (int k = 0; k < count_classes (p); k++) {
        uint32_t height = find_tightest (&p->class[k]);
        if (height < p->class[k].places && !add_row (p, k, height))
            return false;
    }
    return true;
}

/* ---- the first basis ---- */

/* One job at a time. The surplus of the other rows of a class is what all jobs
 * need more than those of the row. False if a number does not fit. */
static bool fill_basis (struct stage_program *p)
{
    for (size_t i = 0; i < p->rows; i++) {
        const struct stage_row *row = &p->row[i];
        tori_wide *line = simplex_line (&p->simplex, i);
        size_t all = (size_t)row->class;
        line[0] = p->row[all].need - (i == all ? 0 : row->need);
        line[1 + all] = 1;
        if (i == all)
            mix_of (p, i)[row->class] = 1;
        else
            line[1 + i] = -1;
        if (line[0] >= SIMPLEX_LIMIT)
            return false;
    }
    return true;
}

static int create_basis (struct stage_program *p, tori_error *err)
{
    size_t rows = p->rows, classes = (size_t)count_classes (p);
    simplex_clear (&p->simplex);
    free (p->mix);
    free (p->price);
    free (p->entry);
    p->mix = calloc (rows * classes, sizeof *p->mix);
    p->price = calloc (rows, sizeof *p->price);
    p->entry = calloc (rows, sizeof *p->entry);
    if (!p->mix || !p->price || !p->entry
        || !simplex_create (rows, &p->simplex))
        return tori_error_nomem (err);
    return fill_basis (p) ? 0 : batch_too_fine (err);
}

/* ---- the variable that enters ---- */

static bool is_mix (const struct stage_program *p, size_t i)
{
    const uint32_t *mix = mix_of (p, i);
    for (int k = 0; k < count_classes (p); k++)
        if (mix[k])
            return true;
    return false;
}

/* A price is what a tick of the row costs. */
static void set_prices (struct stage_program *p)
{
    memset (p->price, 0, p->rows * sizeof *p->price);
    for (size_t i = 0; i < p->rows; i++) {
        const tori_wide *inverse = simplex_line (&p->simplex, i) + 1;
        if (is_mix (p, i))
            for (size_t j = 0; j < p->rows; j++)
                p->price[j] += inverse[j];
    }
}

/* The row whose price is the most negative, or `rows`: its surplus enters. */
static size_t find_surplus (const struct stage_program *p)
{
    size_t best = p->rows;
    for (size_t j = 0; j < p->rows; j++)
        if (p->row[j].class < p->priced
            && p->price[j] < (best == p->rows ? 0 : p->price[best]))
            best = j;
    return best;
}

/* Each job of a class, after others, is worth the prices of the rows that are
 * at least as high. False if the sum of all does not fit. */
static bool set_worths (struct stage_program *p)
{
    tori_wide total = 0;
    for (int k = 0; k < count_classes (p); k++)
        memset (p->class[k].worth, 0,
                (p->class[k].places + 1) * sizeof *p->class[k].worth);
    for (size_t j = 0; j < p->rows; j++) {
        tori_wide *worth = p->class[p->row[j].class].worth;
        worth[p->row[j].height] += p->price[j];
        if (__builtin_add_overflow (total, p->price[j], &total))
            return false;
    }
    if (wide_mul_overflow (total, p->side, &total))
        return false;
    for (int k = 0; k < count_classes (p); k++) {
        tori_wide *worth = p->class[k].worth;
        for (uint32_t h = p->class[k].places; h > 1; h--)
            worth[h - 1] += worth[h];
        for (uint32_t h = 1; h <= p->class[k].places; h++)
            worth[h] += worth[h - 1];
    }
    return true;
}

/* How many of a class the best mix in this space has; as many as possible if
 * several are equally good. */
static uint32_t find_number (const struct stage_program *p, int k,
                             uint32_t space, tori_wide *ret_worth)
{
    const struct stage_class *class = &p->class[k];
    const tori_wide *before = p->best + (size_t)k * ((size_t)p->side + 1);
    uint32_t most = space / class->dimension, best = 0;
    tori_wide worth = before[space];
    if (most > class->places)
        most = class->places;
    for (uint32_t h = 1; h <= most; h++) {
        tori_wide sum = before[space - h * class->dimension]
                        + class->worth[h];
        if (sum >= worth) {
            worth = sum;
            best = h;
        }
    }
    *ret_worth = worth;
    return best;
}

/* The knapsack: returns what the best mix is worth, times det. */
static tori_wide find_mix (struct stage_program *p)
{
    size_t width = (size_t)p->side + 1;
    uint32_t space = p->side;
    tori_wide worth;
    for (int k = 0; k < p->priced; k++)
        for (uint32_t w = 0; w <= p->side; w++)
            find_number (p, k, w, &p->best[(size_t)(k + 1) * width + w]);
    for (int k = p->priced - 1; k >= 0; k--) {
        p->enters[k] = find_number (p, k, space, &worth);
        space -= p->enters[k] * p->class[k].dimension;
    }
    return p->best[(size_t)p->priced * width + p->side];
}

static uint32_t lesser (uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Choose the variable that enters: fill in `enters` and `entry`. Returns 1, 0
 * if none makes it shorter, -1 if a number does not fit. */
static int choose_entering (struct stage_program *p)
{
    size_t surplus;
    set_prices (p);
    memset (p->enters, 0, (size_t)count_classes (p) * sizeof *p->enters);
    memset (p->entry, 0, p->rows * sizeof *p->entry);
    surplus = find_surplus (p);
    if (surplus < p->rows) {
        p->entry[surplus] = -1;
        return 1;
    }
    if (!set_worths (p))
        return -1;
    if (find_mix (p) <= p->simplex.det)
        return 0;
    for (size_t j = 0; j < p->rows; j++)
        p->entry[j] = lesser (p->row[j].height, p->enters[p->row[j].class]);
    return 1;
}

/* Minimise for the present rows and the classes that have prices. */
static int improve_basis (struct stage_program *p, tori_error *err)
{
    int more;
    while ((more = choose_entering (p)) > 0) {
        size_t leaving;
        if (!simplex_express (&p->simplex, p->entry))
            return batch_too_fine (err);
        leaving = simplex_leaving (&p->simplex);
        if (!simplex_pivot (&p->simplex, leaving))
            return batch_too_fine (err);
        memcpy (mix_of (p, leaving), p->enters,
                (size_t)count_classes (p) * sizeof *p->enters);
    }
    return more < 0 ? batch_too_fine (err) : 0;
}

/* Minimise for the present rows. Classes join one after the other, the largest
 * first. If all were there from the beginning, each would first have mixes of
 * its own, as many jobs as there are places, and the determinant would be the
 * product of these numbers. */
static int find_shortest (struct stage_program *p, tori_error *err)
{
    if (create_basis (p, err) < 0)
        return -1;
    for (p->priced = 1; p->priced <= count_classes (p); p->priced++)
        if (improve_basis (p, err) < 0)
            return -1;
    return 0;
}

/* ---- rows that are missing ---- */

/* Here `worth` is the time in which a class has that many places, or more. Rows
 * that are new are not in the basis yet. */
static void set_place_times (struct stage_program *p, int k)
{
    struct stage_class *class = &p->class[k];
    memset (class->worth, 0, (class->places + 1) * sizeof *class->worth);
    for (size_t i = 0; i < p->simplex.rows; i++)
        class->worth[mix_of (p, i)[k]] += simplex_line (&p->simplex, i)[0];
    for (uint32_t h = class->places; h > 1; h--)
        class->worth[h - 1] += class->worth[h];
}

/* The height at which the longest jobs of a class lack the most time; 0 if
 * they lack none. -1 if a number does not fit. */
static int64_t find_lack (struct stage_program *p, int k)
{
    const struct stage_class *class = &p->class[k];
    tori_wide given = 0, needed, most = 0;
    int64_t worst = 0;
    set_place_times (p, k);
    for (uint32_t h = 1; h <= class->places; h++) {
        if (wide_mul_overflow (class->need[h], p->simplex.det, &needed)
            || __builtin_add_overflow (given, class->worth[h], &given))
            return -1;
        if (needed - given > most) {
            most = needed - given;
            worst = h;
        }
    }
    return worst;
}

/* Returns 1 if rows were added. */
static int add_missing_rows (struct stage_program *p, tori_error *err)
{
    int added = 0;
    for (int k = 0; k < count_classes (p); k++) {
        int64_t height = find_lack (p, k);
        if (height < 0)
            return batch_too_fine (err);
        if (height > 0 && !add_row (p, k, (uint32_t)height))
            return tori_error_nomem (err);
        added |= height > 0;
    }
    return added;
}

/* ---- the stages ---- */

static int compare_mixes (const uint32_t *a, const uint32_t *b, int classes)
{
    for (int k = 0; k < classes; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Insert a stage in lexical order. */
static void insert_stage (struct stages *stages, const uint32_t *mix,
                          tori_wide time)
{
    size_t classes = (size_t)stages->classes, at = stages->n++;
    for (; at && compare_mixes (stages_mix (stages, at - 1), mix,
                                stages->classes)
                     > 0;
         at--) {
        memcpy (stages->count + at * classes, stages_mix (stages, at - 1),
                classes * sizeof *mix);
        stages->time[at] = stages->time[at - 1];
    }
    memcpy (stages->count + at * classes, mix, classes * sizeof *mix);
    stages->time[at] = time;
}

static void collect_stages (const struct stage_program *p,
                            struct stages *stages)
{
    tori_wide all = p->simplex.det;
    for (size_t i = 0; i < p->rows; i++) {
        tori_wide time = simplex_line (&p->simplex, i)[0];
        if (time && is_mix (p, i)) {
            insert_stage (stages, mix_of (p, i), time);
            all = tori_wide_gcd (all, time);
        }
    }
    stages->den = p->simplex.det / all;
    for (size_t i = 0; i < stages->n; i++) {
        stages->time[i] /= all;
        stages->total += stages->time[i];
    }
}

static int make_stages (struct stage_program *p, struct stages *ret_stages,
                        tori_error *err)
{
    struct stages stages = {.classes = count_classes (p)};
    int more = 1;
    if (!create_classes (p) || !add_first_rows (p))
        return tori_error_nomem (err);
    while (more) {
        if (find_shortest (p, err) < 0)
            return -1;
        more = add_missing_rows (p, err);
        if (more < 0)
            return -1;
    }
    stages.rows = p->rows;
    stages.count = calloc (p->rows * (size_t)stages.classes,
                           sizeof *stages.count);
    stages.time = calloc (p->rows, sizeof *stages.time);
    if (!stages.count || !stages.time) {
        stages_clear (&stages);
        return tori_error_nomem (err);
    }
    collect_stages (p, &stages);
    *ret_stages = stages;
    return 0;
}

int stages_create (const struct batch *batch, struct stages *ret_stages,
                   tori_error *err)
{
    struct stage_program p = {.batch = batch};
    int status = make_stages (&p, ret_stages, err);
    simplex_clear (&p.simplex);
    free (p.class);
    free (p.numbers);
    free (p.row);
    free (p.mix);
    free (p.price);
    free (p.entry);
    free (p.enters);
    free (p.best);
    return status;
}

void stages_clear (struct stages *stages)
{
    free (stages->count);
    free (stages->time);
    *stages = (struct stages){0};
}
