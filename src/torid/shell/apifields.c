#include "apifields.h"

#include "fieldrows.h"
#include "forecast_rows.h"
#include "livefields.h"
#include "names.h"

#define THING(kind, name)                                                     \
    const struct sheet kind##_##name = {#name, SHEET_FIELDS (name##_fields)}

/* ---- bodies ---- */

static const struct field node_change_fields[] = {
    TEXT ("state", "drain, resume, down or up"),
    TEXT ("why", "a remark, which is shown with the nodes"),
};
THING (body, node_change);

static const struct field requeue_fields[] = {
    TEXT ("why", "the reason, which is shown with the job"),
};
THING (body, requeue);

static const struct field link_change_fields[] = {
    TEXT ("state", "down or up"),
    TEXT ("why", "the reason, which is shown with the link"),
};
THING (body, link_change);

static const struct field reservation_fields[] = {
    TEXT ("name", "what it is for"),
    TIME ("from", "when it begins; at once if not given"),
    TIME ("until", "when it is over"),
    TEXT ("every", "instead of both: hours of the week at which it comes again, "
                   "such as 'Mon 08:00-10:00', in local time"),
    TEXT ("box", "the box that is kept free"),
    TEXTS ("nodes", "or these nodes and boxes; a node may be [x,y,z], too"),
    WHOLE ("count", "or so many nodes, which are chosen at once"),
    WHOLES ("jobs", "jobs that may run there meanwhile"),
    TEXTS ("users", "users whose jobs may"),
    TEXTS ("groups", "groups of this host whose users' jobs may"),
    TEXTS ("accounts", "accounts whose users' jobs may"),
    TEXT ("why", "the reason, which is shown with it and kept in the record of "
                 "changes"),
};
THING (body, reservation);

static const struct field what_if_ask_fields[] = {
    {"changes", FIELD_LIST, .type = "object",
     .about = "objects of options of 'tori what-if', such as "
              "{\"down\": \"0,0,0\"}"},
    {"jobs", FIELD_LIST, .group = &answer_submission,
     .about = "submissions that are added; an operator may ask for another "
              "`user` of each"},
};
const struct sheet body_what_if
    = {"what_if_ask", SHEET_FIELDS (what_if_ask_fields)};

static const struct field snapshot_ask_fields[] = {
    {"jobs", FIELD_LIST, .group = &answer_submission,
     .about = "submissions: nothing is submitted, but the answer is the state "
              "as if they were, with their jobs marked as late; an operator "
              "may ask for another `user` of each"},
};
const struct sheet body_snapshot
    = {"snapshot_ask", SHEET_FIELDS (snapshot_ask_fields)};

#define WORD(name, text) TYPED (name, "string|integer", text)

static const struct field defrag_ask_fields[] = {
    WORD ("for", "make room for this job of the queue"),
    WORD ("shape", "make room for a box of this shape"),
    {"wiring", FIELD_MEMBER, .type = "string", .choices = wiring_names,
     .about = "links to reserve in the box"},
    FLAG ("no-rotate", "take the shape as it is, not its rotations"),
    FLAG ("wrap", "the box may wrap around where the dimension does"),
    FLAG ("live",
          "jobs move one after another, each onto nodes and links that are "
          "free at its turn; otherwise all stop, then start in their new "
          "places"),
    WORD ("keep", "jobs that stay where they are"),
    WHOLE ("moves", "move no more than N jobs"),
    WHOLE ("seconds", "the most seconds of the search, up to 60; 10 if not "
                      "given, or 60 with `steps`"),
    WHOLE ("steps", "the most steps of the search; unlike seconds, they give "
                    "the same answer on every machine"),
};
const struct sheet body_defrag
    = {"defrag_ask", SHEET_FIELDS (defrag_ask_fields), .closed = true};

static const struct field moves_ask_fields[] = {
    LIST_OF ("moves", move, "those of POST /v1/defrag"),
    WHOLE ("for", "the job of the queue that they make room for; it has to "
                  "start at once, or nothing is moved"),
    TEXT ("why", "the reason, which is shown with the jobs that move"),
};
const struct sheet body_moves
    = {"moves_ask", SHEET_FIELDS (moves_ask_fields), .closed = true};

static const struct field signin_fields[] = {
    TEXT ("token", "a token (`torid token add`)"),
    TEXT ("code", "or a code that is good once (`torid token code`)"),
};
THING (body, signin);

/* ---- answers ---- */

static const struct field whoami_fields[] = {
    TEXT ("user", "who asks"),
    TEXT ("role", "reader, user or operator"),
};
THING (gives, whoami);

static const struct field signed_out_fields[] = {
    FLAG ("signed_out", "that it is so"),
};
THING (gives, signed_out);

static const struct field jobs_fields[] = {
    {"jobs", FIELD_LIST, .group = &service_job_sheet, .about = "by number"},
    WHOLE ("next", "if there are others: ask for those after this one"),
};
THING (gives, jobs);

static const struct field nodes_fields[] = {
    {"nodes", FIELD_LIST, .group = &service_node_sheet, .about = "by number"},
    WHOLE ("next", "if there are others: ask for those after this one"),
};
THING (gives, nodes);

static const struct field nodes_changed_fields[] = {
    WHOLE ("nodes", "how many nodes were named"),
};
THING (gives, nodes_changed);

static const struct field moved_fields[] = {
    WHOLE ("moved", "how many jobs have moved"),
};
THING (gives, moved);

static const struct field output_fields[] = {
    TEXT ("file", "where it is"),
    TEXT ("text", "its end; bytes that are not UTF-8 are replaced"),
    WHOLE ("size", "how many bytes the file has"),
    WHOLE ("from", "where in the file the text begins"),
    TEXT ("why", "or why torid cannot show it"),
};
THING (gives, output);

static const struct field links_fields[] = {
    {"links", FIELD_LIST, .group = &service_link_sheet,
     .about = "those that are down"},
};
THING (gives, links);

static const struct field links_changed_fields[] = {
    WHOLE ("links", "how many links were named"),
};
THING (gives, links_changed);

static const struct field reservations_fields[] = {
    LIST_OF ("reservations", service_reservation, "those that are not over"),
    {"windows", FIELD_LIST, .group = &service_reservation_sheet,
     .about = "the same by its old name", .old = true},
};
THING (gives, reservations);

static const struct field reservation_changed_fields[] = {
    WHOLE ("id", "its number"),
    LIST_OF ("in_the_way", in_the_way,
             "of a new one: jobs that run there when it begins"),
    LIST_OF ("overlaps", overlap,
             "of a new one: others that keep some of the same nodes at the "
             "same time"),
};
THING (gives, reservation_changed);

static const struct field stranger_fields[] = {
    WHOLE ("job", "its number"),
    WHOLE ("attempt", "which start of it"),
    TEXT ("state", "the identity and the epoch of the state that began it"),
    TEXT ("user", "whose it is"),
    {"nodes", FIELD_LIST, .type = "string", .about = "where it runs"},
};
static const struct sheet stranger_sheet
    = {"stranger", SHEET_FIELDS (stranger_fields)};

static const struct field unknown_fields[] = {
    {"unknown", FIELD_LIST, .group = &stranger_sheet,
     .about = "begun by a state that was replaced, as by a backup; they keep "
              "their nodes until they end"},
};
THING (gives, unknown);

static const struct field unknown_ended_fields[] = {
    WHOLE ("id", "the number of the job"),
};
THING (gives, unknown_ended);

static const struct field machine_fields[] = {
    TEXT ("machine", "its kind and sizes"),
    WHOLE ("nodes", "how many nodes it has"),
    WHOLE ("free", "how many of them are free"),
    WHOLE ("last_job", "the highest number that a job has got"),
};
THING (gives, machine);

static const struct field sample_fields[] = {
    SECONDS ("time", "when it was taken, since 1970: whole seconds"),
    WHOLE ("busy", "nodes that were busy, and neither down nor drained"),
    WHOLE ("free", "nodes that were free; utilization is busy over both"),
    WHOLE ("queued", "jobs that waited"),
    WHOLE ("running", "jobs that ran"),
    WHOLE ("suspended", "jobs that were suspended"),
    WHOLE ("largest", "nodes of the largest free box that does not wrap; not "
                      "on very large machines"),
};
SHEET (sample);

static const struct field history_fields[] = {
    LIST_OF ("samples", sample,
             "by time: one per minute of the last day, per 15 minutes of two "
             "weeks, per 4 hours of 400 days"),
    WHOLE ("next", "if there are others: ask for those after this one"),
};
THING (gives, history);

static const struct field changes_fields[] = {
    LIST_OF ("changes", service_change, "by number"),
    WHOLE ("next", "if there are others: ask for those after this one; the "
                   "list may be empty even so"),
};
THING (gives, changes);

static const struct field health_fields[] = {
    TEXT ("status", "`ok`, `no-executor` if it has gone, `executor-silent` if "
                    "it does not answer, `unknown-processes` if it runs jobs "
                    "that torid knows nothing of, `host-trouble` if starts "
                    "wait for its host, or `nodes-drained` if it could not "
                    "start jobs there"),
    FLAG ("executor", "whether the executor is there"),
    TEXT ("message", "if it is not `ok`: why; or that there is no executor"),
};
THING (gives, health);

static const struct field fault_fields[] = {
    TEXT ("code", "a fixed word"),
    TEXT ("message", "what is wrong, and what is expected"),
    WHOLE ("index", "of many jobs, which one is wrong, counted from 0"),
};
static const struct sheet fault_sheet = {"fault", SHEET_FIELDS (fault_fields)};

static const struct field error_fields[] = {
    OBJECT ("error", fault, "why a request was refused"),
};
THING (gives, error);
