#include "hosting.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "layout.h"
#include "rank_parts.h"

/* ---- the tree ---- */

static int make_machine (struct rank *rank, tori_error *err)
{
    char text[TORI_TEXT_MAX];
    const char *given = rank->config->machine;
    if (!*given)
        snprintf (text, sizeof text, "mesh:%u", rank->size);
    if (tori_machine_parse (*given ? given : text, &rank->machine, err) < 0)
        return -1;
    if (tori_machine_nodes (rank->machine) != rank->size)
        return tori_error_set (err, TORI_INVALID,
                               "%s has %u processors, and there are %u ranks",
                               given, tori_machine_nodes (rank->machine),
                               rank->size);
    return 0;
}

int hosting_open (struct rank *rank, tori_error *err)
{
    if (make_machine (rank, err) < 0
        || tori_gang_tree_create (rank->machine,
                                  (uint32_t)rank->config->degree, 1,
                                  &rank->tree, err)
               < 0)
        return -1;
    rank->nodes = tori_gang_tree_nodes (rank->tree);
    rank->host = calloc (rank->nodes, sizeof *rank->host);
    rank->most = calloc (rank->nodes, sizeof *rank->most);
    rank->node = calloc (rank->nodes, sizeof *rank->node);
    rank->dead = calloc (rank->size, sizeof *rank->dead);
    if (!rank->host || !rank->most || !rank->node || !rank->dead)
        return tori_error_nomem (err);
    return hosting_begin (rank, err);
}

static void drop_nodes (struct rank *rank)
{
    for (uint32_t i = 0; rank->node && i < rank->nodes; i++) {
        tori_gang_node_destroy (rank->node[i]);
        rank->node[i] = NULL;
    }
    heap_clear (&rank->wakes);
}

void hosting_close (struct rank *rank)
{
    drop_nodes (rank);
    tori_gang_outbox_clear (&rank->out);
    free (rank->host);
    free (rank->most);
    free (rank->node);
    free (rank->dead);
    tori_gang_tree_destroy (rank->tree);
    tori_machine_destroy (rank->machine);
}

/* The host of a node is the first processor that lives. Subnodes have higher
 * numbers, so what they can take is known before their supernode's. */
static int look_at (struct rank *rank, uint32_t node, tori_error *err)
{
    tori_gang_place place;
    uint32_t *list, alive = 0;
    tori_gang_tree_place (rank->tree, node, &place);
    list = malloc (place.size * sizeof *list);
    if (!list)
        return tori_error_nomem (err);
    tori_box_nodes (rank->machine, &place.box, list);
    rank->host[node] = TORI_GANG_NONE;
    for (uint32_t i = place.size; i-- > 0;)
        if (!rank->dead[list[i]]) {
            rank->host[node] = list[i];
            alive++;
        }
    free (list);
    rank->most[node] = alive == place.size ? alive : 0;
    for (uint32_t i = 0; i < place.children; i++)
        if (rank->most[place.first + i] > rank->most[node])
            rank->most[node] = rank->most[place.first + i];
    return 0;
}

static int make_node (struct rank *rank, uint32_t id, tori_error *err)
{
    tori_gang_place place;
    if (rank->host[id] != rank->self)
        return 0;
    if (tori_gang_node_create (rank->tree, id, rank->config->policy,
                               &rank->node[id], err)
        < 0)
        return -1;
    tori_gang_tree_place (rank->tree, id, &place);
    for (uint32_t i = 0; i < place.children; i++)
        tori_gang_node_limit (rank->node[id], i,
                              rank->most[place.first + i]);
    return 0;
}

int hosting_begin (struct rank *rank, tori_error *err)
{
    drop_nodes (rank);
    for (uint32_t i = rank->nodes; i-- > 0;)
        if (look_at (rank, i, err) < 0)
            return -1;
    for (uint32_t i = 0; i < rank->nodes; i++)
        if (make_node (rank, i, err) < 0)
            return -1;
    return 0;
}

int hosting_uses (const struct rank *rank, const struct task *task,
                  uint32_t of, tori_error *err)
{
    uint32_t count = spec_count (task->spec);
    struct layout layout;
    int uses;
    if (task->node == TORI_GANG_NONE)
        return 0;
    if (layout_make (rank->tree, task->spec, task->node, &layout, err) < 0)
        return -1;
    uses = tori_gang_tree_host (rank->tree, task->node) == of;
    for (uint32_t i = 0; i < count; i++)
        uses |= layout.processor[i] == of;
    layout_clear (&layout);
    return uses;
}

/* ---- what nodes send ---- */

/* The job goes with the message that looks for its place. */
static int send_tree (struct rank *rank, const tori_gang_message *message,
                      tori_error *err)
{
    struct wire wire = {.kind = WIRE_TREE, .tree = *message};
    struct task *task = message->kind == TORI_GANG_ADD_TASK
                            ? task_find (rank, message->task)
                            : NULL;
    struct bytes bytes = {0};
    int status = -1;
    if (rank->host[message->to] == TORI_GANG_NONE)
        return 0;
    if (!task || rank->host[message->to] == rank->self) {
        status = rank_send (rank, rank->host[message->to], &wire, NULL, err);
    } else if (spec_pack (task->spec, &bytes, err) == 0) {
        wire.task = task->id;
        wire.bytes = (uint32_t)bytes.n;
        status = rank_send (rank, rank->host[message->to], &wire, bytes.data,
                            err);
        task_remove (rank, task);
    }
    bytes_clear (&bytes);
    return status;
}

static const char *path_of (const struct spec *spec)
{
    for (char **var = spec->env; var && *var; var++)
        if (!strncmp (*var, "PATH=", 5))
            return *var + 5;
    return NULL;
}

/* The first process of a job is on the processor that has its node. So the
 * place where those of an MPI program meet can be here, before any is started.
 */
static int prepare_mpi (struct task *task, tori_error *err)
{
    const struct spec *spec = task->spec;
    struct card card;
    if (spec->mpi)
        task->mpi = (enum mpi_kind)(spec->mpi - 1);
    else if (spec->stages == 1)
        task->mpi = mpi_kind_of (spec->stage[0].argv, spec->cwd,
                                 path_of (spec));
    if (task->mpi == MPI_KIND_NONE)
        return 0;
    task->door = door_open (&card, err);
    if (task->door < 0)
        return -1;
    task->meet.port = card.port;
    if (getrandom (task->meet.key, sizeof task->meet.key, 0) < 0)
        return tori_error_set (err, TORI_FAILED, "no random numbers");
    return 0;
}

/* The job's processes are started at once; they run when they have a turn. The
 * time is taken here, where those of its turns are: they come later. */
static int on_placed (struct rank *rank, const tori_gang_message *message,
                      tori_error *err)
{
    struct task *task = task_find (rank, message->task);
    struct wire wire = {.kind = WIRE_PLACED,
                        .task = message->task,
                        .node = message->from};
    if (!task)
        return 0;
    task->node = message->from;
    task->owned = true;
    task->left = spec_count (task->spec);
    if (prepare_mpi (task, err) < 0)
        return -1;
    task_changed (rank, task);
    wire.time[0] = task->since;
    if (rank_send (rank, 0, &wire, NULL, err) < 0)
        return -1;
    return task_launch (rank, task, err);
}

/* A job that came in the middle of a slot has the rest of it. */
static void count_turn (struct rank *rank, struct task *task,
                        const struct wire *wire)
{
    int64_t now = rank_now (rank);
    if (task->turns++ == 0)
        task->first_turn = wire->time[0] > now ? wire->time[0] : now;
    if (wire->time[0] > task->turn.until) {
        task->before = task->turn;
        task->turn.from = wire->time[0];
    }
    task->turn.until = wire->time[1];
}

/* A turn for a job that has been put to sleep since is void: an order to sleep
 * is followed by one to be awake, never by a turn. */
static int on_run (struct rank *rank, const tori_gang_message *message,
                   tori_error *err)
{
    struct task *task = task_find (rank, message->task);
    struct wire wire = {.kind = WIRE_TURN,
                        .task = message->task,
                        .relay = message->from,
                        .time = {slot_time (rank, message->slot),
                                 slot_time (rank, message->slot + 1)}};
    if (!task || task->asleep)
        return 0;
    count_turn (rank, task, &wire);
    return rank_send (rank, rank->self, &wire, NULL, err);
}

static int dispatch (struct rank *rank, const tori_gang_message *message,
                     tori_error *err)
{
    switch (message->kind) {
    case TORI_GANG_WAKE:
        return heap_push (&rank->wakes, message->slot, message->to, err);
    case TORI_GANG_RUN:
        return on_run (rank, message, err);
    case TORI_GANG_PLACED:
        return on_placed (rank, message, err);
    default:
        return send_tree (rank, message, err);
    }
}

/* The tree is ahead of the clock. */
static int64_t tree_slot (struct rank *rank)
{
    int64_t since = rank_now (rank) - rank->epoch + rank->lead;
    return since < 0 ? 0 : since / rank->config->slot;
}

int hosting_deliver (struct rank *rank, const tori_gang_message *message,
                     tori_error *err)
{
    tori_gang_node *node
        = message->to < rank->nodes ? rank->node[message->to] : NULL;
    if (!node)
        return 0;
    rank->out.n = 0;
    if (tori_gang_node_handle (node, tree_slot (rank), message, &rank->out,
                               err)
        < 0)
        return -1;
    for (size_t i = 0; i < rank->out.n; i++)
        if (dispatch (rank, &rank->out.item[i], err) < 0)
            return -1;
    return 0;
}

int hosting_wake (struct rank *rank, int64_t *ret_next, tori_error *err)
{
    *ret_next = INT64_MAX;
    while (rank->wakes.n > 0) {
        struct event event = *heap_top (&rank->wakes);
        int64_t due = slot_time (rank, event.time) - rank->lead;
        tori_gang_message message = {.kind = TORI_GANG_WAKE,
                                     .from = (uint32_t)event.what,
                                     .to = (uint32_t)event.what,
                                     .slot = event.time};
        if (due > rank_now (rank)) {
            *ret_next = due;
            return 0;
        }
        heap_pop (&rank->wakes);
        if (hosting_deliver (rank, &message, err) < 0)
            return -1;
    }
    return 0;
}
