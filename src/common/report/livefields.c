/* The fields of answers of a running service. */
#include "livefields.h"

#include "fieldrows.h"
#include "whycase.h"

static const struct field submit_fields[] = {
    WHOLES ("ids", "the numbers of the jobs"),
    TEXT ("message", "if torid has no executor: that jobs are only placed"),
};
ANSWER (submit);

static const struct field submitted_fields[] = {
    WHOLES ("ids", "the numbers of the jobs"),
    TEXT ("message", "if torid has no executor: that jobs are only placed"),
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
#define JOB_FIELD_LIMIT TIME
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
    WHOLE ("before", "another job that waits: it gets a priority by which it "
                     "goes ahead of that, and of others with that priority"),
    TEXT ("why", "the reason, for the record of changes"),
};
ANSWER (job_change);

static const struct field job_run_fields[] = {
    SECONDS ("start", "when it got them, since 1970"),
    SECONDS ("end", "when it lost them; none if it has them now"),
    SECONDS ("elapsed", "between the two; less if this is a sum of many"),
    TYPED ("node_seconds", "number", "the same, times the nodes"),
};
SHEET (job_run);

static const struct field service_job_fields[] = {
    WHOLE ("id", "its number"),
#define JOB_FOREIGN JOB_ROW
#include "jobrows.h"
    TEXT ("user", "whose it is"),
    TEXT ("account", "of a job that is listed or shown: the account of its user "
                     "now, if there are accounts"),
    TEXT ("state", "queued, running or ended"),
    FLAG ("starting", "true of one that has its nodes, until the executor "
                      "says that it runs"),
    FLAG ("only_placed", "true of one that has its nodes, if torid has no "
                         "executor: nothing runs"),
    BESIDE (wish),
    WHOLE ("index", "its number there"),
    WHOLE ("attempt", "how often it was started"),
    WHOLE ("requeues", "how often the machine failed under it"),
    TEXT ("requeue_reason", "why it was last requeued"),
    TEXT ("move_reason", "why it was last moved"),
    TEXT ("stop_reason", "the reason given when it was cancelled or suspended, "
                         "or the job that it was suspended for"),
    LIST_OF ("runs", job_run,
             "of one that was requeued, moved or suspended: the times that it "
             "has had its nodes"),
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
    {"expected_start", FIELD_BY, .type = "number|null", .unit = "s",
     .about = "of one that waits, in 'tori show': when it is forecast to "
              "start, since 1970, or null"},
    OBJECT ("expected_place", place_of_job, "and where"),
    TEXT ("hold",
          "of one that is held: user, operator, dependency, array or share"),
    FLAG ("suspended", "true of one that waits to continue where it was"),
    WHOLE ("position", "of one that is listed, waits and may start: its place "
                       "in the queue, from 1 on; in a queue of thousands, as "
                       "it was some seconds ago"),
    TEXT ("limit", "the limit that it waits for"),
    WHOLE ("effective_priority",
           "of one that waits: what it goes by, with its queue's priority and "
           "its user's usage, if that is not its own"),
    WHOLE_OR_NULL ("status", "its exit status, or null"),
    WHOLE_OR_NULL ("signal", "the signal that ended it, or null"),
    TEXT ("why", "what ended it, if not itself; of one that its own queue "
                 "holds, or that its user has suspended: why"),
    {"left_out", FIELD_LIST, .type = "string",
     .about = "of one that is listed, was changed or has an event: members "
              "that are too long for that; they are there if it is asked for "
              "by its number"},
};
const struct sheet service_job_sheet
    = {"job", SHEET_FIELDS (service_job_fields)};

static const struct field listed_job_fields[] = {
    BESIDE (service_job),
    SECONDS ("elapsed", "how long it has run since its last start, without the "
                        "time that it was suspended"),
    SECONDS ("remaining", "of one that runs: what is left of its time limit"),
};
SHEET (listed_job);

static const struct field queue_fields[] = {
    LIST_OF ("jobs", listed_job, "in the order of the table"),
};
ANSWER (queue);

static const struct field past_job_fields[] = {
    BESIDE (service_job),
    TEXT ("outcome", "completed, failed, timeout, cancelled, node-failure, "
                     "preempted or unknown"),
    SECONDS ("elapsed", "how long all its runs took together"),
    TYPED ("node_hours", "number", "... times their nodes"),
};
SHEET (past_job);

static const struct field service_change_fields[] = {
    WHOLE ("number", "its number"),
    SECONDS ("time", "when, since 1970"),
    TEXT ("user", "who made it; torid, of its configuration, of a restored "
                  "state, and of what it does to jobs itself"),
    FLAG ("operator", "whether that was an operator"),
    TEXT ("what", "change, hold, release, suspend, requeue, move or cancel of a "
                  "job; also kill, end and resume, if torid does it; drain, "
                  "resume, down or up of nodes or a link; reserve or "
                  "unreserve; cancel-unknown; configure; restore of a state "
                  "from a backup"),
    WHOLE ("job", "the job that was changed"),
    TEXT ("owner", "... and whose it is"),
    TEXT ("node", "or the node or box"),
    TEXT ("link", "or the link"),
    WHOLE ("reservation", "or the reservation"),
    TYPED ("was", "object", "what has changed, as it was before"),
    TYPED ("is", "object", "... and as it was then"),
    TEXT ("why", "the reason, if one was given"),
    {"left_out", FIELD_LIST, .type = "string",
     .about = "members that are too long for the record"},
};
const struct sheet service_change_sheet
    = {"change", SHEET_FIELDS (service_change_fields)};

static const struct field use_fields[] = {
    TEXT ("user", "who, with --by user"),
    TEXT ("queue", "which, with --by queue"),
    TEXT ("account", "which, with --by account; '-' if there are none"),
    WHOLE ("jobs", "how many jobs ran in the time asked for, each counted "
                   "once"),
    WHOLE ("running", "how many of them run now"),
    TYPED ("node_hours", "number", "what all their runs used of that time"),
    TYPED ("share", "number", "of what all of the list used"),
};
SHEET (use);

static const struct field history_fields[] = {
    LIST_OF ("jobs", past_job, "by number"),
    LIST_OF ("uses", use, "with --by, instead of jobs: most first"),
    LIST_OF ("changes", service_change,
             "with --changes, instead of jobs: by number"),
};
ANSWER (history);

static const struct field reservation_time_fields[] = {
    SECONDS ("from", "when it begins, since 1970"),
    SECONDS ("until", "when it is over"),
};
SHEET (reservation_time);

static const struct field service_reservation_fields[] = {
    WHOLE ("id", "its number"),
    TEXT ("name", "a name for people"),
    SECONDS ("from", "when it begins, since 1970"),
    SECONDS ("until", "when it is over"),
    TEXT ("every", "the hours of the week at which it comes again, if it does; "
                   "then from and until are the current or next ones"),
    LIST_OF ("times", reservation_time,
             "... and these are all of the next four weeks"),
    TEXT ("box", "where, if that is a box"),
    TEXTS ("boxes", "or boxes"),
    TEXT ("across", "of the pieces of a slice: how many along each dimension"),
    TEXTS ("nodes", "or nodes"),
    WHOLE ("count", "how many nodes were asked for, if any would do"),
    TEXT ("why", "the reason that was given for it"),
    WHOLES ("jobs", "those that may run there"),
    TEXTS ("users", "users whose jobs may run there"),
    TEXTS ("groups", "groups whose users' jobs may"),
    TEXTS ("accounts", "accounts whose users' jobs may"),
    TEXT ("key", "by which the executor knows it, if it comes from there"),
};
const struct sheet service_reservation_sheet
    = {"one_reservation", SHEET_FIELDS (service_reservation_fields)};

static const struct field in_the_way_fields[] = {
    WHOLE ("id", "the number of the job"),
    TEXT ("user", "whose it is"),
    SECONDS ("end", "when it ends by its time limit, since 1970"),
};
const struct sheet in_the_way_sheet
    = {"in_the_way", SHEET_FIELDS (in_the_way_fields)};

static const struct field overlap_fields[] = {
    WHOLE ("id", "the number of the other reservation"),
    TEXT ("name", "its name"),
    SECONDS ("from", "from when on both keep the same nodes, since 1970"),
    SECONDS ("until", "until when, for the first time"),
};
const struct sheet overlap_sheet = {"overlap", SHEET_FIELDS (overlap_fields)};

static const struct field reserve_fields[] = {
    WHOLE ("id", "the number of the reservation that was made"),
    LIST_OF ("in_the_way", in_the_way, "jobs that run there when it begins"),
    LIST_OF ("overlaps", overlap,
             "other reservations that keep some of the same nodes at the same "
             "time"),
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
    WHOLE ("reservation", "the reservation that keeps it now"),
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
    WHOLE ("running", "how many run"),
    WHOLE ("suspended", "how many are suspended; they count for limits as if "
                        "they ran"),
    WHOLE ("nodes", "the nodes of those that run"),
    TYPED ("usage", "number",
           "node-seconds as of the last whole minute; old ones count less"),
    TYPED ("share", "number", "of the usage of all"),
    WHOLE ("penalty", "what that takes from the priority of the user's jobs"),
    TEXT ("account", "the account of the user, if there are accounts"),
};
SHEET (user);

static const struct field account_fields[] = {
    TEXT ("account", "its name"),
    WHOLE ("shares", "its shares"),
    TYPED ("target", "number", "... of those of all accounts"),
    TYPED ("usage", "number", "the node-seconds of its users"),
    TYPED ("share", "number", "... of the usage of all"),
};
SHEET (account);

static const struct field users_fields[] = {
    LIST_OF ("users", user, "by name"),
    LIST_OF ("accounts", account, "in the order of the configuration"),
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
    OBJECT ("user_limits", queue_limit,
            "of those of each user: running jobs and nodes; 0: none"),
    TEXT ("allow", "users and @groups that may submit to it, if not all may"),
    TEXT ("deny", "users and @groups that may not"),
    TEXT ("on", "nodes and boxes that its jobs run on, if not all"),
    TEXT ("hours", "when its jobs may start, if not always"),
    WHOLE ("queued", "how many of its jobs wait"),
    WHOLE ("running", "how many run"),
    WHOLE ("suspended", "how many are suspended; they count for limits as if "
                        "they ran"),
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
