/* sched.c - events and decisions of a scheduler: jobs come, start and end. */
#include <stdlib.h>

#include "array.h"
#include "ask.h"
#include "configure.h"
#include "core.h"
#include "marks.h"
#include "placement.h"
#include "sized.h"

static int choose_policy (tori_sched *sched, const tori_sched_config *config,
                          tori_error *err)
{
    const struct policy *policy;
    if (policy_init (sched, config, err) < 0)
        return -1;
    policy = sched->policy;
    if (policy->stop_at_blocked && config->depth > 0)
        return tori_error_set (err, TORI_INVALID,
                               "%s plans no starts: it has no depth",
                               policy->info.name);
    sched->depth = config->depth ? config->depth : policy->depth;
    sched->work = config->work ? config->work : UINT64_MAX;
    sched->by_class = sched->depth <= 1 && !policy->stop_at_blocked;
    return 0;
}

/* If shapes are answered with any nodes, any nodes will do later. */
static bool gives_boxes (const tori_alloc *alloc)
{
    return (tori_alloc_get_info (alloc)->takes & TORI_BY_SHAPE)
           && !alloc_is_loose (alloc);
}

/* Whether it refuses only requests that have no place. */
static bool is_sure (const tori_alloc *alloc)
{
    return gives_boxes (alloc)
               ? alloc_is_thorough (alloc)
               : !(tori_alloc_get_info (alloc)->flags & TORI_ALLOC_SEARCHES);
}

/* The allocator of requests by count, if there is another one for shapes. */
static int create_counts (tori_sched *sched, const tori_alloc_config *config,
                          tori_error *err)
{
    const tori_alloc_info *shapes = tori_alloc_get_info (sched->alloc);
    if (!config)
        return 0;
    if (shapes->takes != TORI_BY_SHAPE
        || shapes->flags & (TORI_ALLOC_FOLDS | TORI_ALLOC_SLICES))
        return tori_error_set (err, TORI_INVALID,
                               "%s does not go together with an allocator "
                               "for counts",
                               shapes->name);
    if (tori_alloc_create (sched->machine, config, &sched->counts, err) < 0)
        return -1;
    if (!(tori_alloc_get_info (sched->counts)->takes & TORI_BY_COUNT))
        return tori_error_set (err, TORI_INVALID, "%s takes no count",
                               tori_alloc_get_info (sched->counts)->name);
    return 0;
}

/* Without any allocator chosen, both kinds of requests are served. */
static const tori_alloc_config *default_counts (const tori_machine *machine)
{
    static const tori_alloc_config snake = {.size = sizeof snake,
                                            .name = "snake-bf"},
                                   row = {.size = sizeof row,
                                          .name = "row-bf"};
    return tori_machine_is_pod (machine) ? &row : &snake;
}

int tori_sched_create (const tori_machine *machine,
                       const tori_sched_config *config, tori_sched **ret_sched,
                       tori_error *err)
{
    tori_sched_config own;
    tori_sched *sched;
    if (sched_configure (config, &own, err) < 0)
        return -1;
    if (own.counts == own.alloc && !own.alloc->name) /* none was chosen */
        own.counts = default_counts (machine);
    sched = calloc (1, sizeof *sched);
    if (!sched)
        return tori_error_nomem (err);
    sched->self = sched;
    sched->machine = machine;
    sched->order = own.order;
    sched->flags = own.flags;
    sched->move = own.move;
    lanes_init (&sched->lanes);
    sched->epoch = 1;
    sched->early = sched->impatient = TORI_TIME_MAX;
    sched->vacant = NO_SLOT;
    sched->next_number = 1;
    sched->loosened = true;
    sched->plotted = -1;
    sched->outages = sched->reviewed = NO_OUTAGES;
    if (choose_policy (sched, &own, err) < 0
        || order_init (sched, &own, err) < 0
        || tori_alloc_create (machine, own.alloc, &sched->alloc, err) < 0
        || create_counts (sched, own.counts, err) < 0
        || tori_state_create (machine, &sched->state, err) < 0)
        goto fail;
    sched->placed = own.flags & TORI_SCHED_PLACES || sched->counts
                    || gives_boxes (sched->alloc);
    sched->sure = !sched->placed
                  || (is_sure (sched->alloc)
                      && (!sched->counts || is_sure (sched->counts)));
    sched->lasting = sched->depth > 1 && sched->sure;
    *ret_sched = sched;
    return 0;
fail:
    tori_sched_destroy (sched);
    return -1;
}

static void forget_made (tori_sched *sched)
{
    for (size_t i = 0; i < sched->nmade; i++)
        placement_drop (sched->made[i].left);
    sched->fetched = sched->nmade = 0;
}

void tori_sched_destroy (tori_sched *sched)
{
    if (!sched)
        return;
    plan_clear (sched);
    drains_clear (sched);
    windows_clear (sched);
    for (size_t i = 0; i < sched->nrunning; i++)
        placement_drop (sched->jobs[sched->running[i].job].place);
    tori_alloc_destroy (sched->alloc);
    tori_alloc_destroy (sched->counts);
    tori_state_destroy (sched->state);
    tori_state_destroy (sched->bare);
    lanes_clear (&sched->lanes);
    queue_clear (&sched->aside);
    classes_clear (&sched->classes);
    numbers_clear (&sched->numbers);
    free (sched->jobs);
    free (sched->running);
    forget_made (sched);
    free (sched->made);
    free (sched->refused);
    free (sched->barred);
    free (sched);
}

/* ---- events ---- */

int sched_check_time (const tori_sched *sched, tori_time now, tori_error *err)
{
    if (now < sched->now)
        return tori_error_set (err, TORI_INVALID, "time goes back");
    return 0;
}

void sched_advance (tori_sched *sched, tori_time now)
{
    bool overdue = sched->nrunning > 0 && sched->running[0].end < now;
    if (now > sched->now)
        sched->chances++;
    if (now > sched->now && (overdue || !sched->lasting))
        sched->profiled = false;
    if (sched->profiled)
        profile_pass (&sched->profile, now);
    sched->now = now;
}

/* The same for changes that the plan already knows: its profile is right. */
static void note_change (tori_sched *sched)
{
    sched->epoch++;
    lanes_reopen (&sched->lanes);
    plan_changed (sched);
}

void sched_changed (tori_sched *sched)
{
    note_change (sched);
    sched->profiled = false;
    sched->loosened = true;
}

/* ---- decisions ---- */

int sched_need_decisions (tori_sched *sched, size_t n, tori_error *err)
{
    struct made *more;
    if (sched->fetched == sched->nmade)
        forget_made (sched);
    more = array_room (sched->made, &sched->made_room, sched->nmade + n,
                       sizeof *more);
    if (!more)
        return tori_error_nomem (err);
    sched->made = more;
    return 0;
}

void sched_decide (tori_sched *sched, struct made made)
{
    sched->made[sched->nmade++] = made;
}

/* Whether a decision says where a job is. */
static bool tells_of (const struct made *made, tori_job job)
{
    return made->job == job && made->place && !made->left;
}

struct news sched_news (const tori_sched *sched, tori_job job)
{
    struct news news = {0};
    for (size_t i = sched->fetched; i < sched->nmade; i++)
        if (tells_of (&sched->made[i], job)) {
            news.starts |= sched->made[i].kind == TORI_START;
            news.resumes |= sched->made[i].kind == TORI_RESUME;
            news.moves |= sched->made[i].kind == TORI_MOVE;
        }
    return news;
}

static void drop_decisions (tori_sched *sched, tori_job job)
{
    size_t kept = sched->fetched;
    for (size_t i = sched->fetched; i < sched->nmade; i++)
        if (!tells_of (&sched->made[i], job))
            sched->made[kept++] = sched->made[i];
    sched->nmade = kept;
}

void sched_leave_told (tori_sched *sched, tori_job job, tori_placement *place)
{
    for (size_t i = sched->nmade; i-- > sched->fetched;)
        if (tells_of (&sched->made[i], job)) {
            sched->made[i].place = sched->made[i].left = place;
            return;
        }
}

/* ---- jobs ---- */

bool sched_is_sized (const tori_sched *sched, const void *given,
                     const char *type)
{
    if (sized_is_set (given))
        return true;
    __atomic_store_n (&sched->self->unsized, type, __ATOMIC_RELAXED);
    return false;
}

static int check_sizes (tori_sched *sched, tori_error *err)
{
    const char *type
        = __atomic_exchange_n (&sched->unsized, NULL, __ATOMIC_RELAXED);
    return type ? tori_error_set (err, TORI_INVALID,
                                  "the size of a %s is not set, so a call "
                                  "could not fill it in",
                                  type)
                : 0;
}

bool tori_sched_next (tori_sched *sched, tori_decision *ret_decision)
{
    const struct made *made;
    tori_decision decision;
    if (!sched_is_sized (sched, ret_decision, "tori_decision")
        || sched->fetched == sched->nmade)
        return false;
    made = &sched->made[sched->fetched];
    decision = (tori_decision){.kind = made->kind,
                               .link = made->link,
                               .node = made->node,
                               .job = made->job,
                               .tag = made->tag,
                               .place = made->place,
                               .why = made->why,
                               .by = made->by,
                               .least = made->least};
    sized_fill (ret_decision, &decision, sizeof decision);
    sched->fetched++;
    return true;
}

size_t tori_sched_fetch (tori_sched *sched, tori_decision ret_decisions[],
                         size_t n)
{
    size_t size = n > 0 ? ret_decisions->size : 0, fetched = 0;
    while (fetched < n) {
        tori_decision *next = (void *)((char *)ret_decisions + fetched * size);
        next->size = size;
        if (!tori_sched_next (sched, next))
            break;
        fetched++;
    }
    return fetched;
}

static int reject_job (tori_sched *sched, tori_time now, uint64_t tag,
                       const char *why, tori_job *ret_job, tori_error *err)
{
    if (sched_need_decisions (sched, 1, err) < 0)
        return -1;
    sched_advance (sched, now);
    sched_decide (sched, (struct made){TORI_REJECT, TORI_NO_JOB, tag, NULL,
                                       why, TORI_NO_JOB});
    *ret_job = TORI_NO_JOB;
    return 0;
}

static uint32_t lane_of (const tori_sched *sched, uint32_t class)
{
    return sched->by_class ? class : 0;
}

/* The job that loses its planned start because a new one was inserted before
 * it. `first` was the first of the queue. */
static job_slot pushed_out (const tori_sched *sched, job_slot first)
{
    return sched->by_class
               ? first
               : lanes_at (&sched->lanes, 0, sched->depth)->job;
}

/* Bring the plan up to date with a new entry. */
static void note_inserted (tori_sched *sched, struct spot spot, job_slot first)
{
    size_t depth = sched->depth, rank = rank_of (sched, spot);
    if (rank < depth && rank + 1 < sched->lanes.entries)
        note_change (sched);
    if (rank < depth && depth < sched->lanes.entries)
        plan_forget (sched, pushed_out (sched, first));
    if (rank < sched->planned)
        sched->planned = rank;
}

int sched_enqueue (tori_sched *sched, job_slot slot, tori_error *err)
{
    struct entry entry = jobs_entry (sched, slot);
    struct spot spot = {.lane = lane_of (sched, entry.class)};
    const struct entry *head = lanes_head (&sched->lanes);
    job_slot first = head ? head->job : NO_SLOT;
    if (ineligible_bars (sched, slot))
        return ineligible_insert (sched, slot, err);
    if (lanes_insert (&sched->lanes, spot.lane, entry, &spot.at, err) < 0)
        return -1;
    note_inserted (sched, spot, first);
    return 0;
}

int sched_enqueue_room (tori_sched *sched, uint32_t class, size_t n,
                        tori_error *err)
{
    return queue_room (&sched->aside, n, err) < 0
               ? -1
               : lanes_room (&sched->lanes, lane_of (sched, class), n, err);
}

struct spot sched_spot (const tori_sched *sched, job_slot slot)
{
    struct entry entry = jobs_entry (sched, slot);
    struct spot spot = {.lane = lane_of (sched, entry.class)};
    spot.at = queue_find (&sched->lanes.all[spot.lane].queue, &entry);
    return spot;
}

int tori_sched_submit (tori_sched *sched, tori_time now,
                       const tori_job_spec *spec, tori_job *ret_job,
                       tori_error *err)
{
    struct submission own;
    uint32_t class;
    job_slot slot;
    if (jobs_read (sched, spec, &own, err) < 0
        || sched_check_time (sched, now, err) < 0
        || (!own.wish.all[0].never
            && patience_find (sched, now, &own, &class, err) < 0))
        return -1;
    own.spec.lost = 0;
    if (own.wish.all[0].never)
        return reject_job (sched, now, own.spec.tag, own.wish.all[0].never,
                           ret_job, err);
    if (ineligible_meet (sched, class, err) < 0 || jobs_room (sched, err) < 0
        || order_submit (sched, now, class, &own, err) < 0)
        return -1;
    slot = jobs_add (sched, &own, class);
    if (sched_enqueue_room (sched, class, 1, err) < 0) {
        jobs_take_back (sched, slot);
        return -1;
    }
    sched_advance (sched, now);
    sched_enqueue (sched, slot, NULL);
    class_of (sched, class)->members++;
    class_of (sched, class)->urgent += own.spec.level > 0;
    *ret_job = sched->jobs[slot].number;
    return 0;
}

/* ---- starts and ends ---- */

int sched_start_room (tori_sched *sched, const tori_placement *place,
                      tori_placement **ret_held, tori_error *err)
{
    tori_placement *held;
    if (sched_need_decisions (sched, 1, err) < 0
        || running_room (sched, err) < 0
        || (place->wiring != TORI_WIRE_NONE
            && state_need_links (sched->state, err) < 0))
        return -1;
    held = malloc (sizeof *held);
    if (!held)
        return tori_error_nomem (err);
    *held = *place;
    *ret_held = held;
    return 0;
}

/* A job leaves its lane to start. */
static void start_from_lane (tori_sched *sched, job_slot slot)
{
    struct spot spot = sched_spot (sched, slot);
    size_t rank = rank_of (sched, spot);
    lanes_remove (&sched->lanes, spot.lane, spot.at);
    if (rank < sched->planned)
        sched->planned--;
}

void sched_start (tori_sched *sched, job_slot slot, tori_placement *held,
                  bool least)
{
    struct job *job = &sched->jobs[slot];
    tori_decision_kind kind = job->suspended ? TORI_RESUME : TORI_START;
    (void)placement_block (held, sched->state, NULL);
    if (job->aside)
        ineligible_remove (sched, slot);
    else
        start_from_lane (sched, slot);
    plan_replace (sched, slot, sched->now, held);
    suspend_over (sched, slot);
    running_insert (sched, slot, held, sched->now);
    job->walk = sched->walks;
    plan_started (sched, job);
    sched_decide (sched, (struct made){kind, job->number, job->tag, held, NULL,
                                       TORI_NO_JOB, least});
}

/* A job has left, and its place is free for others. */
static void remove_job (tori_sched *sched, job_slot slot)
{
    struct job *job = &sched->jobs[slot];
    note_change (sched);
    suspend_over (sched, slot);
    class_of (sched, job->class)->members--;
    class_of (sched, job->class)->urgent -= job->level > 0;
    jobs_vacate (sched, slot);
}

/* Whether a running job ends when it was expected to, and all planned starts
 * were made with that in mind. */
static bool is_on_time (const tori_sched *sched, const struct job *job)
{
    return sched->lasting && job->end == sched->now
           && sched->overdue < sched->now && sched->plotted < sched->now;
}

void sched_release (tori_sched *sched, job_slot slot)
{
    struct job *job = &sched->jobs[slot];
    bool expected = is_on_time (sched, job);
    running_remove (sched, slot);
    placement_unblock (job->place, sched->state);
    plan_ended (sched, job);
    placement_drop (job->place);
    job->place = NULL;
    /* A job that outlived its estimate was expected to be there now. */
    if (!expected)
        plan_freed (sched, sched->now,
                    job->end > sched->now ? job->end
                                          : time_add (sched->now, 1));
    drop_decisions (sched, job->number);
}

void sched_end (tori_sched *sched, job_slot slot)
{
    sched_release (sched, slot);
    remove_job (sched, slot);
    drains_review (sched);
}

int tori_sched_finish (tori_sched *sched, tori_time now, tori_job number,
                       tori_error *err)
{
    job_slot slot = jobs_in_phase (sched, number, RUNNING);
    if (slot == NO_SLOT)
        return tori_error_set (err, TORI_INVALID, "no such running job");
    if (sched_check_time (sched, now, err) < 0)
        return -1;
    sched_advance (sched, now);
    sched_end (sched, slot);
    return 0;
}

/* Take a job out of its lane. */
static void leave_lane (tori_sched *sched, job_slot slot)
{
    struct spot spot = sched_spot (sched, slot);
    lanes_remove (&sched->lanes, spot.lane, spot.at);
    plan_forget (sched, slot);
}

void sched_dequeue (tori_sched *sched, job_slot slot)
{
    if (sched->jobs[slot].aside)
        ineligible_remove (sched, slot);
    else
        leave_lane (sched, slot);
}

int tori_sched_cancel (tori_sched *sched, tori_time now, tori_job number,
                       tori_error *err)
{
    job_slot slot = jobs_in_phase (sched, number, QUEUED);
    if (jobs_in_phase (sched, number, RUNNING) != NO_SLOT)
        return tori_sched_finish (sched, now, number, err);
    if (slot == NO_SLOT)
        return tori_error_set (err, TORI_INVALID, "no such job");
    if (sched_check_time (sched, now, err) < 0)
        return -1;
    sched_advance (sched, now);
    sched_dequeue (sched, slot);
    remove_job (sched, slot);
    return 0;
}

bool tori_sched_head (const tori_sched *sched, tori_job *ret_job,
                      uint64_t *ret_tag)
{
    const struct entry *head = lanes_head (&sched->lanes);
    if (sched->aside.n > 0
        && (!head || entry_before (queue_at (&sched->aside, 0), head)))
        head = queue_at (&sched->aside, 0);
    if (!head)
        return false;
    *ret_job = sched->jobs[head->job].number;
    *ret_tag = sched->jobs[head->job].tag;
    return true;
}

/* ---- deciding ---- */

int tori_sched_run (tori_sched *sched, tori_time now, tori_error *err)
{
    int status;
    if (check_sizes (sched, err) < 0 || sched_check_time (sched, now, err) < 0)
        return -1;
    if (sched->deciding)
        return tori_error_set (err, TORI_INVALID,
                               "a policy cannot run its own scheduler");
    sched_advance (sched, now);
    /* A job outlives its estimate: plans that relied on it are void. */
    if (sched->nrunning > 0 && sched->running[0].end <= now
        && sched->overdue < now) {
        sched->overdue = now;
        sched_changed (sched);
    }
    sched->gave_up = false;
    sched->questions = sched->steps = 0;
    drains_review (sched);
    windows_expire (sched);
    if (order_review (sched, err) < 0 || patience_review (sched, err) < 0)
        return -1;
    status = ineligible_review (sched, err);
    sched->unfinished = status > 0;
    if (status != 0)
        return status < 0 ? -1 : 0;
    if (sched->own_policy)
        return policy_decide (sched, err);
    sched->sliced = true;
    status = sched_walk (sched, err);
    sched->sliced = false;
    return status;
}

tori_reason tori_sched_blocked (const tori_sched *sched)
{
    return sched->blocked;
}

bool tori_sched_unfinished (const tori_sched *sched)
{
    return sched->unfinished;
}

bool tori_sched_gave_up (const tori_sched *sched, tori_job *ret_job,
                         uint64_t *ret_tag, const char **ret_why)
{
    job_slot slot = jobs_in_phase (sched, sched->gave_up_job, QUEUED);
    if (!sched->gave_up || slot == NO_SLOT)
        return false;
    *ret_job = sched->gave_up_job;
    *ret_tag = sched->jobs[slot].tag;
    *ret_why = sched->gave_up_why.text;
    return true;
}

size_t tori_sched_queued (const tori_sched *sched)
{
    return sched->lanes.entries + sched->aside.n;
}

size_t tori_sched_running (const tori_sched *sched)
{
    return sched->nrunning;
}

const tori_state *tori_sched_state (const tori_sched *sched)
{
    return sched->state;
}
