#include "play.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tori/snapshot.h>

#include "allocs.h"
#include "ask.h"
#include "placement.h"

/* ---- what is being played, to be told of if it fails ---- */

static char current[2 * TORI_TEXT_MAX];

static void note_case (const struct stream *stream,
                       const struct play_options *options)
{
    char machine[TORI_TEXT_MAX];
    tori_machine_format (stream->machine, machine);
    snprintf (current, sizeof current, "stream %llu on %s: %s %s %s",
              (unsigned long long)stream->seed, machine, options->policy,
              tori_order_name (options->order), options->alloc);
}

int play_teardown (void **state)
{
    (void)state;
    if (current[0])
        print_message ("%s\n", current);
    current[0] = '\0';
    return 0;
}

/* ---- the player ---- */

enum fate { FUTURE, WAITS, RUNS, ENDED, REJECTED, CANCELLED, KILLED };

struct player_job {
    enum fate fate;
    tori_job job;
    uint64_t started; /* the how manieth start it was */
    tori_time finish;
    tori_time start;
    tori_time end; /* by its estimate */
    tori_time lost; /* by moves */
    bool suspended;
    tori_time saved; /* of what it has done then */
    char place[TORI_TEXT_MAX + 64]; /* where it runs, or did */
    bool promised; /* in the last run */
    tori_time promise;
    bool patient; /* only its first request counts, as of the last run */
};

struct player {
    const struct stream *stream;
    const struct play_options *options;
    tori_alloc *alloc; /* to ask what it gives for a request */
    tori_alloc *counts; /* ... by count, or NULL */
    tori_sched *sched;
    struct naive_sched *naive; /* or NULL */
    struct naive *owners;
    struct player_job *jobs;
    struct stream_job *wishes; /* as they are after changes */
    size_t *windows; /* by mishap: their numbers + 1 in the definition */
    size_t submitted, mishaps, starts;
    tori_time now;
    tori_state *bare; /* what is down or drained, and nobody there */
    bool lazy;
    struct rng rng;
    FILE *transcript;
    tori_machine *snapshot_machine; /* of the last one, or NULL */
};

/* How many may hold a reservation. */
static uint32_t depth_of (const struct player *player)
{
    const char *policy = player->options->policy;
    if (player->options->depth)
        return player->options->depth;
    if (strcmp (policy, "conservative") == 0)
        return UINT32_MAX;
    return strcmp (policy, "easy") == 0;
}

static const struct stream_job *asked (const struct player *player,
                                       uint64_t tag)
{
    return &player->wishes[tag];
}

static tori_time length_of (const struct player *player, uint64_t tag)
{
    tori_time left = asked (player, tag)->estimate - asked (player, tag)->done;
    return left > 0 ? left : 1;
}

/* How long it really runs when it starts. */
static tori_time rest_of (const struct player *player, uint64_t tag)
{
    tori_time left = asked (player, tag)->runtime - asked (player, tag)->done;
    return left > 0 ? left : 0;
}

/* How long a job has worked since its start, up to now or to its last
 * checkpoint. */
static tori_time worked (const struct player *player, uint64_t tag, bool saved)
{
    tori_time every = asked (player, tag)->checkpoint;
    tori_time ran = player->now - player->jobs[tag].start
                    - player->jobs[tag].lost;
    if (ran <= 0)
        return 0;
    if (!saved)
        return ran;
    return every ? ran / every * every : 0;
}

/* It continues from its last checkpoint, or with all its work, now or
 * later. */
static void save_work (struct player *player, uint64_t tag, bool all)
{
    player->wishes[tag].done += worked (player, tag, !all);
}

/* It waits again. */
static void interrupt (struct player *player, uint64_t tag)
{
    struct player_job *job = &player->jobs[tag];
    if (job->suspended)
        player->wishes[tag].done = job->saved;
    else
        save_work (player, tag, false);
    job->fate = WAITS;
    job->suspended = false;
}

static tori_time expected_end (const struct player *player, uint64_t tag)
{
    tori_time end = player->jobs[tag].end;
    return end > player->now ? end : player->now + 1;
}

/* The allocator for a request. */
static tori_alloc *alloc_for_request (const struct player *player,
                                      const tori_request *request)
{
    return player->counts && request->shape.ndims == 0 ? player->counts
                                                       : player->alloc;
}

/* The i-th of what a job asks for that is not impossible, NULL past the
 * end. */
static const tori_request *listed (const struct player *player, uint64_t tag,
                                   size_t i)
{
    const struct stream_job *job = asked (player, tag);
    for (size_t k = 0; k <= job->ninstead; k++) {
        const tori_request *request = k ? &job->instead[k - 1]
                                        : &job->request;
        if (!tori_alloc_impossible (alloc_for_request (player, request),
                                    request)
            && i-- == 0)
            return request;
    }
    return NULL;
}

/* The same for what it would take at present. */
static const tori_request *choice (const struct player *player, uint64_t tag,
                                   size_t i)
{
    return i > 0 && player->jobs[tag].patient ? NULL
                                              : listed (player, tag, i);
}

static tori_time patience_ends (const struct player *player, uint64_t tag)
{
    const struct stream_job *job = asked (player, tag);
    return (job->submit > job->earliest ? job->submit : job->earliest)
           + job->patience;
}

/* Whether only its first request counts from now on. */
static void review_patience (struct player *player, uint64_t tag)
{
    player->jobs[tag].patient
        = asked (player, tag)->patience > 0
          && player->now < patience_ends (player, tag)
          && listed (player, tag, 1)
          && listed (player, tag, 0) == &asked (player, tag)->request;
}

/* How many nodes the allocator gives at least for what was asked. */
static int64_t nodes_of (const struct player *player, uint64_t tag)
{
    const tori_request *request;
    int64_t least = INT64_MAX;
    for (size_t i = 0; (request = choice (player, tag, i)) != NULL; i++) {
        int64_t nodes = (int64_t)nodes_given (
            alloc_for_request (player, request), request);
        if (nodes < least)
            least = nodes;
    }
    return least;
}

/* The answer of the allocator in a state: of several, the one that comes
 * nearest to a place. */
static tori_outcome outcome_among (const struct player *player, uint64_t tag,
                                   const tori_state *state)
{
    const tori_request *request;
    tori_outcome nearest = TORI_ERROR;
    for (size_t i = 0; (request = choice (player, tag, i)) != NULL; i++) {
        tori_placement place = {0};
        tori_outcome outcome
            = tori_alloc_place (alloc_for_request (player, request), state,
                                request, &place, NULL);
        tori_placement_clear (&place);
        if (outcome == TORI_PLACED)
            return outcome;
        if (outcome > nearest)
            nearest = outcome;
    }
    return nearest;
}

/* The same where the nodes that it may not use are not there. */
static tori_outcome outcome_in (const struct player *player, uint64_t tag,
                                const tori_state *state)
{
    uint64_t only = asked (player, tag)->only;
    tori_outcome outcome;
    tori_state *copy;
    if (!only)
        return outcome_among (player, tag, state);
    copy = make_state (player->stream->machine);
    assert_int_equal (tori_state_copy (copy, state, NULL), 0);
    for (uint32_t i = 0; i < player->owners->n; i++)
        if (!(only >> i & 1))
            tori_state_set_drained (copy, i, true, NULL);
    outcome = outcome_among (player, tag, copy);
    tori_state_destroy (copy);
    return outcome;
}

static const char *text_of_place (const tori_placement *place)
{
    static char text[TORI_TEXT_MAX + 64];
    char box[TORI_TEXT_MAX];
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < place->nboxes && at < sizeof text - 64; i++) {
        tori_box_format (tori_placement_box (place, i), box);
        at += (size_t)snprintf (text + at, sizeof text - at, "%.40s ", box);
    }
    if (place->nboxes) {
        snprintf (text + at, sizeof text - at, "%s",
                  tori_wiring_name (place->wiring));
        return text;
    }
    for (uint32_t i = 0; i < place->count && at < sizeof text - 12; i++)
        at += (size_t)snprintf (text + at, sizeof text - at, "%u ",
                                place->nodes[i]);
    return text;
}

/* ---- what a decision must be ---- */

static int64_t key_of (const struct player *player, uint64_t tag)
{
    const int64_t keys[] = {
        [TORI_ORDER_SUBMIT] = 0,
        [TORI_ORDER_SHORTEST] = asked (player, tag)->estimate,
        [TORI_ORDER_SMALLEST] = nodes_of (player, tag),
        [TORI_ORDER_LARGEST] = -nodes_of (player, tag),
    };
    return keys[player->options->order];
}

/* Which of two goes first in the queue. */
static bool queued_before (const struct player *player, uint64_t tag,
                           uint64_t next)
{
    const struct stream_job *a = asked (player, tag);
    const struct stream_job *b = asked (player, next);
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return key_of (player, tag) < key_of (player, next)
           || (key_of (player, tag) == key_of (player, next) && tag < next);
}

/* The same for one that is suspended, of its place. */
static tori_outcome outcome_there (const struct player *player, uint64_t tag,
                                   const tori_state *state)
{
    tori_job_info info = {.size = sizeof info};
    if (!player->jobs[tag].suspended)
        return outcome_in (player, tag, state);
    assert_true (
        tori_sched_look (player->sched, player->jobs[tag].job, &info));
    if (placement_free (info.suspended, state))
        return TORI_PLACED;
    return info.suspended->count > tori_state_free_count (state)
               ? TORI_NUMERICAL
               : TORI_TOPOLOGICAL;
}

/* Whether it does not fit even if nothing runs. */
static bool fits_never (const struct player *player, uint64_t tag)
{
    tori_outcome alone = outcome_there (player, tag, player->bare);
    return alone != TORI_PLACED && alone != TORI_ERROR;
}

/* Why it has to be set aside, or TORI_REASON_UNKNOWN. */
static tori_reason bar_of (const struct player *player, uint64_t tag)
{
    if (asked (player, tag)->hold)
        return TORI_REASON_HELD;
    if (asked (player, tag)->earliest > player->now)
        return TORI_REASON_NOT_YET;
    return fits_never (player, tag) ? TORI_REASON_NODES : TORI_REASON_UNKNOWN;
}

static bool is_aside (const struct player *player, uint64_t tag)
{
    return bar_of (player, tag) != TORI_REASON_UNKNOWN;
}

/* The first waiting job by the definition of the order; of all, or of those
 * that are in the queue: neither set aside nor suspended. */
static uint64_t first_waiting (const struct player *player, bool all)
{
    uint64_t first = UINT64_MAX;
    for (uint64_t i = 0; i < player->submitted; i++)
        if (player->jobs[i].fate == WAITS
            && (all
                || !(player->jobs[i].suspended || is_aside (player, i)))
            && (first == UINT64_MAX || queued_before (player, i, first)))
            first = i;
    return first;
}

/* Whether a box or slice may be one for this request. */
static bool has_sides (const struct player *player, const tori_alloc *alloc,
                       const tori_request *request,
                       const tori_placement *place)
{
    const tori_machine *machine = player->stream->machine;
    uint64_t flags = tori_alloc_get_info (alloc)->flags;
    tori_shape is, wants = request->shape;
    if (flags & (TORI_ALLOC_FOLDS | TORI_ALLOC_SLICES))
        return true;
    if (!tori_machine_is_pod (machine))
        return naive_allows (machine, request, &place->box);
    assert_true (tori_placement_shape (place, machine, &is));
    if (!request->fixed) {
        tori_shape_sort (&is);
        tori_shape_sort (&wants);
    }
    return tori_shape_equal (&is, &wants);
}

/* Whether a place is one for this request. */
static bool answers (const struct player *player, const tori_request *request,
                     const tori_placement *place)
{
    const tori_alloc *alloc = alloc_for_request (player, request);
    if (place->count != nodes_given (alloc, request))
        return false;
    if (naive_alloc_known (player->options->alloc)
        && place->nboxes != (request->shape.ndims > 0))
        return false;
    return !place->nboxes
           || (place->wiring == request->wiring
               && has_sides (player, alloc, request, place));
}

static void check_place (const struct player *player, uint64_t tag,
                         const tori_placement *place)
{
    const tori_request *request;
    size_t k = 0;
    while ((request = choice (player, tag, k)) != NULL
           && !answers (player, request, place))
        k++;
    assert_non_null (request);
    for (uint32_t i = 0; i < player->owners->n; i++)
        assert_true (!asked (player, tag)->only
                     || asked (player, tag)->only >> i & 1
                     || !tori_placement_contains (
                         place, player->stream->machine, i));
    for (uint32_t i = 0; !place->nboxes && i < place->count; i++) {
        assert_true (place->nodes[i] < player->owners->n);
        assert_true (i == 0 || place->nodes[i - 1] < place->nodes[i]);
    }
}

static void on_start (struct player *player, const tori_decision *decision)
{
    uint64_t tag = decision->tag;
    struct player_job *job = &player->jobs[tag];
    assert_int_equal (job->fate, WAITS);
    assert_int_equal (decision->job, job->job);
    assert_null (decision->why);
    if (strcmp (player->options->policy, "fcfs") == 0
        && !player->stream->levels)
        assert_int_equal (tag, first_waiting (player, false));
    if (player->options->promises && job->promised)
        assert_true (player->now <= job->promise);
    check_place (player, tag, decision->place);
    naive_hold_place (player->owners, decision->place, (int)tag, false);
    job->fate = RUNS;
    job->started = player->starts++;
    job->finish = player->now + rest_of (player, tag);
    job->start = player->now;
    job->lost = 0;
    job->end = player->now + length_of (player, tag);
    assert_int_equal (decision->kind == TORI_RESUME, job->suspended);
    if (job->suspended)
        assert_string_equal (text_of_place (decision->place), job->place);
    job->suspended = false;
    snprintf (job->place, sizeof job->place, "%s",
              text_of_place (decision->place));
    fprintf (player->transcript, "%lld start %llu %s\n",
             (long long)player->now, (unsigned long long)tag, job->place);
}

static void on_reject (struct player *player, const tori_decision *decision)
{
    struct player_job *job = &player->jobs[decision->tag];
    const tori_request *request = &asked (player, decision->tag)->request;
    assert_int_equal (job->fate, WAITS);
    assert_non_null (decision->why);
    assert_string_equal (
        decision->why,
        tori_alloc_impossible (alloc_for_request (player, request), request));
    assert_null (choice (player, decision->tag, 0));
    job->fate = REJECTED;
    fprintf (player->transcript, "%lld reject %llu %s\n",
             (long long)player->now, (unsigned long long)decision->tag,
             decision->why);
}

/* Another takes its place, if that is why: it is there no more. */
static void give_way (struct player *player, const tori_decision *decision,
                      tori_preempted fate)
{
    const struct stream_job *victim = asked (player, decision->tag);
    uint64_t by = 0;
    if (decision->by == TORI_NO_JOB)
        return;
    while (by < player->submitted
           && (player->jobs[by].fate != WAITS
               || player->jobs[by].job != decision->by))
        by++;
    assert_true (by < player->submitted);
    assert_true (asked (player, by)->level > victim->level);
    assert_int_equal (victim->preempted, fate);
    if (player->jobs[decision->tag].fate == RUNS)
        naive_release (player->owners, (int)decision->tag);
}

static void on_kill (struct player *player, const tori_decision *decision)
{
    struct player_job *job = &player->jobs[decision->tag];
    assert_int_equal (job->fate, RUNS);
    give_way (player, decision, TORI_PREEMPTED_KILL);
    job->fate = KILLED;
    naive_release (player->owners, (int)decision->tag);
    fprintf (player->transcript, "%lld kill %llu\n", (long long)player->now,
             (unsigned long long)decision->tag);
}

static void on_requeue (struct player *player, const tori_decision *decision)
{
    struct player_job *job = &player->jobs[decision->tag];
    assert_int_equal (job->fate, job->suspended ? WAITS : RUNS);
    if (decision->by == TORI_NO_JOB && !job->suspended)
        assert_true (asked (player, decision->tag)->flags & TORI_JOB_REQUEUE);
    give_way (player, decision, TORI_PREEMPTED_REQUEUE);
    interrupt (player, decision->tag);
    naive_release (player->owners, (int)decision->tag);
    job->promised = false;
    fprintf (player->transcript, "%lld requeue %llu\n",
             (long long)player->now, (unsigned long long)decision->tag);
}

/* It goes where all is free, but keeps nodes of a list, drained or not. */
static void check_arrival (const struct player *player, uint64_t tag,
                           const tori_placement *place)
{
    struct naive *owners = player->owners;
    for (uint32_t i = 0; !place->nboxes && i < place->count; i++) {
        const struct naive_node *node = &owners->nodes[place->nodes[i]];
        assert_true (naive_is_free (owners, place->nodes[i])
                     || (node->owner == (int)tag && !node->down));
    }
    if (!place->nboxes)
        return;
    naive_release (owners, (int)tag);
    assert_true (naive_place_free (owners, place));
}

/* One that is repaired has left, and then it arrives; of those that move for
 * another, all leave before the first arrives. */
static void on_move (struct player *player, const tori_decision *decision)
{
    uint64_t tag = decision->tag;
    struct player_job *job = &player->jobs[tag];
    bool repaired = decision->by == TORI_NO_JOB;
    assert_int_equal (job->fate, RUNS);
    if (repaired)
        check_arrival (player, tag, decision->place);
    assert_true (repaired ? asked (player, tag)->flags & TORI_JOB_REPAIR
                          : !(asked (player, tag)->flags & TORI_JOB_STAYS));
    naive_release (player->owners, (int)tag);
    naive_hold_place (player->owners, decision->place, (int)tag, true);
    save_work (player, tag, !repaired);
    job->start = player->now;
    job->lost = player->options->move;
    job->end = player->now + length_of (player, tag) + job->lost;
    job->finish = player->now + rest_of (player, tag) + job->lost;
    snprintf (job->place, sizeof job->place, "%s",
              text_of_place (decision->place));
    fprintf (player->transcript, "%lld move %llu %s\n",
             (long long)player->now, (unsigned long long)tag, job->place);
}

static void on_suspend (struct player *player, const tori_decision *decision)
{
    struct player_job *job = &player->jobs[decision->tag];
    struct stream_job *wish = &player->wishes[decision->tag];
    assert_int_equal (job->fate, RUNS);
    give_way (player, decision, TORI_PREEMPTED_SUSPEND);
    job->suspended = true;
    job->saved = wish->done + worked (player, decision->tag, true);
    wish->done += worked (player, decision->tag, false);
    job->fate = WAITS;
    job->promised = false;
    fprintf (player->transcript, "%lld suspend %llu\n",
             (long long)player->now, (unsigned long long)decision->tag);
}

static void compare_decision (struct player *player,
                              const tori_decision *decision)
{
    struct naive_decision expected;
    if (!player->naive)
        return;
    assert_true (naive_sched_next (player->naive, &expected));
    assert_int_equal (decision->kind, expected.kind);
    assert_int_equal (decision->tag, expected.tag);
    assert_int_equal (decision->least, expected.least);
    assert_int_equal (decision->by, expected.by == NAIVE_TAGS
                                        ? TORI_NO_JOB
                                        : player->jobs[expected.by].job);
    if (decision->place) {
        char text[TORI_TEXT_MAX + 64];
        snprintf (text, sizeof text, "%s", text_of_place (&expected.place));
        assert_string_equal (text_of_place (decision->place), text);
    }
}

static void take_decisions (struct player *player)
{
    static void (*const take[]) (struct player *, const tori_decision *)
        = {[TORI_START] = on_start,
           [TORI_REJECT] = on_reject,
           [TORI_KILL] = on_kill,
           [TORI_REQUEUE] = on_requeue,
           [TORI_MOVE] = on_move,
           [TORI_SUSPEND] = on_suspend,
           [TORI_RESUME] = on_start};
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (player->sched, &decision)) {
        compare_decision (player, &decision);
        take[decision.kind](player, &decision);
    }
    if (player->naive)
        assert_int_equal (player->naive->fetched, player->naive->nmade);
}

/* ---- reservations ---- */

struct reservation {
    uint64_t tag;
    tori_time from, until;
    const tori_placement *place; /* by shape */
};

static void compare_reservation (const struct player *player, uint64_t tag,
                                 const struct reservation *reservation)
{
    const struct naive_job *job;
    char text[TORI_TEXT_MAX + 64];
    if (!player->naive)
        return;
    job = &player->naive->jobs[tag];
    assert_int_equal (job->reserved || job->held, reservation != NULL);
    if (!reservation)
        return;
    assert_int_equal (reservation->from,
                      job->held ? job->held_from : job->reserved_at);
    if (reservation->place) {
        snprintf (text, sizeof text, "%s",
                  text_of_place (job->held ? &job->kept
                                           : &job->reserved_place));
        assert_string_equal (text_of_place (reservation->place), text);
    }
}

/* Whether reservations of counts are places. */
static bool places (const struct player *player)
{
    return player->counts || player->options->flags & TORI_SCHED_PLACES;
}

static bool ask_one (struct player *player, uint64_t tag,
                     struct reservation *ret_reservation)
{
    struct reservation it = {.tag = tag};
    const tori_alloc_info *info = tori_alloc_get_info (player->alloc);
    int held = tori_sched_reservation (player->sched, player->jobs[tag].job,
                                       &it.from, &it.place, NULL);
    assert_true (held >= 0);
    if (!held) {
        compare_reservation (player, tag, NULL);
        return false;
    }
    compare_reservation (player, tag, &it);
    assert_true (it.from > player->now);
    it.until = it.from + length_of (player, tag);
    assert_int_equal (it.place == NULL,
                      (info->takes & TORI_BY_COUNT) && !ops_named (info->name)
                          && !places (player));
    if (it.place)
        check_place (player, tag, it.place);
    *ret_reservation = it;
    return true;
}

/* Whether a job may take the place that is kept for a suspended one. */
static bool may_take (const struct player *player, uint64_t tag,
                      uint64_t suspended)
{
    return player->jobs[suspended].suspended
           && asked (player, tag)->level > asked (player, suspended)->level;
}

/* Reservations that meet in time have nothing in common, but for urgent
 * jobs. */
static void check_apart (const struct player *player,
                         const struct reservation *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (list[i].from < list[j].until && list[j].from < list[i].until
                && !may_take (player, list[i].tag, list[j].tag)
                && !may_take (player, list[j].tag, list[i].tag))
                assert_false (naive_share (player->owners, list[i].place,
                                           list[j].place));
}

/* Nothing that a reservation needs is down or will be held by a running job
 * when its time comes. */
static void check_there (struct player *player,
                         const struct reservation *reservation)
{
    struct naive *later = naive_create (player->stream->machine);
    for (uint32_t i = 0; i < later->n; i++) {
        int owner = player->owners->nodes[i].owner;
        later->nodes[i] = player->owners->nodes[i];
        if (owner != NOBODY
            && expected_end (player, (uint64_t)owner) <= reservation->from)
            later->nodes[i].owner = NOBODY;
    }
    for (size_t i = 0; i < later->nlinks; i++) {
        int owner = player->owners->links[i].owner;
        later->links[i] = player->owners->links[i];
        if (owner != NOBODY
            && expected_end (player, (uint64_t)owner) <= reservation->from)
            later->links[i].owner = NOBODY;
    }
    assert_true (naive_place_free (later, reservation->place));
    naive_destroy (later);
}

/* At the beginning of each there are nodes for all. */
static void check_counts (const struct player *player,
                          const struct reservation *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t nodes = 0;
        for (uint32_t k = 0; k < player->owners->n; k++) {
            const struct naive_node *node = &player->owners->nodes[k];
            nodes += !node->down && !node->drained
                     && (node->owner == NOBODY
                         || expected_end (player, (uint64_t)node->owner)
                                <= list[i].from);
        }
        for (size_t j = 0; j < n; j++)
            if (list[j].from <= list[i].from && list[i].from < list[j].until)
                nodes -= nodes_of (player, list[j].tag);
        assert_true (nodes >= 0);
    }
}

/* A reservation is never put off while the job holds one. */
static void check_promise (struct player *player, uint64_t tag,
                           const struct reservation *reservation)
{
    struct player_job *job = &player->jobs[tag];
    bool everyone = depth_of (player) == UINT32_MAX;
    if (player->options->promises) {
        assert_true (reservation || !everyone);
        if (reservation && job->promised)
            assert_true (reservation->from <= job->promise);
    }
    job->promised = reservation != NULL;
    if (reservation)
        job->promise = reservation->from;
}

static void ask (struct player *player)
{
    struct reservation list[NAIVE_TAGS];
    size_t n = 0;
    for (uint64_t i = 0; i < player->submitted; i++) {
        bool has;
        if (player->jobs[i].fate != WAITS)
            continue;
        has = ask_one (player, i, &list[n]);
        check_promise (player, i, has ? &list[n] : NULL);
        n += has;
    }
    if (n == 0)
        return;
    if (!list[0].place) {
        check_counts (player, list, n);
        return;
    }
    check_apart (player, list, n);
    for (size_t i = 0; i < n; i++)
        check_there (player, &list[i]);
}

/* ---- the books ---- */

/* Whether it would run into a window if it started now. */
static bool meets_window (const struct player *player, uint64_t tag)
{
    tori_window window = {.size = sizeof window};
    for (size_t i = 0; tori_sched_window (player->sched, i, &window); i++)
        if (window.tags[0] != tag && window.until > player->now
            && window.from < player->now + length_of (player, tag))
            return true;
    return false;
}

static bool any_suspended (const struct player *player)
{
    for (uint64_t i = 0; i < player->submitted; i++)
        if (player->jobs[i].fate == WAITS && player->jobs[i].suspended)
            return true;
    return false;
}

/* The reason why a job waits is true, as far as the allocator knows. */
static void check_waits (const struct player *player, uint64_t tag, bool first,
                         tori_reason waits)
{
    const char *policy = player->options->policy;
    tori_outcome now = outcome_there (player, tag,
                                      tori_sched_state (player->sched));
    if (is_aside (player, tag)) {
        assert_int_equal (waits, bar_of (player, tag));
        return;
    }
    assert_true (waits < TORI_REASON_HELD || waits > TORI_REASON_NODES);
    assert_int_equal (waits == TORI_REASON_NUMERICAL, now == TORI_NUMERICAL);
    if (waits == TORI_REASON_TOPOLOGICAL)
        assert_true (now == TORI_TOPOLOGICAL || now == TORI_WIRING);
    else if (waits == TORI_REASON_WINDOW)
        assert_true (meets_window (player, tag));
    else if (waits == TORI_REASON_RESERVED && any_suspended (player))
        ;
    else if (strcmp (policy, "fcfs") == 0 && waits != TORI_REASON_NUMERICAL)
        assert_true (waits == TORI_REASON_ORDER && !first);
    else if (waits != TORI_REASON_NUMERICAL)
        assert_true (waits == TORI_REASON_RESERVED
                     && strcmp (policy, "backfill") != 0
                     && (!first || depth_of (player) > 1));
}

static void check_request (const tori_request *request,
                           const tori_request *given)
{
    tori_shape shape = given->shape;
    if (!given->fixed)
        tori_shape_sort (&shape);
    assert_true (tori_shape_equal (&request->shape, &shape));
    assert_int_equal (request->count, alloc_asked (given));
    assert_int_equal (request->wiring, given->wiring);
    assert_int_equal (request->fixed, given->fixed);
    assert_int_equal (request->wrap, given->wrap);
}

/* Its requests are listed, except those that are impossible. */
static void check_requests (const struct player *player, uint64_t tag,
                            const tori_job_spec *spec)
{
    const tori_request *request;
    size_t n = 0;
    for (; (request = listed (player, tag, n)) != NULL; n++)
        check_request (n ? &spec->alternatives[n - 1] : &spec->request,
                       request);
    assert_int_equal (n, 1 + spec->nalternatives);
    assert_int_equal (spec->only ? *spec->only : 0, asked (player, tag)->only);
}

/* A job and what is said of it. */
static uint64_t look (const struct player *player, tori_job job,
                      tori_job_info *ret_info)
{
    tori_job_spec spec = {.size = sizeof spec};
    uint64_t tag;
    ret_info->size = sizeof *ret_info;
    assert_true (tori_sched_look (player->sched, job, ret_info));
    assert_true (tori_sched_spec (player->sched, job, &spec));
    tag = ret_info->tag;
    assert_int_equal (tag, spec.tag);
    assert_true (tag < player->submitted);
    assert_int_equal (player->jobs[tag].job, job);
    assert_int_equal (spec.estimate, asked (player, tag)->estimate);
    assert_int_equal (spec.checkpoint, asked (player, tag)->checkpoint);
    assert_int_equal (spec.done, asked (player, tag)->done);
    check_requests (player, tag, &spec);
    assert_int_equal (spec.level, asked (player, tag)->level);
    assert_int_equal (spec.preempted, asked (player, tag)->preempted);
    return tag;
}

static void check_queued (const struct player *player, uint64_t tag,
                          bool first, const tori_job_info *info)
{
    assert_int_equal (player->jobs[tag].fate, WAITS);
    assert_int_equal (info->phase, TORI_JOB_QUEUED);
    assert_null (info->place);
    assert_int_equal (info->suspended != NULL, player->jobs[tag].suspended);
    if (info->suspended)
        assert_int_equal (info->saved, player->jobs[tag].saved);
    assert_int_equal (info->aside != NULL, is_aside (player, tag));
    if (player->naive)
        assert_int_equal (player->naive->jobs[tag].aside, info->aside != NULL);
    check_waits (player, tag, first, info->waits);
}

static bool ends_before (const struct player *player, uint64_t tag,
                         uint64_t next)
{
    const struct player_job *a = &player->jobs[tag], *b = &player->jobs[next];
    if (a->end != b->end)
        return a->end < b->end;
    return a->start < b->start || (a->start == b->start && tag < next);
}

static void check_running (const struct player *player, uint64_t tag,
                           bool first, const tori_job_info *info)
{
    const struct player_job *is = &player->jobs[tag];
    assert_int_equal (is->fate, RUNS);
    assert_int_equal (info->phase, TORI_JOB_RUNNING);
    assert_int_equal (info->end, is->end);
    assert_int_equal (info->start, is->start);
    check_place (player, tag, info->place);
}

/* A list that the scheduler gives of its jobs: how many there are, in which
 * order, and what is said of each. */
struct listing {
    size_t (*list) (const tori_sched *sched, tori_job ret_jobs[]);
    size_t (*count) (const tori_sched *sched);
    bool (*before) (const struct player *player, uint64_t tag, uint64_t next);
    void (*check) (const struct player *player, uint64_t tag, bool first,
                   const tori_job_info *info);
};

static void check_listing (const struct player *player,
                           const struct listing *listing)
{
    tori_job jobs[NAIVE_TAGS];
    size_t n = listing->list (player->sched, jobs);
    uint64_t last = 0;
    assert_int_equal (n, listing->count (player->sched));
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        uint64_t tag = look (player, jobs[i], &info);
        assert_true (i == 0 || listing->before (player, last, tag));
        listing->check (player, tag, i == 0, &info);
        last = tag;
    }
}

static void check_listings (const struct player *player)
{
    static const struct listing listings[] = {
        {tori_sched_queued_jobs, tori_sched_queued, queued_before,
         check_queued},
        {tori_sched_running_jobs, tori_sched_running, ends_before,
         check_running},
    };
    for (size_t i = 0; i < LENGTH (listings); i++)
        check_listing (player, &listings[i]);
}

/* Whether a place is kept from a suspended job, for another one. */
static bool is_kept_for_other (const struct player *player, uint64_t tag,
                               const tori_placement *place)
{
    for (uint64_t i = 0; i < player->submitted; i++) {
        tori_job_info info = {.size = sizeof info};
        if (i == tag || player->jobs[i].fate != WAITS
            || !player->jobs[i].suspended
            || asked (player, i)->level < asked (player, tag)->level)
            continue;
        assert_true (
            tori_sched_look (player->sched, player->jobs[i].job, &info));
        if (naive_share (player->owners, place, info.suspended))
            return true;
    }
    return false;
}

/* The place of a suspended job is never idle while it could go on there. So no
 * job was suspended whose place is idle then. */
static void check_idle (const struct player *player, uint64_t tag)
{
    tori_job_info info = {.size = sizeof info};
    if (player->jobs[tag].fate != WAITS || !player->jobs[tag].suspended
        || is_aside (player, tag))
        return;
    assert_true (
        tori_sched_look (player->sched, player->jobs[tag].job, &info));
    assert_true (!placement_free (info.suspended,
                                  tori_sched_state (player->sched))
                 || meets_window (player, tag)
                 || is_kept_for_other (player, tag, info.suspended));
}

static void check_books (const struct player *player)
{
    const tori_state *state = tori_sched_state (player->sched);
    uint64_t first = first_waiting (player, false), tag = 0;
    tori_reason blocked = tori_sched_blocked (player->sched);
    size_t waits = 0, runs = 0;
    tori_job job;
    for (size_t i = 0; i < player->submitted; i++) {
        waits += player->jobs[i].fate == WAITS;
        runs += player->jobs[i].fate == RUNS;
        check_idle (player, i);
    }
    assert_int_equal (tori_sched_queued (player->sched), waits);
    assert_int_equal (tori_sched_running (player->sched), runs);
    naive_expect (player->owners, state);
    assert_int_equal (tori_sched_head (player->sched, &job, &tag), waits > 0);
    if (waits > 0) {
        assert_int_equal (tag, first_waiting (player, true));
        assert_int_equal (job, player->jobs[tag].job);
    }
    if (first == UINT64_MAX) {
        assert_int_equal (blocked, TORI_REASON_UNKNOWN);
        return;
    }
    assert_int_equal (
        blocked, outcome_there (player, first, state) == TORI_NUMERICAL
                     ? TORI_REASON_NUMERICAL
                     : TORI_REASON_TOPOLOGICAL);
}

/* ---- restarts ---- */

static void adopt_running (struct player *player, const tori_sched *old)
{
    tori_job jobs[NAIVE_TAGS];
    size_t n = tori_sched_running_jobs (old, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        tori_job_spec spec = {.size = sizeof spec};
        assert_true (tori_sched_look (old, jobs[i], &info));
        assert_true (tori_sched_spec (old, jobs[i], &spec));
        assert_int_equal (
            tori_sched_adopt (player->sched, player->now, &spec,
                              info.start, info.place,
                              &player->jobs[info.tag].job, NULL),
            0);
    }
}

static void copy_machine (struct player *player)
{
    const struct naive *owners = player->owners;
    const tori_machine *machine = player->stream->machine;
    for (uint32_t i = 0; i < owners->n; i++) {
        if (owners->nodes[i].down)
            tori_sched_set_down (player->sched, player->now, i, true, NULL);
        if (owners->nodes[i].drained)
            tori_sched_set_drained (player->sched, player->now, i, true, NULL);
    }
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        for (uint32_t i = 0; i < 2 * owners->n; i++) {
            tori_link link = {d, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_link_exists (machine, &link)
                && owners->links[naive_number (owners, &link)].down)
                tori_sched_set_link_down (player->sched, player->now, &link,
                                          true, NULL);
        }
}

static void copy_windows (struct player *player, const tori_sched *old)
{
    tori_window window = {.size = sizeof window};
    for (size_t i = 0; tori_sched_window (old, i, &window); i++)
        assert_int_equal (tori_sched_add_window (player->sched, player->now,
                                                 &window, NULL),
                          0);
}

/* Once all are there each gets the reservation that it had. */
static void restore_reservations (struct player *player, tori_sched *old)
{
    tori_job jobs[NAIVE_TAGS];
    size_t n = tori_sched_queued_jobs (old, jobs);
    for (size_t i = 0; i < n; i++) {
        const tori_placement *place;
        tori_job_info info = {.size = sizeof info};
        tori_time at;
        assert_true (tori_sched_look (old, jobs[i], &info));
        if (tori_sched_reservation (old, jobs[i], &at, &place, NULL) > 0)
            assert_int_equal (
                tori_sched_reserve (player->sched,
                                    player->jobs[info.tag].job, at, place,
                                    NULL),
                0);
    }
}

static void submit_queued (struct player *player, const tori_sched *old)
{
    tori_job jobs[NAIVE_TAGS];
    size_t n = tori_sched_queued_jobs (old, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_spec spec = {.size = sizeof spec};
        tori_job_info info = {.size = sizeof info};
        tori_job *job;
        assert_true (tori_sched_spec (old, jobs[i], &spec));
        assert_true (tori_sched_look (old, jobs[i], &info));
        job = &player->jobs[spec.tag].job;
        assert_int_equal (
            info.suspended
                ? tori_sched_adopt_suspended (player->sched, player->now,
                                              &spec, info.saved,
                                              info.suspended, job, NULL)
                : tori_sched_submit (player->sched, player->now, &spec, job,
                                     NULL),
            0);
    }
}

static tori_alloc_config alloc_of (const struct play_options *options)
{
    return (tori_alloc_config){.size = sizeof (tori_alloc_config),
                               .name = options->alloc,
                               .ops = ops_named (options->alloc)};
}

static tori_sched *make_sched (const tori_machine *machine,
                               const struct play_options *options)
{
    tori_alloc_config alloc = alloc_of (options);
    tori_sched *sched;
    assert_int_equal (
        tori_sched_create (machine,
                           TORI_SCHED (options->policy, &alloc,
                                       options->order,
                                       .flags = options->flags,
                                       .counts = options->counts
                                                     ? TORI_ALLOC (
                                                           options->counts)
                                                     : NULL,
                                       .depth = options->depth,
                                       .work = options->work,
                                       .move = options->move),
                           &sched, NULL),
        0);
    return sched;
}

static void rebuild (struct player *player, tori_sched *old)
{
    player->sched = make_sched (player->stream->machine, player->options);
    adopt_running (player, old);
    copy_machine (player);
    submit_queued (player, old);
    assert_true (tori_state_equal (tori_sched_state (player->sched),
                                   tori_sched_state (old)));
    copy_windows (player, old);
    restore_reservations (player, old);
}

/* ---- restarts from a file ---- */

/* The file of a scheduler, as text, and that of the snapshot it says: the
 * same. */
static tori_snapshot *through_text (tori_sched *old)
{
    tori_snapshot *snapshot;
    tori_error err = {0};
    char *text[2] = {NULL, NULL};
    size_t size;
    assert_int_equal (tori_snapshot_take (old, &snapshot, NULL), 0);
    for (int i = 0; i < 2; i++) {
        FILE *file = open_memstream (&text[i], &size);
        assert_int_equal (tori_snapshot_write (snapshot, file, NULL), 0);
        assert_int_equal (fclose (file), 0);
        tori_snapshot_destroy (snapshot);
        if (tori_snapshot_parse (text[i], size, "text", &snapshot, &err) < 0)
            fail_msg ("%s\n%s", err.text, text[i]);
    }
    assert_string_equal (text[0], text[1]);
    free (text[0]);
    free (text[1]);
    return snapshot;
}

static void rename_jobs (struct player *player,
                         size_t (*list) (const tori_sched *, tori_job *))
{
    tori_job jobs[NAIVE_TAGS];
    size_t n = list (player->sched, jobs);
    for (size_t i = 0; i < n; i++) {
        tori_job_info info = {.size = sizeof info};
        assert_true (tori_sched_look (player->sched, jobs[i], &info));
        player->jobs[info.tag].job = jobs[i];
    }
}

static void rebuild_from_file (struct player *player, tori_sched *old)
{
    tori_snapshot *snapshot = through_text (old);
    tori_error err = {0};
    if (tori_snapshot_sched (snapshot, NULL, &player->sched, &err) < 0)
        fail_msg ("%s", err.text);
    tori_machine_destroy (player->snapshot_machine);
    player->snapshot_machine = snapshot->machine;
    snapshot->machine = NULL;
    tori_snapshot_destroy (snapshot);
    rename_jobs (player, tori_sched_running_jobs);
    rename_jobs (player, tori_sched_queued_jobs);
}

/* Go on with another scheduler. It has nothing to decide that was not decided
 * before. */
static void restart (struct player *player)
{
    const struct play_options *options = player->options;
    tori_sched *old = player->sched;
    tori_decision decision = {.size = sizeof decision};
    (options->file ? rebuild_from_file : rebuild) (player, old);
    tori_sched_destroy (old);
    assert_int_equal (tori_sched_run (player->sched, player->now, NULL), 0);
    assert_false (tori_sched_next (player->sched, &decision));
    check_books (player);
    if (options->ask)
        ask (player);
}

/* Go on with a copy, whatever has happened since the last run. */
static void go_on_with_copy (struct player *player)
{
    tori_sched *copy;
    assert_int_equal (tori_sched_copy (player->sched, &copy, NULL), 0);
    tori_sched_destroy (player->sched);
    player->sched = copy;
}

/* ---- running ---- */

static void run (struct player *player)
{
    if (player->options->copy)
        go_on_with_copy (player);
    for (uint64_t i = 0; i < player->submitted; i++)
        review_patience (player, i);
    assert_int_equal (tori_sched_run (player->sched, player->now, NULL), 0);
    for (size_t i = 0; tori_sched_unfinished (player->sched); i++) {
        assert_true (player->options->work && i < 10000);
        assert_int_equal (tori_sched_run (player->sched, player->now, NULL),
                          0);
    }
    if (player->naive)
        naive_sched_run (player->naive, player->now);
    take_decisions (player);
    check_books (player);
    check_listings (player);
    if (player->options->ask)
        ask (player);
    if (player->options->restart)
        restart (player);
}

static void end_job (struct player *player, uint64_t tag, enum fate fate)
{
    struct player_job *job = &player->jobs[tag];
    assert_int_equal (fate == ENDED
                          ? tori_sched_finish (player->sched, player->now,
                                               job->job, NULL)
                          : tori_sched_cancel (player->sched, player->now,
                                               job->job, NULL),
                      0);
    if (player->naive)
        naive_sched_end (player->naive, player->now, tag);
    if (job->fate == RUNS)
        naive_release (player->owners, (int)tag);
    job->fate = fate;
}

/* The next job to end at this time, by start. */
static bool next_due (const struct player *player, uint64_t *ret_tag)
{
    bool found = false;
    for (uint64_t i = 0; i < player->submitted; i++)
        if (player->jobs[i].fate == RUNS
            && player->jobs[i].finish == player->now
            && (!found
                || player->jobs[i].started
                       < player->jobs[*ret_tag].started)) {
            *ret_tag = i;
            found = true;
        }
    return found;
}

static void finish_due (struct player *player)
{
    uint64_t tag = 0;
    while (next_due (player, &tag))
        end_job (player, tag, ENDED);
}

/* If only the first job of the queue has a planned start, it loses that when
 * another job becomes the first. */
static void forget_promises (struct player *player, uint64_t newcomer)
{
    if (depth_of (player) > 1
        || first_waiting (player, false) != newcomer)
        return;
    for (uint64_t i = 0; i < newcomer; i++)
        player->jobs[i].promised = false;
}

static void submit_due (struct player *player)
{
    while (player->submitted < player->stream->njobs
           && asked (player, player->submitted)->submit == player->now) {
        const struct stream_job *job = asked (player, player->submitted);
        tori_job_spec spec = {.size = sizeof spec,
                              .estimate = job->estimate,
                              .tag = player->submitted,
                              .request = job->request,
                              .alternatives = job->instead,
                              .nalternatives = job->ninstead,
                              .only = job->only ? &job->only : NULL,
                              .priority = job->priority,
                              .earliest = job->earliest,
                              .patience = job->patience,
                              .flags = job->flags,
                              .hold = job->hold,
                              .checkpoint = job->checkpoint,
                              .done = job->done,
                              .level = job->level,
                              .preempted = job->preempted};
        struct player_job *is = &player->jobs[player->submitted++];
        assert_int_equal (tori_sched_submit (player->sched, player->now, &spec,
                                             &is->job, NULL),
                          0);
        if (player->naive)
            naive_sched_submit (player->naive, player->now, &spec);
        is->fate = WAITS;
        review_patience (player, spec.tag);
        forget_promises (player, spec.tag);
    }
    take_decisions (player);
}

/* ---- mishaps ---- */

/* Whether it was killed, or waits again if it asked for that; or else was
 * repaired. */
static void check_struck (const struct player *player, uint64_t tag)
{
    bool again = asked (player, tag)->flags & TORI_JOB_REQUEUE;
    enum fate fate = player->jobs[tag].fate;
    if (fate == RUNS)
        assert_true (asked (player, tag)->flags & TORI_JOB_REPAIR);
    else
        assert_int_equal (fate, again ? WAITS : KILLED);
}

static void set_node (struct player *player, uint32_t node, bool drain,
                      bool value)
{
    struct naive_node *is = &player->owners->nodes[node];
    int owner = is->owner;
    assert_int_equal ((drain ? tori_sched_set_drained : tori_sched_set_down) (
                          player->sched, player->now, node, value, NULL),
                      0);
    if (player->naive)
        naive_sched_set_node (player->naive, player->now, node, drain, value);
    *(drain ? &is->drained : &is->down) = value;
    (drain ? tori_state_set_drained : tori_state_set_down) (player->bare, node,
                                                            value, NULL);
    take_decisions (player);
    if (owner != NOBODY && value && !drain)
        check_struck (player, (uint64_t)owner);
}

static void set_link (struct player *player, const tori_link *link, bool down)
{
    size_t number = naive_number (player->owners, link);
    int owner = player->owners->links[number].owner;
    assert_int_equal (tori_sched_set_link_down (player->sched, player->now,
                                                link, down, NULL),
                      0);
    if (player->naive)
        naive_sched_set_link (player->naive, player->now, link, down);
    player->owners->links[number].down = down;
    tori_state_set_link_down (player->bare, link, down, NULL);
    take_decisions (player);
    if (owner != NOBODY && down)
        check_struck (player, (uint64_t)owner);
}

/* Several at once. */
static void fail_some (struct player *player, const struct mishap *mishap)
{
    const tori_machine *machine = player->stream->machine;
    size_t n, nlinks;
    uint32_t nodes[3];
    tori_link links[2];
    struct rng rng;
    rng_seed (&rng, (uint64_t)mishap->change, 4);
    n = between (&rng, 0, 3);
    nlinks = tori_machine_links (machine) ? between (&rng, 0, 2) : 0;
    for (size_t i = 0; i < n; i++) {
        nodes[i] = (uint32_t)rng_below (&rng, player->owners->n);
        player->owners->nodes[nodes[i]].down = true;
        tori_state_set_down (player->bare, nodes[i], true, NULL);
    }
    for (size_t i = 0; i < nlinks; i++) {
        links[i] = random_link (&rng, machine);
        player->owners->links[naive_number (player->owners, &links[i])].down
            = true;
        tori_state_set_link_down (player->bare, &links[i], true, NULL);
    }
    assert_int_equal (tori_sched_fail (player->sched, player->now, nodes, n,
                                       links, nlinks, NULL),
                      0);
    if (player->naive)
        naive_sched_fail (player->naive, player->now, nodes, n, links,
                          nlinks);
    take_decisions (player);
}

/* ---- changes ---- */

static void set_priority (struct player *player, uint64_t tag, int32_t value)
{
    player->wishes[tag].priority = value;
    assert_int_equal (tori_sched_set_priority (player->sched, player->now,
                                               player->jobs[tag].job, value,
                                               NULL),
                      0);
    if (player->naive)
        naive_sched_set_priority (player->naive, player->now, tag, value);
}

static void set_hold (struct player *player, uint64_t tag, tori_hold value)
{
    player->wishes[tag].hold = value;
    assert_int_equal (tori_sched_set_hold (player->sched, player->now,
                                           player->jobs[tag].job, value,
                                           NULL),
                      0);
    if (player->naive)
        naive_sched_set_hold (player->naive, player->now, tag, value);
}

static void set_earliest (struct player *player, uint64_t tag, int32_t later)
{
    tori_time value = player->now + later;
    player->wishes[tag].earliest = value;
    assert_int_equal (tori_sched_set_earliest (player->sched, player->now,
                                               player->jobs[tag].job, value,
                                               NULL),
                      0);
    if (player->naive)
        naive_sched_set_earliest (player->naive, player->now, tag, value);
}

static void set_estimate (struct player *player, uint64_t tag, int32_t value)
{
    struct player_job *job = &player->jobs[tag];
    player->wishes[tag].estimate = value;
    assert_int_equal (tori_sched_set_estimate (player->sched, player->now,
                                               job->job, value, NULL),
                      0);
    if (player->naive)
        naive_sched_set_estimate (player->naive, player->now, tag, value);
    if (job->fate == RUNS)
        job->end = job->start + length_of (player, tag) + job->lost;
}

static void requeue (struct player *player, uint64_t tag)
{
    assert_int_equal (tori_sched_requeue (player->sched, player->now,
                                          player->jobs[tag].job, NULL),
                      0);
    if (player->naive)
        naive_sched_requeue (player->naive, player->now, tag);
    naive_release (player->owners, (int)tag);
    interrupt (player, tag);
}

/* ---- windows ---- */

/* The window of a mishap has its number for a name, and the next but two takes
 * the first away again if it is still there. */
static void add_window (struct player *player, const struct mishap *mishap)
{
    char name[24];
    size_t number = (size_t)(mishap - player->stream->mishaps);
    tori_time from = player->now + mishap->change;
    tori_window window = {.size = sizeof window,
                          .name = name,
                          .from = from,
                          .until = from + mishap->length,
                          .place = mishap->count ? NULL : &mishap->place,
                          .tags = &mishap->tag,
                          .ntags = 1,
                          .count = mishap->count};
    tori_placement chosen = {0};
    const tori_placement *place = &mishap->place;
    int status;
    snprintf (name, sizeof name, "%zu", number);
    status = tori_sched_add_window (player->sched, player->now, &window, NULL);
    if (player->naive && mishap->count) {
        assert_int_equal (naive_sched_choose (player->naive, player->now,
                                              mishap->count, from,
                                              window.until, &chosen),
                          status == 0);
        place = &chosen;
    }
    assert_true (status == 0 || mishap->count);
    if (player->naive && status == 0)
        player->windows[number]
            = 1 + naive_sched_add_window (player->naive, player->now, place,
                                          from, window.until, mishap->tag);
    tori_placement_clear (&chosen);
}

static void remove_window (struct player *player)
{
    tori_window first = {.size = sizeof first};
    char name[24];
    size_t number;
    if (!tori_sched_window (player->sched, 0, &first))
        return;
    snprintf (name, sizeof name, "%s", first.name);
    assert_int_equal (tori_sched_remove_window (player->sched, player->now,
                                                name, NULL),
                      0);
    number = strtoul (name, NULL, 10);
    if (player->naive)
        naive_sched_remove_window (player->naive, player->now,
                                   player->windows[number] - 1);
}

static void open_window (struct player *player, const struct mishap *mishap)
{
    add_window (player, mishap);
    if (mishap->length % 3 == 0)
        remove_window (player);
}

/* ---- moves ---- */

static const tori_placement *place_of (const struct player *player,
                                       uint64_t tag)
{
    tori_job_info info = {.size = sizeof info};
    assert_true (
        tori_sched_look (player->sched, player->jobs[tag].job, &info));
    return info.place;
}

/* A box of the same shape somewhere, with the links of the rule; or as many
 * nodes from somewhere on, free or its own. */
static void random_place (const struct player *player, struct rng *rng,
                          uint64_t tag, tori_placement *place)
{
    const struct naive *owners = player->owners;
    uint32_t n = owners->n, from = (uint32_t)rng_below (rng, n), count = 0;
    const tori_shape *shape = tori_machine_shape (player->stream->machine);
    if (place->nboxes == 1) {
        tori_placement box = {.count = place->count,
                              .nboxes = 1,
                              .box = place->box,
                              .wiring = place->wiring};
        tori_placement_clear (place);
        *place = box;
    }
    for (int d = 0; place->nboxes && d < shape->ndims; d++)
        place->box.origin[d]
            = between (rng, 0, shape->size[d] - place->box.shape.size[d]);
    for (uint32_t i = 0; !place->nboxes && count < place->count; i++) {
        uint32_t id = (from + i) % n, at = count;
        if (!naive_is_free (owners, id)
            && owners->nodes[id].owner != (int)tag)
            continue;
        for (; at > 0 && place->nodes[at - 1] > id; at--)
            place->nodes[at] = place->nodes[at - 1];
        place->nodes[at] = id;
        count++;
    }
}

/* Another running job that could be there; or the job itself. */
static uint64_t twin_of (const struct player *player, uint64_t tag)
{
    for (uint64_t i = 0; i < player->submitted; i++)
        if (i != tag && player->jobs[i].fate == RUNS
            && answers (player, &asked (player, i)->request,
                        place_of (player, tag))
            && answers (player, &asked (player, tag)->request,
                        place_of (player, i)))
            return i;
    return tag;
}

/* The owners after a move; false, and as before, if it cannot be. */
static bool move_owners (struct player *player, const uint64_t tags[],
                         const tori_placement *const from[],
                         const tori_placement *const to[], size_t n)
{
    bool fits = true;
    for (size_t i = 0; i < n; i++)
        naive_release (player->owners, (int)tags[i]);
    for (size_t i = 0; i < n && fits; i++) {
        fits = naive_place_free (player->owners, to[i]);
        if (fits)
            naive_hold_place (player->owners, to[i], (int)tags[i], false);
    }
    for (size_t i = 0; i < n && !fits; i++)
        naive_release (player->owners, (int)tags[i]);
    for (size_t i = 0; i < n && !fits; i++)
        naive_hold_place (player->owners, from[i], (int)tags[i], true);
    return fits;
}

static void move_jobs (struct player *player, const uint64_t tags[],
                       const tori_placement *const to[], size_t n)
{
    const tori_placement *from[2];
    tori_job jobs[2];
    tori_error err = {0};
    bool fits;
    for (size_t i = 0; i < n; i++) {
        from[i] = place_of (player, tags[i]);
        jobs[i] = player->jobs[tags[i]].job;
    }
    fits = move_owners (player, tags, from, to, n);
    assert_int_equal (tori_sched_move_all (player->sched, player->now, jobs,
                                           to, n, &err),
                      fits ? 0 : -1);
    assert_true (fits || err.status == TORI_NOT_NOW);
    if (fits && player->naive)
        naive_sched_move (player->naive, player->now, tags, to, n);
    for (size_t i = 0; i < n && fits; i++) {
        struct player_job *job = &player->jobs[tags[i]];
        job->lost += player->options->move;
        job->end += player->options->move;
        job->finish += player->options->move;
        snprintf (job->place, sizeof job->place, "%s", text_of_place (to[i]));
    }
}

/* Two change places, or one goes somewhere. */
static void move (struct player *player, const struct mishap *mishap)
{
    uint64_t tags[] = {mishap->tag, mishap->tag};
    tori_placement to[2] = {{0}, {0}};
    const tori_placement *places[] = {&to[0], &to[1]};
    size_t n;
    struct rng rng;
    rng_seed (&rng, (uint64_t)mishap->change, 3);
    if (mishap->value)
        tags[1] = twin_of (player, tags[0]);
    n = tags[1] != tags[0] ? 2 : 1;
    for (size_t i = 0; i < n; i++)
        assert_int_equal (tori_placement_copy (
                              &to[i], place_of (player, tags[n - 1 - i]),
                              NULL),
                          0);
    if (n == 1)
        random_place (player, &rng, tags[0], &to[0]);
    move_jobs (player, tags, places, n);
    for (size_t i = 0; i < n; i++)
        tori_placement_clear (&to[i]);
}

static void change (struct player *player, const struct mishap *change)
{
    bool waits = player->jobs[change->tag].fate == WAITS;
    bool runs = player->jobs[change->tag].fate == RUNS;
    if (change->kind == PRIORITY && waits)
        set_priority (player, change->tag, change->change);
    else if (change->kind == HOLD && waits)
        set_hold (player, change->tag, (tori_hold)change->change);
    else if (change->kind == EARLIEST && waits)
        set_earliest (player, change->tag, change->change);
    else if (change->kind == ESTIMATE && (waits || runs))
        set_estimate (player, change->tag, change->change);
    else if (change->kind == REQUEUE && runs)
        requeue (player, change->tag);
    else if (change->kind == MOVE && runs)
        move (player, change);
}

static void suffer (struct player *player, const struct mishap *mishap)
{
    enum fate fate = player->jobs[mishap->tag].fate;
    if (mishap->kind == FAIL)
        fail_some (player, mishap);
    else if (mishap->kind == WINDOW)
        open_window (player, mishap);
    else if (mishap->kind >= PRIORITY)
        change (player, mishap);
    else if (mishap->kind == LINK_DOWN)
        set_link (player, &mishap->link, mishap->value);
    else if (mishap->kind != CANCEL)
        set_node (player, mishap->node, mishap->kind == NODE_DRAIN,
                  mishap->value);
    else if (fate == WAITS || fate == RUNS)
        end_job (player, mishap->tag, CANCELLED);
    naive_expect (player->owners, tori_sched_state (player->sched));
}

static void suffer_due (struct player *player)
{
    while (player->mishaps < player->stream->nmishaps
           && player->stream->mishaps[player->mishaps].at == player->now)
        suffer (player, &player->stream->mishaps[player->mishaps++]);
}

/* ---- time ---- */

/* When the first may start for whom it is too early: what the scheduler
 * says. */
static tori_time first_wake (const struct player *player)
{
    tori_time first = TORI_TIME_MAX, said = TORI_TIME_MAX;
    tori_window window = {.size = sizeof window};
    for (size_t i = 0; i < player->submitted; i++)
        if (player->jobs[i].fate == WAITS
            && bar_of (player, i) == TORI_REASON_NOT_YET
            && asked (player, i)->earliest < first)
            first = asked (player, i)->earliest;
    for (size_t i = 0; i < player->submitted; i++)
        if (player->jobs[i].fate == WAITS && player->jobs[i].patient
            && !asked (player, i)->hold && patience_ends (player, i) < first)
            first = patience_ends (player, i);
    for (size_t i = 0; tori_sched_window (player->sched, i, &window); i++)
        if (window.until < first)
            first = window.until;
    assert_int_equal (tori_sched_wake (player->sched, &said),
                      first < TORI_TIME_MAX);
    assert_int_equal (said, first);
    return first;
}

static tori_time next_event (const struct player *player)
{
    tori_time next_wake;
    const struct stream *stream = player->stream;
    tori_time next = TORI_TIME_MAX;
    if (player->submitted < stream->njobs)
        next = stream->jobs[player->submitted].submit;
    if (player->mishaps < stream->nmishaps
        && stream->mishaps[player->mishaps].at < next)
        next = stream->mishaps[player->mishaps].at;
    for (size_t i = 0; i < player->submitted; i++)
        if (player->jobs[i].fate == RUNS && player->jobs[i].finish < next)
            next = player->jobs[i].finish;
    next_wake = first_wake (player);
    return next_wake < next ? next_wake : next;
}

static void instant (struct player *player)
{
    uint64_t tag = 0;
    finish_due (player);
    suffer_due (player);
    submit_due (player);
    if (player->lazy && chance (&player->rng, 40))
        return;
    run (player);
    while (next_due (player, &tag)) {
        finish_due (player);
        run (player);
    }
}

static void until_quiet (struct player *player)
{
    tori_time next;
    while ((next = next_event (player)) < TORI_TIME_MAX) {
        assert_true (next >= player->now && next < 100000);
        player->now = next;
        instant (player);
    }
}

/* Bring up what is down, so that the rest can run. */
static void repair (struct player *player)
{
    const tori_machine *machine = player->stream->machine;
    for (uint32_t i = 0; i < player->owners->n; i++) {
        set_node (player, i, true, false);
        set_node (player, i, false, false);
    }
    for (int d = 0; d < tori_machine_ndims (machine); d++)
        for (uint32_t i = 0; i < 2 * player->owners->n; i++) {
            tori_link link = {d, i % 2 ? TORI_FAR : TORI_NEAR, i / 2};
            if (tori_link_exists (machine, &link))
                set_link (player, &link, false);
        }
}

/* Let go of whoever is held. */
static void release_all (struct player *player)
{
    for (uint64_t i = 0; i < player->submitted; i++)
        if (player->jobs[i].fate == WAITS && asked (player, i)->hold)
            set_hold (player, i, TORI_HOLD_NONE);
}

/* Nothing helps a job that may not use enough nodes. */
static void give_up (struct player *player)
{
    for (uint64_t i = 0; i < player->submitted; i++)
        if (player->jobs[i].fate == WAITS && asked (player, i)->only) {
            assert_int_equal (bar_of (player, i), TORI_REASON_NODES);
            end_job (player, i, CANCELLED);
        }
}

/* Everybody has come to an end, and nothing is left of them. */
static void check_end (struct player *player)
{
    AUTO_STATE *new = make_state (player->stream->machine);
    for (size_t i = 0; i < player->stream->njobs; i++)
        assert_true (player->jobs[i].fate >= ENDED);
    assert_int_equal (tori_sched_queued (player->sched), 0);
    assert_int_equal (tori_sched_running (player->sched), 0);
    assert_true (tori_state_equal (tori_sched_state (player->sched), new));
}

char *play (const struct stream *stream, const struct play_options *options)
{
    struct player player = {.stream = stream, .options = options};
    tori_alloc_config alloc = alloc_of (options);
    char *text = NULL;
    size_t size;
    note_case (stream, options);
    player.lazy = options->lazy;
    rng_seed (&player.rng, stream->njobs, 7);
    player.transcript = open_memstream (&text, &size);
    assert_non_null (player.transcript);
    player.jobs = make_array (stream->njobs, sizeof *player.jobs);
    player.wishes = make_array (stream->njobs, sizeof *player.wishes);
    player.windows = make_array (stream->nmishaps + 1,
                                 sizeof *player.windows);
    memcpy (player.wishes, stream->jobs,
            stream->njobs * sizeof *player.wishes);
    player.owners = naive_create (stream->machine);
    player.bare = make_state (stream->machine);
    assert_int_equal (
        tori_alloc_create (stream->machine, &alloc, &player.alloc, NULL), 0);
    if (options->counts)
        player.counts = make_alloc (stream->machine, options->counts);
    player.sched = make_sched (stream->machine, options);
    if (options->naive)
        player.naive = naive_sched_create (stream->machine, options->policy,
                                           options->order, options->alloc);
    if (player.naive)
        player.naive->every_tick = options->every_tick;
    if (player.naive)
        player.naive->move = options->move;
    if (player.naive && options->depth)
        player.naive->depth = options->depth;
    if (player.naive && options->counts) {
        player.naive->counts = options->counts;
        player.naive->takes |= TORI_BY_COUNT;
    }
    if (player.naive)
        player.naive->places
            = options->counts || options->flags & TORI_SCHED_PLACES;
    if (player.naive)
        player.naive->moves = options->flags & TORI_SCHED_MOVES;
    until_quiet (&player);
    player.lazy = false;
    repair (&player);
    release_all (&player);
    run (&player);
    until_quiet (&player);
    give_up (&player);
    check_end (&player);
    if (player.naive)
        naive_sched_destroy (player.naive);
    tori_sched_destroy (player.sched);
    tori_machine_destroy (player.snapshot_machine);
    tori_alloc_destroy (player.alloc);
    tori_alloc_destroy (player.counts);
    naive_destroy (player.owners);
    tori_state_destroy (player.bare);
    free (player.jobs);
    free (player.wishes);
    free (player.windows);
    assert_int_equal (fclose (player.transcript), 0);
    current[0] = '\0';
    return text;
}

/* ---- comparing ---- */

/* A sixth of the streams: `make soak` tries eight times as many (TORI_CASES). */
static size_t count_streams (size_t streams)
{
    return random_cases ((streams + 5) / 6);
}

void play_compare (uint64_t seed, size_t streams, const char *policy,
                   struct stream_options options, struct play_options how)
{
    how.policy = policy;
    how.naive = true;
    for (size_t a = 0; plain_alloc (a); a++)
        for (size_t i = 0; i < count_streams (streams); i++) {
            struct stream stream;
            how.alloc = plain_alloc (a)->name;
            if (!naive_alloc_known (how.alloc))
                break;
            how.order = (tori_order)(seed % PLAY_ORDERS);
            options.takes = plain_alloc (a)->takes;
            stream_create (&stream, seed++, &options);
            free (play (&stream, &how));
            stream_destroy (&stream);
        }
}

void play_policies (uint64_t seed, size_t streams,
                    struct stream_options options, struct play_options how)
{
    static const char *const policies[] = {"fcfs", "backfill", "easy",
                                           "conservative"};
    how.ask = how.naive = true;
    how.restart = streams < 50;
    for (size_t p = 0; p < LENGTH (policies); p++)
        for (size_t i = 0; i < count_streams (streams); i++) {
            struct stream stream;
            how.policy = policies[p];
            how.order = (tori_order)(seed % PLAY_ORDERS);
            how.depth = p >= 2 && seed % 3 == 0 ? 3 : 0;
            how.file = seed / PLAY_ORDERS % 2;
            stream_create (&stream, seed++, &options);
            free (play (&stream, &how));
            stream_destroy (&stream);
        }
}
