/* tori defrag - which running jobs to move so that another fits. */
#include <inttypes.h>

#include "asked.h"
#include "caller.h"
#include "commands.h"
#include "defrag.h"
#include "fields.h"
#include "outlook.h"
#include "table.h"
#include "terminal.h"

static int emit_answer (const struct defrag_asked *v, const struct defrag *it,
                        FILE *out, tori_error *err)
{
    struct emit e = emit_to (out);
    asked_open (&e, "defrag", &command_defrag, v);
    defrag_emit (it, &e);
    emit_close (&e, '}');
    return emit_end (&e, err);
}

static int print_moves (const struct defrag *it, FILE *out, tori_error *err)
{
    static const struct table_column columns[] = {
        {"job", TABLE_NUMBER},
        {"nodes", TABLE_NUMBER},
        {"from", TABLE_TEXT},
        {"to", TABLE_TEXT},
    };
    struct table *table = table_create (columns, 4);
    int status;
    for (size_t i = 0; i < it->room.n; i++) {
        const tori_room_move *move = &it->room.moves[i];
        const tori_snapshot_job *job = &it->snapshot->running[move->job];
        char text[PLACE_TEXT_MAX];
        table_cell (table, "%" PRIu64, job->spec.tag);
        table_cell (table, "%u", job->place.count);
        place_format (it->snapshot->machine, &job->place, text);
        table_cell (table, "%s", text);
        place_format (it->snapshot->machine, &move->to, text);
        table_cell (table, "%s", text);
    }
    status = table_print (table, out, terminal_bold (), err);
    table_destroy (table);
    return status;
}

static int print_answer (const struct defrag *it, FILE *out, tori_error *err)
{
    const tori_room *room = &it->room;
    char text[PLACE_TEXT_MAX];
    place_format (it->snapshot->machine, &room->place, text);
    if (!room->found) {
        fprintf (out, room->least ? "no moves help\n"
                                  : "no moves were found, but not all were "
                                    "tried\n");
        return 0;
    }
    if (room->n == 0) {
        fprintf (out, "no moves are needed: it fits at %s\n", text);
        return 0;
    }
    if (print_moves (it, out, err) < 0)
        return -1;
    fprintf (out, "then it fits at %s\n", text);
    fprintf (out, "nodes moved: %" PRIu64 "%s\n", room->nodes,
             room->least ? ", and no fewer will do" : "");
    if (!room->least)
        fprintf (out,
                 "at least %" PRIu64 " have to: not all moves were tried\n",
                 room->bound);
    return 0;
}

static int run (const void *values, FILE *out, tori_error *err)
{
    const struct defrag_asked *v = values;
    struct defrag it = {0};
    tori_snapshot *snapshot;
    int status;
    if (snapshot_open (v->socket, v->snapshot, &snapshot, err) < 0)
        return -1;
    status = defrag_make (snapshot, v, &it, err);
    if (status == 0)
        status = v->json ? emit_answer (v, &it, out, err)
                         : print_answer (&it, out, err);
    if (status == 0 && !it.room.found)
        status = TORI_NOT_NOW;
    defrag_clear (&it);
    tori_snapshot_destroy (snapshot);
    return status;
}

const struct command command_defrag = {
    .name = "defrag",
    .summary = "Tell which running jobs to move so that another fits",
    .notes = "Finds the moves of the fewest nodes, then of the fewest jobs, "
             "after which the job or shape fits beside the running jobs of a "
             "snapshot (see 'tori help files') and can be wired. A job moves "
             "with all of its nodes. A box keeps its shape up to rotation, "
             "and its wiring; a list of nodes goes to any free ones. For a "
             "job that may be folded, all its folds are tried. Jobs with "
             "\"movable\": false stay. No job goes to nodes that it may not "
             "use (\"only\"), or where a window begins before it would end. "
             "The answer is proved least unless the search takes more than "
             "--steps; then \"bound\" says how few nodes might be enough. The "
             "snapshot is taken as it is, while 'tori why' and 'tori "
             "forecast' describe the machine just after the scheduler has "
             "run.",
    .options = defrag_options,
    .size = sizeof (struct defrag_asked),
    .examples = "tori defrag SNAPSHOT --for 20\n"
                "tori defrag SNAPSHOT --shape 4x4x2 --wiring torus --live",
    .status = {[0] = "it fits, after the moves if there are any",
               [3] = "no moves help",
               [4] = "it is larger than the machine, or there is no such "
                     "shape"},
    .answer = &answer_defrag,
    .run = run,
};
