/* The fields of answers about snapshots and a running service. */
#include "livefields.h"

#include <tori/why.h>

#include "fieldrows.h"
#include "links.h"

/* ---- snapshots ---- */

static const struct field blocker_fields[] = {
    {"job", FIELD_COUNT, FIELD_AT (tori_blocker, tag), "its id"},
    {"nodes", FIELD_UINT, FIELD_AT (tori_blocker, nodes),
     "nodes of the place that it holds; 0 if only links"},
};
const struct sheet blocker_sheet
    = {"blocker", SHEET_FIELDS (blocker_fields)};

static const struct field move_fields[] = {
    WHOLE ("job", "its id"),
    TEXT_OR_NULL ("from", "the box where it is, or null"),
    TEXTS ("from_nodes", "where it is if that is not a box"),
    TEXT_OR_NULL ("to", "the box where it goes, or null"),
    TEXTS ("to_nodes", "where it goes if that is not a box"),
    WHOLE ("nodes", "how many it has"),
};
const struct sheet move_sheet = {"move", SHEET_FIELDS (move_fields)};

static const struct field help_fields[] = {
    TEXT ("change", "wiring, shape, count, estimate, moves or job"),
    TYPED ("to", "string|number",
           "what to ask for instead; a time limit in s; moves in words"),
    WHOLE ("job", "of job: the id of the one that would have to end"),
    TEXT_OR_NULL ("place", "the box where it would start"),
    LIST_OF ("moves", move, "of moves: the running jobs that would have to "
                            "move, all stopped together"),
    WHOLE ("nodes", "of moves: how many nodes these have"),
};
SHEET (help);

static const struct field why_job_fields[] = {
    WHOLE ("id", "its id"),
    TEXT ("alias", "its name in another system, such as slurm:19"),
    TEXT ("reason",
          "starts, nodes, numerical, topological, wiring, order, reserved, "
          "gave-up, window, held, not-yet or never"),
    TEXT ("text", "the same as a sentence"),
    WHOLE ("behind",
           "of order: the first job in the queue; of reserved: the job "
           "whose planned start it would delay, if there is only one"),
    TEXT ("reservation", "of window: the first that it would run into"),
    TEXT ("window", "the same by its old name"),
    WHOLE ("free", "nodes that are free"),
    TEXT_OR_NULL ("largest", "the largest free box, or null"),
    TEXT_OR_NULL ("place",
                  "the place with the fewest nodes that are not free"),
    WHOLE ("missing", "how many such nodes there are"),
    LIST_OF ("blockers", blocker, "running jobs in the way there"),
    LIST_OF ("links", link, "links of it that are taken or down: the first"),
    TEXTS ("down", "nodes of it that are down or drained"),
    SECONDS_OR_NULL ("start", "when it is expected to start, or null"),
    TEXT ("start_place", "the box where it is"),
    LIST_OF ("helps", help, "changes, each of which starts it now by itself"),
};
SHEET (why_job);

static const struct field why_fields[] = {
    SECONDS ("now", "the time of the snapshot"),
    LIST_OF ("jobs", why_job, "those that wait, in the queue's order"),
};
ANSWER (why);

/* ---- a running torid ---- */

static const struct field submit_fields[] = {
    WHOLES ("ids", "the numbers of the jobs"),
};
ANSWER (submit);

static const struct field submitted_fields[] = {
    WHOLES ("ids", "the numbers of the jobs"),
    SECONDS ("now", "with --test-only: the time"),
    LIST_OF ("jobs", why_job, "with --test-only: what would happen to it"),
};
ANSWER (submitted);

static const struct field place_of_job_fields[] = {
    TEXT ("box", "a box"),
    TEXTS ("boxes", "or boxes: several, or the pieces of a slice of a pod"),
    TEXT ("across", "of the pieces of a slice: how many along each dimension"),
    TEXT ("box_wiring", "of boxes, of a slice and of a job that may be "
                        "folded: how they are wired, if not none"),
    TEXTS ("nodes", "or nodes"),
};
SHEET (place_of_job);

/* Members of a job, by their types (jobrows.h). */
#define JOB_FIELD(name, type, about) JOB_FIELD_##type (#name, about),
#define JOB_ROW(name, type, place, member, flags, snapshot, about)            \
    JOB_FIELD (name, type, about)
#define JOB_FIELD_TEXT TEXT
#define JOB_FIELD_SHAPE TEXT
#define JOB_FIELD_COUNT WHOLE
#define JOB_FIELD_WIRING TEXT
#define JOB_FIELD_FOLD TEXT
#define JOB_FIELD_FLAG FLAG
#define JOB_FIELD_REQUESTS(name, text) LIST_OF (name, alternative, text)
#define JOB_FIELD_NODES TEXTS
#define JOB_FIELD_TIME TIME
#define JOB_FIELD_MOMENT TIME
#define JOB_FIELD_WHOLE WHOLE
#define JOB_FIELD_TIER WHOLE
#define JOB_FIELD_PREEMPTED TEXT
#define JOB_FIELD_MOVABLE FLAG
#define JOB_FIELD_FAILURE TEXT
#define JOB_FIELD_WORDS TEXTS
#define JOB_FIELD_AFTERS(name, text)                                          \
    {name, FIELD_LIST, .about = text, .type = "string", .single = true}
#define JOB_FIELD_RANGE TEXT
#define JOB_FIELD_VARIABLES(name, text) TYPED (name, "object", text)

static const struct field alternative_fields[] = {
#define JOB_WISH JOB_FIELD
#include "jobrows.h"
};
SHEET (alternative);

/* The request of a job. */
static const struct field wish_fields[] = {
#define JOB_SHOWN JOB_ROW
#define JOB_OLD(name, was, types)                                             \
    {#was, FIELD_MEMBER, .about = #name " by its old name", .type = types,   \
     .old = true},
#include "jobrows.h"
};
SHEET (wish);

static const struct field submission_fields[] = {
    BESIDE (wish),
#define JOB_HIDDEN JOB_ROW
#include "jobrows.h"
};
ANSWER (submission);

static const struct field job_change_fields[] = {
#define JOB_CHANGE JOB_FIELD
#include "jobrows.h"
    {"estimate", FIELD_MEMBER, .about = "time_limit by its old name",
     .type = "number|string", .old = true},
};
ANSWER (job_change);

static const struct field service_job_fields[] = {
    WHOLE ("id", "its number"),
#define JOB_FOREIGN JOB_ROW
#include "jobrows.h"
    TEXT ("user", "whose it is"),
    TEXT ("state", "queued, running or ended"),
    FLAG ("starting", "true of one that has its nodes, until the executor "
                      "says that it runs"),
    BESIDE (wish),
    WHOLE ("index", "its number there"),
    WHOLE ("attempt", "how often it was started"),
    WHOLE ("requeues", "how often the machine failed under it"),
    SECONDS ("submit", "when it was submitted, since 1970"),
    SECONDS ("start", "when it started"),
    SECONDS ("end", "when it ended"),
    OBJECT ("place", place_of_job, "where it runs or ran"),
    {"map", FIELD_LIST, .type = "array",
     .about = "of one that runs or ran and may be folded, asked for by its "
              "number: the node of each of its own, row-major in its shape"},
    TEXT ("reason", "why it waits, in one word"),
    TEXT ("waits", "of a job that is listed or shown: the same, in a few "
                   "words"),
    TEXT ("hold",
          "of one that is held: user, operator, dependency, array or share"),
    FLAG ("suspended", "true of one that waits to continue"),
    TEXT ("limit", "the limit that it waits for"),
    WHOLE ("effective_priority",
           "of one that waits: what it goes by, with its queue's priority and "
           "its user's usage, if that is not its own"),
    WHOLE_OR_NULL ("status", "its exit status, or null"),
    WHOLE_OR_NULL ("signal", "the signal that ended it, or null"),
    TEXT ("why", "what ended it, if not itself; of one that its own queue "
                 "holds: why"),
    {"left_out", FIELD_LIST, .type = "string",
     .about = "of one that is listed, was changed or has an event: members "
              "that are too long for that; they are there if it is asked for "
              "by its number"},
};
const struct sheet service_job_sheet
    = {"job", SHEET_FIELDS (service_job_fields)};

static const struct field queue_fields[] = {
    LIST_OF ("jobs", service_job, "by number"),
};
ANSWER (queue);

static const struct field past_job_fields[] = {
    BESIDE (service_job),
    TEXT ("outcome", "completed, failed, timeout, cancelled, node-failure or "
                     "preempted"),
};
SHEET (past_job);

static const struct field history_fields[] = {
    LIST_OF ("jobs", past_job, "by number"),
};
ANSWER (history);

static const struct field top_fields[] = {
    TEXT ("machine", "the machine"),
    WHOLE ("busy", "nodes on which jobs run"),
    WHOLE ("free", "nodes that are free"),
    WHOLE ("out", "nodes that are down or drained"),
    TEXT_OR_NULL ("largest", "the shape of the largest free box, or null"),
    LIST_OF ("jobs", service_job, "those that run, then those that wait"),
};
ANSWER (top);

static const struct field service_reservation_fields[] = {
    WHOLE ("id", "its number"),
    TEXT ("name", "a name for people"),
    SECONDS ("from", "when it begins, since 1970"),
    SECONDS ("until", "when it is over"),
    TEXT ("box", "where, if that is a box"),
    TEXTS ("boxes", "or boxes"),
    TEXT ("across", "of the pieces of a slice: how many along each dimension"),
    TEXTS ("nodes", "or nodes"),
    WHOLE ("count", "how many nodes were asked for, if any would do"),
    WHOLES ("jobs", "those that may run there"),
    TEXT ("key", "by which the executor knows it, if it comes from there"),
};
const struct sheet service_reservation_sheet
    = {"one_reservation", SHEET_FIELDS (service_reservation_fields)};

static const struct field reserve_fields[] = {
    WHOLE ("id", "the number of the reservation that was made"),
    LIST_OF ("reservations", service_reservation,
             "with --list: all there are"),
    LIST_OF ("windows", service_reservation, "the same by its old name"),
    WHOLES ("removed", "with --remove: those that were removed"),
};
ANSWER (reserve);

static const struct field wait_fields[] = {
    LIST_OF ("jobs", service_job, "as they ended, in the order asked for"),
};
ANSWER (wait);

static const struct field logs_fields[] = {
    TEXT ("output", "what it has written"),
    TEXT ("error", "the same, to standard error, if that has another file"),
};
ANSWER (logs);

static const struct field changed_fields[] = {
    WHOLES ("jobs", "the numbers of those that were changed"),
};
ANSWER (changed);

static const struct field show_fields[] = {
    OBJECT ("job", service_job, "the job"),
};
ANSWER (show);

static const struct field service_node_fields[] = {
    WHOLE ("id", "its number"),
    TEXT ("node", "its coordinates"),
    TEXT ("state", "free, busy, down or drained"),
    WHOLE ("job", "the job that runs there"),
    TEXT ("why", "what was said when it was drained or taken down"),
};
const struct sheet service_node_sheet
    = {"node", SHEET_FIELDS (service_node_fields)};

static const struct field service_link_fields[] = {
    TEXT ("link", "its ends, or a port of a switch"),
    TEXT ("state", "down"),
    TEXT ("why", "what was said when it was taken down"),
};
const struct sheet service_link_sheet
    = {"down_link", SHEET_FIELDS (service_link_fields)};

static const struct field user_fields[] = {
    TEXT ("user", "who"),
    WHOLE ("queued", "how many of the user's jobs wait"),
    WHOLE ("running", "how many run, or are suspended"),
    WHOLE ("nodes", "the nodes of those that run"),
    TYPED ("usage", "number",
           "node-seconds as of the last whole minute; old ones count less"),
    TYPED ("share", "number", "of the usage of all"),
    WHOLE ("penalty", "what that takes from the priority of the user's jobs"),
};
SHEET (user);

static const struct field users_fields[] = {
    LIST_OF ("users", user, "by name"),
};
ANSWER (users);

static const struct field queue_limit_fields[] = {
    WHOLE ("queued", "how many may wait"),
    WHOLE ("running", "how many may run at once"),
    WHOLE ("nodes", "on how many nodes together"),
    WHOLE ("rate", "how many may be submitted in a minute"),
};
SHEET (queue_limit);

static const struct field service_queue_fields[] = {
    TEXT ("queue", "its name"),
    WHOLE ("priority", "added to that of each of its jobs"),
    WHOLE ("tier", "the preemption tier of its jobs"),
    TEXT ("preempted", "what preemption does to its jobs"),
    SECONDS ("max_time", "how long a job may run; 0: any time"),
    WHOLE ("max_nodes", "how many nodes a job may have; 0: any number"),
    OBJECT ("limits", queue_limit, "of all its jobs together; 0: none"),
    WHOLE ("queued", "how many of its jobs wait"),
    WHOLE ("running", "how many run, or are suspended"),
    WHOLE ("nodes", "the nodes of those that run"),
};
SHEET (service_queue);

static const struct field queues_fields[] = {
    LIST_OF ("queues", service_queue,
             "in the order of the configuration; the first is for jobs that "
             "name none"),
};
ANSWER (queues);

static const struct field nodes_fields[] = {
    LIST_OF ("nodes", service_node, "all of them"),
    LIST_OF ("links", service_link, "those that are down"),
};
ANSWER (nodes);

static const struct field shadow_side_fields[] = {
    SECONDS ("start", "when it started, since 1970"),
    OBJECT ("place", place_of_job, "where"),
};
SHEET (shadow_side);

static const struct field shadow_job_fields[] = {
    WHOLE ("id", "its number here"),
    TEXT ("key", "what the live system calls it"),
    TEXT ("alias", "the same for people, if that is another name"),
    TEXT ("user", "whose it is"),
    TEXT ("name", "a name for people"),
    SECONDS ("submit", "when it was submitted, since 1970"),
    OBJECT ("live", shadow_side, "what happened to it in the live system"),
    OBJECT ("shadow", shadow_side, "and here"),
};
SHEET (shadow_job);

static const struct field shadow_wait_fields[] = {
    SECONDS_OR_NULL ("live", "in the live system"),
    SECONDS_OR_NULL ("shadow", "here"),
};
SHEET (shadow_wait);

static const struct field shadow_distance_fields[] = {
    TYPED ("live", "number|null", "in the live system"),
    TYPED ("shadow", "number|null", "here"),
};
SHEET (shadow_distance);

static const struct field shadow_fields[] = {
    SECONDS ("now", "how far the shadow is, since 1970"),
    SECONDS ("heard", "up to when everything is known"),
    WHOLE ("pending", "messages that are not due yet"),
    WHOLE_OR_NULL ("holder", "the job whose end it waits for"),
    WHOLE ("compared", "jobs that both have started by themselves"),
    WHOLE ("same", "how many of them started within a second, on the same "
                   "nodes"),
    WHOLE ("earlier", "how many of them started earlier in the shadow"),
    WHOLE ("later", "how many of them started later in the shadow"),
    WHOLE ("elsewhere", "how many of them started on other nodes"),
    WHOLE ("only_live", "jobs that only the live system has started"),
    WHOLE ("only_shadow", "jobs that only the shadow has started"),
    OBJECT ("wait", shadow_wait, "the mean wait of those compared"),
    OBJECT ("distance", shadow_distance,
            "the mean over jobs of the distance between two of their nodes, "
            "in hops"),
    LIST_OF ("jobs", shadow_job, "those that differ"),
    WHOLE ("next", "if there are more: the after of the next page"),
};
ANSWER (shadow);
