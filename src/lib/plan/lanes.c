#include "lanes.h"

#include <stdbool.h>
#include <stdlib.h>

#include "array.h"
#include "stairs.h"
#include "wide.h"

struct lane_stage {
    uint32_t places; /* of the class at hand */
    size_t stage;
    tori_wide begin; /* when the stage would begin in the order of places */
};

struct lane_plan {
    const struct batch *batch;
    const struct stages *stages;
    tori_wide *begin;        /* when each stage begins */
    uint32_t *base;          /* the first position of the class, by stage */
    struct lane_stage *turn; /* all stages, the fewest places first */
    tori_segment *segment;
    size_t n, room;
};

/* ---- the profile of a class ---- */

static int compare_turns (const void *a, const void *b)
{
    const struct lane_stage *x = a, *y = b;
    int order = (x->places > y->places) - (x->places < y->places);
    return order ? order : (x->stage > y->stage) - (x->stage < y->stage);
}

static void sort_stages (struct lane_plan *lanes, int k)
{
    const struct stages *stages = lanes->stages;
    tori_wide begin = 0;
    for (size_t i = 0; i < stages->n; i++)
        lanes->turn[i] = (struct lane_stage){
            .places = stages_mix (stages, i)[k], .stage = i};
    qsort (lanes->turn, stages->n, sizeof *lanes->turn, compare_turns);
    for (size_t i = 0; i < stages->n; i++) {
        lanes->turn[i].begin = begin;
        begin += stages->time[lanes->turn[i].stage];
    }
}

static uint32_t most_places (const struct lane_plan *lanes)
{
    return lanes->turn[lanes->stages->n - 1].places;
}

/* Cells are places, the last first: it has the least time. */
static struct stairs *create_profile (const struct lane_plan *lanes)
{
    uint32_t most = most_places (lanes);
    struct stairs *stairs = stairs_create (most);
    if (!stairs)
        return NULL;
    for (size_t i = lanes->stages->n; i-- > 0;) {
        const struct lane_stage *turn = &lanes->turn[i];
        uint32_t fewer = i ? turn[-1].places : 0;
        stairs_extend (stairs, most - fewer,
                       lanes->stages->total - turn->begin);
    }
    return stairs;
}

/* ---- segments ---- */

static bool add_segment (struct lane_plan *lanes, tori_segment segment)
{
    tori_segment *more = array_room (lanes->segment, &lanes->room,
                                     lanes->n + 1, sizeof *more);
    if (!more)
        return false;
    lanes->segment = more;
    more[lanes->n++] = segment;
    return true;
}

/* The piece of a part that is within one stage. */
static bool add_piece (struct lane_plan *lanes, const struct lane_stage *turn,
                       tori_segment piece)
{
    tori_wide end = turn->begin + lanes->stages->time[turn->stage];
    tori_wide move = lanes->begin[turn->stage] - turn->begin;
    if (piece.start < turn->begin)
        piece.start = turn->begin;
    if (piece.finish > end)
        piece.finish = end;
    if (piece.start >= piece.finish)
        return true;
    piece.first = lanes->base[turn->stage] + piece.first * piece.size;
    piece.start += move;
    piece.finish += move;
    return add_segment (lanes, piece);
}

static bool add_part (struct lane_plan *lanes, size_t job, uint32_t dimension,
                      const struct stair_part *part)
{
    tori_segment whole = {
        .job = job,
        .first = most_places (lanes) - 1 - part->cell,
        .size = dimension,
        .start = lanes->stages->total - part->left,
        .finish = lanes->stages->total - part->left + part->time,
    };
    for (size_t i = 0; i < lanes->stages->n; i++)
        if (!add_piece (lanes, &lanes->turn[i], whole))
            return false;
    return true;
}

/* ---- classes ---- */

/* A job always finds its place: the stages were made so. */
static int place_job (struct lane_plan *lanes, struct stairs *stairs, size_t i,
                      uint32_t dimension, tori_error *err)
{
    struct stair_part part[2];
    tori_wide time;
    int parts;
    if (wide_mul_overflow (lanes->batch->time[i], lanes->stages->den,
                                &time))
        return batch_too_fine (err);
    parts = stairs_place (stairs, 1, time, part);
    for (int k = 0; k < parts; k++)
        if (!add_part (lanes, lanes->batch->order[i], dimension, &part[k]))
            return tori_error_nomem (err);
    return 0;
}

static int fill_class (struct lane_plan *lanes, int k, tori_error *err)
{
    const struct batch_class *class = &lanes->batch->class[k];
    struct stairs *stairs;
    int status = 0;
    sort_stages (lanes, k);
    stairs = create_profile (lanes);
    if (!stairs)
        return tori_error_nomem (err);
    for (size_t i = class->begin; status == 0 && i < class->end; i++)
        status = place_job (lanes, stairs, i, class->dimension, err);
    stairs_destroy (stairs);
    for (size_t i = 0; i < lanes->stages->n; i++)
        lanes->base[i] += stages_mix (lanes->stages, i)[k] * class->dimension;
    return status;
}

/* ---- the whole ---- */

static int compare_segments (const void *a, const void *b)
{
    const tori_segment *x = a, *y = b;
    int order = (x->job > y->job) - (x->job < y->job);
    return order ? order : (x->start > y->start) - (x->start < y->start);
}

/* Join what follows without a stop and without a move. */
static void join_segments (struct lane_plan *lanes)
{
    size_t n = 0;
    qsort (lanes->segment, lanes->n, sizeof *lanes->segment,
           compare_segments);
    for (size_t i = 0; i < lanes->n; i++) {
        tori_segment *last = &lanes->segment[n], now = lanes->segment[i];
        if (n && last[-1].job == now.job && last[-1].first == now.first
            && last[-1].finish == now.start) {
            last[-1].finish = now.finish;
        } else {
            *last = now;
            n++;
        }
    }
    lanes->n = n;
}

static bool create_lanes (struct lane_plan *lanes)
{
    const struct stages *stages = lanes->stages;
    tori_wide begin = 0;
    lanes->begin = calloc (stages->n, sizeof *lanes->begin);
    lanes->base = calloc (stages->n, sizeof *lanes->base);
    lanes->turn = calloc (stages->n, sizeof *lanes->turn);
    if (!lanes->begin || !lanes->base || !lanes->turn)
        return false;
    for (size_t i = 0; i < stages->n; i++) {
        lanes->begin[i] = begin;
        begin += stages->time[i];
    }
    return true;
}

int lanes_fill (const struct batch *batch, const struct stages *stages,
                tori_segment **ret_segment, size_t *ret_n, tori_error *err)
{
    struct lane_plan lanes = {.batch = batch, .stages = stages};
    int status = create_lanes (&lanes) ? 0 : tori_error_nomem (err);
    for (int k = 0; status == 0 && k < batch->classes; k++)
        status = fill_class (&lanes, k, err);
    if (status == 0) {
        join_segments (&lanes);
        *ret_segment = lanes.segment;
        *ret_n = lanes.n;
    } else {
        free (lanes.segment);
    }
    free (lanes.begin);
    free (lanes.base);
    free (lanes.turn);
    return status;
}
