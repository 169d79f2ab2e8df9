#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "build.h"
#include "configure.h"
#include "holds.h"
#include "placement.h"
#include "probe.h"
#include "profile.h"
#include "whywork.h"

/* ---- the queue ---- */

/* A job of the queue, before the run. */
struct waiting {
    tori_job job;
    size_t rank;
    tori_job_spec spec;
    bool begins; /* it starts in the run */
    bool starts; /* it starts then, or later */
    tori_time start;
    tori_placement place;
    tori_condition condition;
    tori_push *pushes;
    size_t npushes, pushes_room;
    tori_time patient_until; /* as in tori_why, with ... */
    const tori_request *later;
    size_t nlater;
};

struct list {
    struct waiting *all; /* by number */
    size_t n;
    bool nomem;
};

static int compare_waiting (const void *a, const void *b)
{
    const struct waiting *x = a, *y = b;
    return (x->job > y->job) - (x->job < y->job);
}

static int compare_ranks (const void *a, const void *b)
{
    const struct waiting *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static struct waiting *find_waiting (const struct list *list, tori_job job)
{
    struct waiting key = {.job = job};
    return bsearch (&key, list->all, list->n, sizeof key, compare_waiting);
}

/* While it has patience, a job is explained by its first request alone. */
static void hide_later (struct waiting *it, tori_time now)
{
    tori_job_spec *spec = &it->spec;
    tori_time since = now - spec->waited;
    if (spec->earliest > since)
        since = spec->earliest;
    if (spec->patience == 0 || spec->patience <= now - since)
        return;
    it->patient_until = time_add (since, spec->patience);
    it->later = spec->alternatives;
    it->nlater = spec->nalternatives;
    spec->alternatives = NULL;
    spec->nalternatives = 0;
    spec->patience = 0;
}

static int list_queue (const tori_sched *sched, struct list *list,
                       tori_error *err)
{
    size_t n = tori_sched_queued (sched);
    tori_job *jobs = calloc (n + 1, sizeof *jobs);
    list->all = calloc (n + 1, sizeof *list->all);
    if (!jobs || !list->all) {
        free (jobs);
        return tori_error_nomem (err);
    }
    tori_sched_queued_jobs (sched, jobs);
    for (size_t i = 0; i < n; i++) {
        struct waiting *it = &list->all[i];
        *it = (struct waiting){.job = jobs[i], .rank = i};
        it->spec.size = sizeof it->spec;
        tori_sched_spec (sched, jobs[i], &it->spec);
        hide_later (it, tori_sched_now (sched));
    }
    list->n = n;
    free (jobs);
    qsort (list->all, n, sizeof *list->all, compare_waiting);
    return 0;
}

static void clear_list (struct list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        tori_placement_clear (&list->all[i].place);
        free (list->all[i].pushes);
    }
    free (list->all);
}

/* ---- starts ---- */

/* Note a job that gives way. */
static int note_push (struct waiting *it, tori_push push, tori_error *err)
{
    tori_push *more = array_room (it->pushes, &it->pushes_room,
                                  it->npushes + 1, sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    it->pushes = more;
    more[it->npushes++] = push;
    return 0;
}

static void note_start (void *arg, const tori_forecast *it)
{
    struct list *list = arg;
    struct waiting *waiting = find_waiting (list, it->job);
    if (!waiting || waiting->starts)
        return;
    waiting->starts = true;
    waiting->start = it->start;
    waiting->condition = it->condition;
    for (size_t i = 0; i < it->npushes; i++)
        list->nomem |= note_push (waiting, it->pushes[i], NULL) < 0;
    if (tori_placement_copy (&waiting->place, it->place, NULL) < 0)
        list->nomem = true;
}

static int note_decision (struct whywork *work, struct list *list,
                          const tori_decision *decision, tori_error *err)
{
    struct waiting *it = find_waiting (list, decision->job);
    struct waiting *by = find_waiting (list, decision->by);
    tori_job *more;
    work->decided = true;
    if (by && tori_push_name (decision->kind)
        && note_push (by, (tori_push){decision->tag, decision->kind}, err) < 0)
        return -1;
    if (decision->kind != TORI_START && decision->kind != TORI_RESUME)
        return 0;
    more = array_room (work->begun, &work->begun_room, work->nbegun + 1,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    work->begun = more;
    work->begun[work->nbegun++] = decision->job;
    if (it)
        it->begins = true;
    return 0;
}

/* Note the places of jobs that begin. A job that began and had to give way at
 * once does not count. */
static int note_begun (struct whywork *work, struct list *list,
                       tori_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        struct waiting *it = &list->all[i];
        tori_job_info info = {.size = sizeof info};
        it->begins = it->begins && tori_sched_look (work->after, it->job, &info)
                     && info.place;
        if (!it->begins) {
            it->npushes = 0;
            continue;
        }
        it->starts = true;
        it->start = work->now;
        if (tori_placement_copy (&it->place, info.place, err) < 0)
            return -1;
    }
    return 0;
}

/* Whether other jobs have planned starts after the run than before it. */
static bool planned_anew (const struct whywork *work)
{
    const tori_placement *place;
    tori_job before, after;
    tori_time from, then;
    for (size_t i = 0;; i++) {
        bool had = tori_sched_promised (work->before, i, &before, &from,
                                        &place);
        bool has = tori_sched_promised (work->after, i, &after, &then,
                                        &place);
        if (!had || !has)
            return had != has;
        if (before != after || from != then)
            return true;
    }
}

/* Run the copy, and note the jobs that start in it. */
static int run_copy (struct whywork *work, struct list *list, tori_error *err)
{
    tori_decision decision = {.size = sizeof decision};
    while (tori_sched_next (work->after, &decision))
        ;
    do {
        if (tori_sched_run (work->after, work->now, err) < 0)
            return -1;
        while (tori_sched_next (work->after, &decision))
            if (note_decision (work, list, &decision, err) < 0)
                return -1;
    } while (tori_sched_unfinished (work->after));
    work->decided |= planned_anew (work);
    work->stirs = probe_stirs (work->after, err);
    return work->stirs < 0 ? -1 : note_begun (work, list, err);
}

static int compare_times (const void *a, const void *b)
{
    tori_time x = *(const tori_time *)a, y = *(const tori_time *)b;
    return (x > y) - (x < y);
}

/* Collect times at which a shorter job could end, with room for more: the
 * begin of windows. */
static int note_windows (struct whywork *work, size_t more, tori_error *err)
{
    tori_window window = {.size = sizeof window};
    size_t n = 0;
    while (tori_sched_window (work->after, n, &window))
        n++;
    work->freed = calloc (n + more + 1, sizeof *work->freed);
    if (!work->freed)
        return tori_error_nomem (err);
    for (size_t i = 0; tori_sched_window (work->after, i, &window); i++)
        if (window.from > work->now)
            work->freed[work->nfreed++] = window.from;
    return 0;
}

/* Note the planned starts. */
static int note_reserved (struct whywork *work, const struct list *list,
                          tori_error *err)
{
    if (note_windows (work, list->n, err) < 0)
        return -1;
    for (size_t i = 0; i < list->n; i++) {
        const struct waiting *it = &list->all[i];
        const tori_placement *place;
        tori_time start;
        int held = it->begins ? 0
                              : tori_sched_reservation (work->after, it->job,
                                                        &start, &place, err);
        if (held < 0)
            return -1;
        if (!held)
            continue;
        work->freed[work->nfreed++] = start;
        work->nreserved++;
    }
    qsort (work->freed, work->nfreed, sizeof *work->freed, compare_times);
    return 0;
}

/* Whether some jobs may make others give way, or continue in one place
 * only. */
static bool is_delicate (const struct whywork *work, const struct list *list)
{
    tori_sched_config config = {.size = sizeof config};
    bool found;
    tori_sched_get_config (work->after, &config);
    found = config.flags & TORI_SCHED_MOVES;
    for (size_t i = 0; i < list->n && !found; i++) {
        tori_job_info info = {.size = sizeof info};
        found = list->all[i].spec.level > 0
                || (tori_sched_look (work->before, list->all[i].job, &info)
                    && info.suspended);
    }
    return found;
}

/* Jobs that do not begin start when a forecast says so. */
static int note_all (struct whywork *work, struct list *list, tori_error *err)
{
    if (run_copy (work, list, err) < 0 || note_reserved (work, list, err) < 0)
        return -1;
    work->delicate = is_delicate (work, list);
    if (tori_forecast_by (work->after, work->rules, note_start, list, err) < 0)
        return -1;
    return list->nomem ? tori_error_nomem (err) : 0;
}

/* ---- the machine ---- */

static int list_running (struct whywork *work, tori_error *err)
{
    size_t n = tori_sched_running (work->after);
    work->running = calloc (n + 1, sizeof *work->running);
    work->info = calloc (n + 1, sizeof *work->info);
    if (!work->running || !work->info)
        return tori_error_nomem (err);
    work->nrunning = tori_sched_running_jobs (work->after, work->running);
    for (size_t i = 0; i < n; i++) {
        work->info[i].size = sizeof work->info[i];
        tori_sched_look (work->after, work->running[i], &work->info[i]);
    }
    return endings_list (work, err);
}

static const tori_placement *place_of (const struct whywork *work,
                                       tori_job job)
{
    tori_job_info info = {.size = sizeof info};
    tori_sched_look (work->after, job, &info);
    return info.place;
}

/* The machine before the last walk, for jobs whose turn comes before others
 * begin: a job that begins takes its place at its turn. After jobs had to give
 * way, even those whose start was not fetched, the walk begins again: all
 * waiting jobs see what had begun before. */
static int open_turn (struct whywork *work, tori_error *err)
{
    work->nbegun
        = probe_last_started (work->after, work->begun, work->nbegun);
    if (work->nbegun == 0)
        return 0;
    if (tori_state_create (work->machine, &work->turn, err) < 0
        || tori_state_copy (work->turn, work->state, err) < 0)
        return -1;
    for (size_t i = 0; i < work->nbegun; i++)
        placement_unblock (place_of (work, work->begun[i]), work->turn);
    return 0;
}

static bool window_admits_tag (const tori_window *window, uint64_t tag)
{
    for (size_t i = 0; i < window->ntags; i++)
        if (window->tags[i] == tag)
            return true;
    return false;
}

/* The machine without the nodes of reservations that have begun, except those
 * that admit the tag, unless it is NULL. NULL if there are none. */
static int open_state (const struct whywork *work, const uint64_t *tag,
                       tori_state **ret_state, tori_error *err)
{
    tori_window window = {.size = sizeof window};
    tori_state *state = NULL;
    int status = 0;
    for (size_t i = 0;
         status == 0 && tori_sched_window (work->after, i, &window); i++) {
        if (window.from > work->now || window.until <= work->now
            || !window.place || (tag && window_admits_tag (&window, *tag)))
            continue;
        if (!state
            && (tori_state_create (work->machine, &state, err) < 0
                || tori_state_copy (state, work->state, err) < 0))
            status = -1;
        if (status == 0)
            status = placement_block (window.place, state, err);
    }
    if (status < 0) {
        tori_state_destroy (state);
        return -1;
    }
    *ret_state = state;
    return 0;
}

static int prepare_work (struct whywork *work, struct list *list,
                         tori_error *err)
{
    if (note_all (work, list, err) < 0 || list_running (work, err) < 0)
        return -1;
    work->state = tori_sched_state (work->after);
    work->plain = probe_plain_boxes (work->after);
    work->sided = probe_plain_sides (work->after);
    if (missing_create (work->state, &work->missing, err) < 0)
        return -1;
    if (open_state (work, NULL, &work->open, err) < 0
        || tori_state_largest_box (work->open ? work->open : work->state,
                                   false, &work->largest, err)
               < 0)
        return -1;
    return shapes_list (work, err) < 0 ? -1 : open_turn (work, err);
}

/* ---- one job ---- */

enum { LIMIT_TEXT = 300 };

static int find_reason (struct whywork *work, const struct waiting *it,
                        tori_why *why, tori_error *err)
{
    tori_job_info info = {.size = sizeof info};
    why->reason = TORI_REASON_STARTS;
    if (it->begins || !tori_sched_look (work->after, it->job, &info))
        return 0;
    why->aside = info.aside;
    why->suspended = info.suspended;
    return probe_reason (work->after, it->job,
                         work->passed < work->nbegun && !info.suspended
                             ? work->turn
                             : NULL,
                         NULL, &why->reason, err);
}

/* A job that waits for something may have more nodes than a limit of its user
 * or queue allows: it never starts, unless that is changed. */
static void find_outgrown (struct whywork *work, tori_why *why,
                           char text[LIMIT_TEXT])
{
    const tori_snapshot *rules = work->rules;
    tori_hold hold = why->spec->hold;
    char limit[LIMIT_TEXT / 2];
    if (!rules || why->reason != TORI_REASON_HELD || hold == TORI_HOLD_USER
        || hold == TORI_HOLD_OPERATOR)
        return;
    for (size_t i = 0; i < rules->nqueued; i++) {
        const tori_snapshot_job *job = &rules->queue[work->next_rule];
        work->next_rule = (work->next_rule + 1) % rules->nqueued;
        if (job->spec.tag != why->tag)
            continue;
        if (!tori_snapshot_outgrown (rules, job, limit, sizeof limit))
            return;
        snprintf (text, LIMIT_TEXT, "has more nodes than %s", limit);
        why->reason = TORI_REASON_NEVER;
        why->aside = text;
        return;
    }
}

/* The request of a job that misses the fewest nodes; NULL without memory. */
static const tori_request *nearest_request (struct whywork *work,
                                            const tori_job_spec *spec,
                                            tori_error *err)
{
    const tori_request *best = &spec->request;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i <= spec->nalternatives && spec->nalternatives; i++) {
        const tori_request *request
            = i ? &spec->alternatives[i - 1] : &spec->request;
        const struct evidence *it = evidence_for (work, request, err);
        if (!it)
            return NULL;
        if (it->place.count > 0 && it->missing < least) {
            least = it->missing;
            best = request;
        }
    }
    return best;
}

/* The first job in the queue that is neither set aside nor suspended: fcfs
 * waits for it, and it has the only planned start of easy. */
static void note_head (struct whywork *work, const struct waiting *it)
{
    tori_job_info info = {.size = sizeof info};
    if (work->head == TORI_NO_JOB && !it->begins
        && tori_sched_look (work->after, it->job, &info) && !info.aside
        && !info.suspended) {
        work->head = it->job;
        work->head_tag = it->spec.tag;
    }
}

static void find_behind (const struct whywork *work, tori_why *why)
{
    if (why->reason == TORI_REASON_ORDER
        || (why->reason == TORI_REASON_RESERVED && work->head != why->job
            && work->nreserved == 1)) {
        why->behind = work->head;
        why->behind_tag = work->head_tag;
    }
}

/* The first window, by time, that the job would run into: at its nearest
 * place, if one is there, or else anywhere. */
static void find_window (const struct whywork *work, tori_why *why)
{
    tori_window window = {.size = sizeof window};
    tori_time left = why->spec->estimate - why->spec->done;
    tori_time end = time_add (work->now, left > 0 ? left : 1);
    tori_time first[2] = {end, end};
    const char *name[2] = {NULL, NULL};
    if (why->reason != TORI_REASON_WINDOW)
        return;
    for (size_t i = 0; tori_sched_window (work->after, i, &window); i++) {
        bool there = why->place.count > 0
                     && placement_overlap (&why->place, window.place,
                                           work->machine);
        if (window_admits_tag (&window, why->tag)
            || window.from >= first[there])
            continue;
        first[there] = window.from;
        name[there] = window.name;
    }
    why->window = name[true] ? name[true] : name[false];
}

static int look_at (struct whywork *work, tori_why *why, tori_error *err)
{
    const struct evidence *it;
    /* The places of a job that may not use all nodes are not examined. */
    if (why->reason == TORI_REASON_STARTS || why->spec->only)
        return 0;
    if (!why->suspended)
        why->request = nearest_request (work, why->spec, err);
    it = why->suspended ? evidence_of_place (work, why->suspended, err)
         : why->request ? evidence_for (work, why->request, err)
                        : NULL;
    if (!it)
        return -1;
    why->place = it->place;
    why->missing = it->missing;
    why->blockers = it->blockers;
    why->nblockers = it->nblockers;
    why->links = it->links;
    why->nlinks = it->nlinks;
    why->down = it->down;
    why->ndown = it->ndown;
    return 0;
}

/* Start the jobs whose turn comes before that of a job, and the job itself. */
static int pass_turns (struct whywork *work, const struct waiting *it,
                       tori_error *err)
{
    note_head (work, it);
    for (; work->passed < work->nbegun; work->passed++) {
        tori_job job = work->begun[work->passed];
        if (job != it->job && !probe_goes_before (work->after, job, it->job))
            break;
        if (placement_block (place_of (work, job), work->turn, err) < 0)
            return -1;
    }
    return 0;
}

static uint32_t free_for (const tori_state *state, const tori_job_spec *spec)
{
    return spec->only ? state_free_within (state, spec->only)
                      : tori_state_free_count (state);
}

static int count_kept (const struct whywork *work, tori_why *why,
                       tori_error *err)
{
    tori_state *own = NULL;
    if (!work->open)
        return 0;
    if (open_state (work, &why->tag, &own, err) < 0)
        return -1;
    if (own)
        why->kept = why->free - free_for (own, why->spec);
    tori_state_destroy (own);
    return 0;
}

static int explain_job (struct whywork *work, const struct waiting *it,
                        int (*visit) (void *arg, const tori_why *why),
                        void *arg, tori_error *err)
{
    tori_help helps[MAX_HELPS];
    char limit[LIMIT_TEXT];
    tori_why why = {
        .job = it->job,
        .tag = it->spec.tag,
        .spec = &it->spec,
        .request = &it->spec.request,
        .free = free_for (work->state, &it->spec),
        .largest = work->largest,
        .starts = it->starts,
        .start = it->start,
        .start_place = it->place,
        .condition = it->condition,
        .pushes = it->pushes,
        .npushes = it->npushes,
        .patient_until = it->patient_until,
        .later = it->later,
        .nlater = it->nlater,
        .helps = helps,
        .behind = TORI_NO_JOB,
    };
    int status, n;
    if (count_kept (work, &why, err) < 0
        || find_reason (work, it, &why, err) < 0)
        return -1;
    find_outgrown (work, &why, limit);
    find_behind (work, &why);
    if (look_at (work, &why, err) < 0)
        return -1;
    find_window (work, &why);
    n = remedies_find (work, &why, helps, err);
    if (n < 0)
        return -1;
    why.nhelps = (size_t)n;
    status = visit (arg, &why);
    while (n-- > 0)
        tori_placement_clear (&helps[n].place);
    return status;
}

static void clear_work (struct whywork *work)
{
    remedies_clear (work);
    moving_clear (work);
    evidence_clear (work);
    keeping_destroy (work->keeping);
    missing_clear (&work->missing);
    free (work->begun);
    free (work->running);
    free (work->info);
    free (work->shapes);
    free (work->fits);
    free (work->freed);
    tori_state_destroy (work->turn);
    tori_state_destroy (work->open);
    tori_state_destroy (work->spare);
    tori_sched_destroy (work->after);
    tori_sched_destroy (work->before);
}

/* The jobs to explain: all, if no tags are given. */
struct chosen {
    const uint64_t *tags;
    size_t n;
};

static bool is_chosen (const struct chosen *chosen, uint64_t tag)
{
    bool found = !chosen->tags;
    for (size_t i = 0; i < chosen->n && !found; i++)
        found = chosen->tags[i] == tag;
    return found;
}

static int explain_chosen (struct whywork *work, const struct list *list,
                           const struct chosen *chosen,
                           int (*visit) (void *arg, const tori_why *why),
                           void *arg, tori_error *err)
{
    int status = 0;
    for (size_t i = 0; i < list->n && status == 0; i++) {
        const struct waiting *it = &list->all[i];
        status = pass_turns (work, it, err);
        if (status == 0 && is_chosen (chosen, it->spec.tag))
            status = explain_job (work, it, visit, arg, err);
    }
    return status;
}

/* A copy in which jobs are held and released as the rules say. */
static int copy_settled (const tori_sched *sched, const tori_snapshot *rules,
                         tori_sched **ret_copy, tori_error *err)
{
    struct holds *holds = NULL;
    int status;
    if (tori_sched_copy (sched, ret_copy, err) < 0)
        return -1;
    status = rules ? holds_open (rules, *ret_copy, &holds, err) : 0;
    if (status == 0
        && holds_settle (holds, tori_sched_now (*ret_copy), err) < 0)
        status = -1;
    holds_destroy (holds);
    return status;
}

static int explain_queue (const tori_sched *sched, const tori_snapshot *rules,
                          const struct chosen *chosen,
                          int (*visit) (void *arg, const tori_why *why),
                          void *arg, tori_error *err)
{
    struct whywork work = {.rules = rules,
                           .now = tori_sched_now (sched),
                           .head = TORI_NO_JOB};
    struct list list = {0};
    int status;
    work.machine = tori_state_machine (tori_sched_state (sched));
    moves_allow (&work, chosen->tags != NULL);
    shapes_allow (&work, chosen->tags != NULL);
    trials_allow (&work, chosen->tags != NULL);
    tries_allow (&work, chosen->tags != NULL);
    status = copy_settled (sched, rules, &work.before, err);
    if (status == 0)
        status = tori_sched_copy (work.before, &work.after, err);
    if (status == 0)
        status = list_queue (work.before, &list, err);
    if (status == 0)
        status = prepare_work (&work, &list, err);
    if (status == 0)
        qsort (list.all, list.n, sizeof *list.all, compare_ranks);
    if (status == 0)
        status = explain_chosen (&work, &list, chosen, visit, arg, err);
    clear_list (&list);
    clear_work (&work);
    return status;
}

int tori_why_by (const tori_sched *sched, const tori_snapshot *rules,
                 const uint64_t tags[], size_t n,
                 int (*visit) (void *arg, const tori_why *why), void *arg,
                 tori_error *err)
{
    if (policy_check (sched, "reasons", err) < 0)
        return -1;
    return explain_queue (sched, rules, &(struct chosen){tags, n}, visit, arg,
                          err);
}

int tori_why_each (const tori_sched *sched,
                   int (*visit) (void *arg, const tori_why *why), void *arg,
                   tori_error *err)
{
    return tori_why_by (sched, NULL, NULL, 0, visit, arg, err);
}

int tori_why_some (const tori_sched *sched, const uint64_t tags[], size_t n,
                   int (*visit) (void *arg, const tori_why *why), void *arg,
                   tori_error *err)
{
    static const uint64_t none = 0;
    return tori_why_by (sched, NULL, n > 0 ? tags : &none, n, visit, arg,
                        err);
}
