#include "rank_parts.h"

#include "front.h"
#include "hosting.h"
#include "inquiry.h"
#include "rankshare.h"

static void on_tree (struct rank *rank, const struct wire *wire,
                     const char *data)
{
    if (wire->tree.kind == TORI_GANG_ADD_TASK && wire->bytes > 0
        && !task_add (rank, wire->tree.task, data, wire->bytes))
        return;
    hosting_deliver (rank, &wire->tree);
}

static void on_quit (struct rank *rank, const struct wire *wire,
                     const char *data)
{
    rank->quit = true;
    rank->status = (int)wire->status;
}

static void on_stop (struct rank *rank, const struct wire *wire,
                     const char *data)
{
    front_stop (rank, true);
}

static void on_fallen (struct rank *rank, const struct wire *wire,
                       const char *data)
{
    rank_lose (rank, wire->index);
}

static void on_credit (struct rank *rank, const struct wire *wire,
                       const char *data)
{
    if (wire->stream > 0)
        share_credit (rank, wire, data);
    else if (rank->front)
        front_credit (rank, wire, data);
}

static rank_handler *const handlers[WIRE_KINDS] = {
    [WIRE_TREE] = on_tree,         [WIRE_LAUNCH] = shares_order,
    [WIRE_TURN] = shares_order,   [WIRE_END] = shares_order,
    [WIRE_FORGET] = shares_order, [WIRE_SLEEP] = shares_order,
    [WIRE_AWAKE] = shares_order,  [WIRE_REST] = owner_rest,
    [WIRE_ASLEEP] = front_asleep,  [WIRE_EXIT] = owner_exit,
    [WIRE_PLACED] = front_placed,  [WIRE_ENDED] = front_ended,
    [WIRE_CANCEL] = owner_cancel,  [WIRE_OUTPUT] = front_output,
    [WIRE_INPUT] = share_input,    [WIRE_CREDIT] = on_credit,
    [WIRE_SIZE] = share_size,
    [WIRE_SWITCH] = front_switch,  [WIRE_ERA] = era_end,
    [WIRE_READY] = front_ready,    [WIRE_GO] = era_begin,
    [WIRE_QUIT] = on_quit,         [WIRE_STOP] = on_stop,
    [WIRE_ASK] = inquiry_answer,   [WIRE_TOLD] = front_told,
    [WIRE_TICK] = clock_tell,      [WIRE_TOCK] = clock_learn,
    [WIRE_ALONE] = front_alone,
    [WIRE_CLOCK] = front_clock,    [WIRE_FALLEN] = on_fallen,
};

static void handle_message (struct rank *rank, const struct wire *wire,
                            const char *data)
{
    if ((unsigned)wire->kind < WIRE_KINDS
        && (!wire_is_of_era (wire->kind) || wire->era == rank->era))
        handlers[wire->kind](rank, wire, data);
}

void rank_handle_all (struct rank *rank, struct bytes *bytes)
{
    struct wire wire;
    while (!rank_failed (rank)
           && peers_receive (rank->peers, &wire, bytes, &rank->err) > 0)
        handle_message (rank, &wire, bytes->data);
}
