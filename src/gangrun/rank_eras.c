#include "rank_parts.h"

#include "front.h"
#include "hosting.h"
#include "rankshare.h"

int rank_lose (struct rank *rank, uint32_t dead, tori_error *err)
{
    struct wire wire = {.kind = WIRE_FALLEN, .index = dead};
    if (rank->quit || dead >= rank->size || rank->dead[dead])
        return 0;
    if (rank->self == 0)
        return front_lost (rank, dead, err);
    return dead == 0 ? tori_error_set (err, TORI_FAILED,
                                       "the first rank has died")
                     : rank_send (rank, 0, &wire, NULL, err);
}

/* Drop a job that had a process on a dead rank. */
static int drop_lost (struct rank *rank, tori_error *err)
{
    for (size_t i = rank->tasks; i-- > 0;) {
        struct task *task = rank->task[i];
        int uses = task->node == TORI_GANG_NONE; /* begins again at rank 0 */
        for (uint32_t r = 0; r < rank->size && uses == 0; r++)
            if (rank->dead[r])
                uses = hosting_uses (rank, task, r, err);
        if (uses < 0)
            return -1;
        if (uses)
            task_remove (rank, task);
    }
    return 0;
}

static int say_ready (struct rank *rank, tori_error *err)
{
    struct wire wire = {.kind = WIRE_READY, .era = rank->era};
    struct bytes bytes = {0};
    int status = 0;
    for (size_t i = 0; status == 0 && i < rank->tasks; i++)
        if (rank->task[i]->owned)
            status =
                bytes_add (&bytes, &rank->task[i]->id, sizeof (uint64_t), err);
    wire.bytes = (uint32_t)bytes.n;
    if (status == 0)
        status = rank_send (rank, 0, &wire, bytes.data, err);
    bytes_clear (&bytes);
    return status;
}

int era_end (struct rank *rank, const struct wire *wire, const char *data,
             tori_error *err)
{
    rank->era = wire->era;
    rank->halted = true;
    for (uint32_t i = 0; i < rank->size; i++)
        if (data[i]) {
            rank->dead[i] = true;
            link_lost (rank->link, i);
        }
    shares_stop (rank);
    for (size_t i = 0; i < rank->tasks; i++)
        task_changed (rank, rank->task[i]);
    if (shares_hear_early (rank, err) < 0 || drop_lost (rank, err) < 0
        || hosting_begin (rank, err) < 0)
        return -1;
    return say_ready (rank, err);
}

int rank_activate (struct rank *rank, tori_error *err)
{
    struct wire wire = {.kind = WIRE_TREE};
    wire.tree = (tori_gang_message){.kind = TORI_GANG_ACTIVATE,
                                    .from = TORI_GANG_HOST,
                                    .end = TORI_GANG_FOREVER};
    return rank->self == 0 ? rank_send (rank, 0, &wire, NULL, err) : 0;
}

/* The jobs that are left come back into their queues, unless all their
 * processors began before and say that they sleep. Some processors may not have
 * heard of them before the era, or that they are to end; the others know
 * already. */
int era_begin (struct rank *rank, const struct wire *wire, const char *data,
               tori_error *err)
{
    if (wire->era != rank->era)
        return 0;
    rank->halted = false;
    for (size_t i = 0; i < rank->tasks; i++) {
        struct task *task = rank->task[i];
        if (!task->owned || task->left == 0)
            continue;
        if ((!task->asleep
             && task_tell_node (rank, task, TORI_GANG_RESUME, err) < 0)
            || task_launch (rank, task, err) < 0
            || (task->ending && task_relay_end (rank, task, err) < 0))
            return -1;
    }
    return rank_activate (rank, err);
}
