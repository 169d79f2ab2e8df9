/* preempt.c - jobs that take the place of others of a lower level.
 *
 * tori/room.h chooses the victims. It is asked in a state in which all that
 * the job must avoid, windows and what is planned for jobs in front of it, is
 * out of service. Once the victims have left that state, the allocator is
 * asked for the place, as ever: it may take any nodes, or not every box. If it
 * takes none, no victim has to go.
 *
 * Searches in vain are remembered by class as long as nothing changes, so that
 * many jobs with the same request cost one search. A job of a lower level may
 * send away fewer others, and a longer one has more to avoid. */
#include <stdlib.h>

#include "ask.h"
#include "core.h"
#include "placement.h"

#include <tori/room.h>

enum { STEPS = 1 << 18 }; /* some milliseconds */

#define NO_CLASS UINT32_MAX

struct claim {
    tori_sched *sched;
    job_slot slot;
    tori_state *state;     /* without the places that it must avoid */
    job_slot *who;         /* possible victims, and ... */
    uint32_t *keeps;       /* ... the class of a victim that continues there
                            * later, or NO_CLASS */
    tori_placement **told; /* ... the old place of a victim that moves first,
                            * or NULL */
    tori_room_job *list;   /* the victims for tori/room.h */
    size_t n;
    tori_room room;
    tori_placement place;
};

/* ---- searches in vain ---- */

bool preempt_hope (const tori_sched *sched, const struct job *job)
{
    const struct class *class = class_of (sched, job->class);
    if (job->level == 0)
        return false;
    if (class->vain.chances != sched->chances
        || windows_admit (sched, job))
        return true;
    return class->vain.exactly ? job->level != class->vain.level
                                     || job->length != class->vain.length
                               : job->level > class->vain.level
                                     || job->length < class->vain.length;
}

/* Remember that there are no victims; or that the allocator refused their
 * place. */
static int note_in_vain (const struct claim *c, bool exactly)
{
    const struct job *job = &c->sched->jobs[c->slot];
    struct class *class = class_of (c->sched, job->class);
    if (windows_admit (c->sched, job))
        return 0;
    class->vain.chances = c->sched->chances;
    class->vain.level = job->level;
    class->vain.length = job->length;
    class->vain.exactly = exactly;
    return 0;
}

/* ---- possible victims ---- */

/* What becomes of a victim. One whose start was not fetched waits as if it had
 * not started; so does one that was to resume and then to move, because it
 * never was at the new place. */
static tori_preempted fate_of (const tori_sched *sched, const struct job *job)
{
    struct news news;
    if (job->preempted == TORI_PREEMPTED_REQUEUE)
        return TORI_PREEMPTED_REQUEUE;
    news = sched_news (sched, job->number);
    return news.starts || (news.resumes && news.moves)
               ? TORI_PREEMPTED_REQUEUE
               : job->preempted;
}

/* A job that is killed never uses what it has saved. */
static uint64_t work_lost (const tori_sched *sched, const struct job *job)
{
    tori_time lost = jobs_worked (sched, job);
    tori_preempted fate = fate_of (sched, job);
    uint64_t work;
    if (fate == TORI_PREEMPTED_SUSPEND)
        return 0;
    if (fate == TORI_PREEMPTED_REQUEUE)
        lost -= jobs_saved (sched, job);
    return __builtin_mul_overflow (lost, job->place->count, &work)
               ? UINT64_MAX
               : work;
}

/* List all possible victims; returns the number of their nodes. */
static uint64_t list_victims (struct claim *c)
{
    const tori_sched *sched = c->sched;
    uint32_t level = sched->jobs[c->slot].level;
    uint64_t nodes = 0;
    for (size_t i = 0; i < sched->nrunning; i++) {
        const struct job *job = &sched->jobs[sched->running[i].job];
        if (job->level >= level || job->preempted == TORI_PREEMPTED_NEVER)
            continue;
        c->who[c->n] = sched->running[i].job;
        c->list[c->n++] = (tori_room_job){.place = job->place,
                                          .work = work_lost (sched, job)};
        nodes += job->place->count;
    }
    return nodes;
}

/* ---- the places that it must avoid ---- */

static int set_link_down (void *state, const tori_link *link)
{
    return tori_state_set_link_down (state, link, true, NULL);
}

static int bar_place (struct claim *c, const tori_placement *place,
                      uint32_t nodes[], tori_error *err)
{
    const tori_machine *machine = c->sched->machine;
    tori_placement_nodes (place, machine, nodes);
    for (uint32_t i = 0; i < place->count; i++)
        if (tori_state_set_drained (c->state, nodes[i], true, err) < 0)
            return -1;
    return tori_placement_each_link (place, machine, set_link_down, c->state)
                   < 0
               ? tori_error_nomem (err)
               : 0;
}

/* Nodes that it may not use. */
static int bar_others (struct claim *c, tori_error *err)
{
    const tori_sched *sched = c->sched;
    const struct class *class = class_of (sched, sched->jobs[c->slot].class);
    uint32_t n = class->only ? tori_machine_nodes (sched->machine) : 0;
    for (uint32_t i = 0; i < n; i++)
        if (!class_may_use (class, i)
            && tori_state_set_drained (c->state, i, true, err) < 0)
            return -1;
    return 0;
}

static int make_state (struct claim *c, tori_error *err)
{
    const tori_sched *sched = c->sched;
    const tori_placement *place;
    tori_placement scratch;
    uint32_t *nodes;
    size_t i = 0;
    int status = 0;
    if (tori_state_create (sched->machine, &c->state, err) < 0
        || tori_state_copy (c->state, sched->state, err) < 0
        || bar_others (c, err) < 0)
        return -1;
    nodes = malloc (tori_machine_nodes (sched->machine) * sizeof *nodes);
    if (!nodes)
        return tori_error_nomem (err);
    for (uint32_t k = 0; status == 0 && k < tori_machine_nodes (sched->machine);
         k++)
        if (!class_may_use (class_of (sched, sched->jobs[c->slot].class), k))
            status = tori_state_set_drained (c->state, k, true, err);
    while (status == 0
           && (place = plan_ahead (sched, c->slot, &i, &scratch)) != NULL)
        status = bar_place (c, place, nodes, err);
    free (nodes);
    return status;
}

/* ---- victims ---- */

/* The request as the machine sees it: a count, if the allocator answers a
 * shape with any nodes. */
static tori_request request_of (const tori_sched *sched,
                                const struct prepared *asks)
{
    if (asks->request.shape.ndims > 0
        && !alloc_is_loose (alloc_for (sched, &asks->request)))
        return asks->request;
    return (tori_request){.count = (uint32_t)asks->nodes};
}

/* Other jobs cannot make room for a shape that only its own allocator can fold
 * into the machine. */
static int choose_victims (struct claim *c, const struct prepared *asks,
                           tori_error *err)
{
    tori_request request = request_of (c->sched, asks);
    tori_error why = {0};
    c->sched->questions++;
    if (tori_room_victims (c->state, c->list, c->n, &request,
                           TORI_ROOM (.steps = STEPS,
                                      .slices = alloc_config (c->sched->alloc)
                                                    ->slices),
                           &c->room, &why)
        == 0)
        return c->room.found;
    if (why.status == TORI_NEVER)
        return 0;
    if (err)
        *err = why;
    return -1;
}

/* The victims at the one place that a job takes, if they hold all of it. */
static int choose_exactly (struct claim *c, const tori_placement *place,
                           tori_error *err)
{
    c->room.moves = calloc (c->n + 1, sizeof *c->room.moves);
    if (!c->room.moves)
        return tori_error_nomem (err);
    for (size_t i = 0; i < c->n; i++)
        if (placement_overlap (c->list[i].place, place, c->sched->machine)) {
            placement_unblock (c->list[i].place, c->state);
            c->room.moves[c->room.n++].job = i;
        }
    if (!placement_free (place, c->state))
        return 0;
    c->room.least = true;
    return tori_placement_copy (&c->place, place, err) < 0 ? -1 : 1;
}

/* As alloc_try without the victims. If it is in vain, they are put back:
 * memory for their links is there. */
static int choose_place (struct claim *c, const struct prepared *asks,
                         tori_error *err)
{
    tori_error why = {0};
    int found;
    for (size_t i = 0; i < c->room.n; i++)
        placement_unblock (c->list[c->room.moves[i].job].place, c->state);
    found = alloc_try (alloc_for (c->sched, &asks->request), c->state, asks,
                       &c->place, &why);
    if (found < 0 && why.status == TORI_GAVE_UP)
        found = 0;
    for (size_t i = 0; found == 0 && i < c->room.n; i++)
        (void)placement_block (c->list[c->room.moves[i].job].place, c->state,
                               NULL);
    if (found < 0 && err)
        *err = why;
    return found;
}

/* Choose victims for the first request of the job, or else for an alternative;
 * and whether it was only the allocator that refused. */
static int choose_for_class (struct claim *c, const struct class *class,
                             bool *ret_unwanted, tori_error *err)
{
    const struct prepared *asks;
    int found = 0;
    if (class->exact)
        return choose_exactly (c, class->exact, err);
    for (size_t i = 0; found == 0 && (asks = class_asks (class, i)); i++) {
        tori_room_clear (&c->room);
        found = choose_victims (c, asks, err);
        if (found > 0) {
            found = choose_place (c, asks, err);
            *ret_unwanted |= found == 0;
        }
    }
    return found;
}

/* Without proof there may be victims that the allocator can do without. */
static void keep_needed (struct claim *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->room.n; i++) {
        size_t which = c->room.moves[i].job;
        if (placement_overlap (c->list[which].place, &c->place,
                               c->sched->machine))
            c->who[kept++] = c->who[which];
    }
    c->n = kept;
}

/* ---- the victims leave ---- */

/* No victim keeps a place after all. */
static void keep_none (struct claim *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->keeps[i] != NO_CLASS)
            class_of (c->sched, c->keeps[i])->members = 0;
}

/* Whether a running job moves before it goes: its move was not fetched yet. */
static bool moves_first (const struct news *news)
{
    return news->moves && !news->starts && !news->resumes;
}

/* The future class of a victim, and room for it. */
static int make_room_for (struct claim *c, size_t i, tori_error *err)
{
    tori_sched *sched = c->sched;
    const struct job *job = &sched->jobs[c->who[i]];
    struct news news = sched_news (sched, job->number);
    uint32_t class = job->class;
    if (moves_first (&news)
        && !(c->told[i] = placement_duplicate (job->place)))
        return tori_error_nomem (err);
    if (ineligible_weigh (sched, class, err) < 0
        || sched_enqueue_room (sched, class, c->n, err) < 0)
        return -1;
    if (job->preempted != TORI_PREEMPTED_SUSPEND)
        return 0;
    if (suspend_class (sched, job, job->place, &c->keeps[i], err) < 0)
        return -1;
    return sched_enqueue_room (sched, c->keeps[i], c->n, err);
}

/* Room for all that follows, and for drains that become complete. */
static int make_room (struct claim *c, tori_placement **ret_held,
                      tori_error *err)
{
    tori_sched *sched = c->sched;
    for (size_t i = 0; i < c->n; i++)
        c->keeps[i] = NO_CLASS;
    for (size_t i = 0; i < c->n; i++)
        if (make_room_for (c, i, err) < 0)
            return -1;
    if (sched_need_decisions (sched, c->n + 1 + sched->ndrains, err) < 0)
        return -1;
    return sched_start_room (sched, &c->place, ret_held, err);
}

static void report_victim (struct claim *c, job_slot victim,
                           tori_decision_kind kind)
{
    const struct job *job = &c->sched->jobs[victim];
    sched_decide (c->sched, (struct made){
                                .kind = kind,
                                .job = job->number,
                                .tag = job->tag,
                                .by = c->sched->jobs[c->slot].number,
                                .node = TORI_NO_NODE});
}

/* Requeue or end a victim; an end is reported if its start was fetched. */
static void end_victim (struct claim *c, job_slot victim, bool killed,
                        bool heard)
{
    if (heard)
        report_victim (c, victim, killed ? TORI_KILL : TORI_REQUEUE);
    if (killed)
        sched_end (c->sched, victim);
    else
        sched_put_back (c->sched, victim);
}

static void suspend_victim (struct claim *c, size_t i, bool heard)
{
    tori_sched *sched = c->sched;
    const struct job *job = &sched->jobs[c->who[i]];
    if (heard)
        report_victim (c, c->who[i], TORI_SUSPEND);
    suspend_job (sched, c->who[i], c->keeps[i],
                 heard ? jobs_saved (sched, job) : job->saved);
}

/* A victim whose move was not fetched moves first: its work is saved, and it
 * continues at the new place. */
static void send_away (struct claim *c, size_t i)
{
    tori_sched *sched = c->sched;
    job_slot victim = c->who[i];
    const struct job *job = &sched->jobs[victim];
    struct news news = sched_news (sched, job->number);
    tori_preempted fate = fate_of (sched, job);
    if (moves_first (&news)) {
        sched_leave_told (sched, job->number, c->told[i]);
        c->told[i] = NULL;
    }
    if (fate == TORI_PREEMPTED_SUSPEND) {
        suspend_victim (c, i, !news.resumes);
        return;
    }
    if (c->keeps[i] != NO_CLASS)
        class_of (sched, c->keeps[i])->members = 0;
    end_victim (c, victim, fate == TORI_PREEMPTED_KILL, !news.starts);
}

static int carry_out (struct claim *c, tori_error *err)
{
    tori_sched *sched = c->sched;
    tori_placement *held = NULL;
    keep_needed (c);
    if (make_room (c, &held, err) < 0) {
        keep_none (c);
        return -1;
    }
    c->place = (tori_placement){0};
    for (size_t i = 0; i < c->n; i++)
        send_away (c, i);
    sched_start (sched, c->slot, held, c->room.least);
    /* Planned starts of later jobs at this place are put off. */
    sched->strained = true;
    sched_changed (sched);
    return 1;
}

/* ---- the whole search ---- */

static int search_victims (struct claim *c, tori_error *err)
{
    const tori_sched *sched = c->sched;
    const struct class *class
        = class_of (sched, sched->jobs[c->slot].class);
    bool unwanted = false;
    int found;
    if (tori_state_free_count (sched->state) + list_victims (c)
        < (uint64_t)class->nodes)
        return note_in_vain (c, false);
    if (make_state (c, err) < 0)
        return -1;
    found = choose_for_class (c, class, &unwanted, err);
    if (found == 0)
        return note_in_vain (c, unwanted);
    return found < 0 ? -1 : carry_out (c, err);
}

int preempt_start (tori_sched *sched, job_slot slot, tori_error *err)
{
    struct claim c = {.sched = sched, .slot = slot};
    size_t n = sched->nrunning + 1;
    int status = 0;
    if (!sched->jobs[slot].aside)
        status = plan_upto (sched, rank_of (sched, sched_spot (sched, slot)),
                            err);
    if (status != 0)
        return status < 0 ? -1 : PREEMPT_TIRED;
    c.who = calloc (n, sizeof *c.who);
    c.list = calloc (n, sizeof *c.list);
    c.keeps = calloc (n, sizeof *c.keeps);
    c.told = calloc (n, sizeof *c.told);
    status = c.who && c.list && c.keeps && c.told ? search_victims (&c, err)
                                                  : tori_error_nomem (err);
    tori_placement_clear (&c.place);
    tori_room_clear (&c.room);
    tori_state_destroy (c.state);
    for (size_t i = 0; c.told && i < n; i++)
        placement_drop (c.told[i]);
    free (c.told);
    free (c.keeps);
    free (c.list);
    free (c.who);
    return status;
}
