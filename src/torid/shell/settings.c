#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include <tori/alloc.h>

#include "address.h"
#include "duration.h"
#include "hours.h"
#include "torid.h"

/* ---- what values may be ---- */

static int parse_machine (const char *text, void *to, tori_error *err)
{
    tori_machine *machine;
    if (tori_machine_parse (text, &machine, err) < 0)
        return -1;
    tori_machine_destroy (machine);
    return 0;
}

static int parse_duration (const char *text, void *to, tori_error *err)
{
    tori_time time;
    if (duration_parse (text, &time, err) < 0)
        return -1;
    if (time < 0)
        return tori_error_set (err, TORI_INVALID, "'%.60s' is below 0", text);
    memcpy (to, &time, sizeof time);
    return 0;
}

static int parse_listen (const char *text, void *to, tori_error *err)
{
    struct address address;
    return address_parse (text, &address, err);
}

static const char *preempted_name (size_t i)
{
    return tori_preempted_name ((tori_preempted)i);
}

static const char *allocator_name (size_t i)
{
    const tori_alloc_info *info = tori_alloc_list (i);
    return info ? info->name : NULL;
}

static const char *scheduler_name (size_t i)
{
    const tori_sched_info *info = tori_sched_list (i);
    return info ? info->name : NULL;
}

static int parse_name (const char *what, const char *text,
                       const char *(*names) (size_t i), tori_error *err)
{
    int index;
    return choice_parse (what, text, names, &index, err);
}

static int parse_allocator (const char *text, void *to, tori_error *err)
{
    return parse_name ("the allocator", text, allocator_name, err);
}

static int parse_scheduler (const char *text, void *to, tori_error *err)
{
    return parse_name ("the scheduler", text, scheduler_name, err);
}

/* ---- the table ---- */

#define AT(member) OPTION_AT (struct settings, member)
#define LIMIT(key, member, text)                                          \
    {                                                                     \
        .name = key, .kind = OPTION_INTEGER, AT (policy.member),          \
        .value = "N", .max = INT64_MAX, .live = true, .help = text        \
    }

#define LIMIT_OF(key, member, usual, text)                                \
    {                                                                     \
        .name = key, .kind = OPTION_INTEGER, AT (policy.member),          \
        .value = "N", .max = INT64_MAX, .fallback = usual, .live = true,  \
        .help = text                                                      \
    }

const struct option settings_options[] = {
    {.name = "machine", .kind = OPTION_STRING, AT (machine),
     .value = "MACHINE", .parse = parse_machine,
     .help = "the machine, such as torus:8x8x8"},
    {.name = "state", .kind = OPTION_STRING, AT (state), .value = "DIR",
     .help = "where everything is kept; created if it is not there"},
    {.name = "socket", .kind = OPTION_STRING, AT (socket), .value = "PATH",
     .help = "where clients of this host connect; if not given, DIR/socket"},
    {.name = "listen", .kind = OPTION_STRING, AT (listen),
     .value = "ADDRESS:PORT", .parse = parse_listen,
     .help = "where clients with a token connect, such as 127.0.0.1:8470; if "
             "not given, nowhere"},
    {.name = "public", .kind = OPTION_FLAG, AT (public),
     .help = "let --listen be an address that other hosts can reach"},
    {.name = "guests", .kind = OPTION_FLAG, AT (guests),
     .help = "let clients that come to --listen without a token look, but "
             "change nothing"},
    {.name = "executor", .kind = OPTION_STRING, AT (executor),
     .value = "COMMAND",
     .help = "what runs the jobs; if not given, 'torid-local --jobs "
             "DIR/jobs', which runs them on this host. With none, jobs are "
             "only placed, and keep their nodes until they are cancelled"},
    {.name = "heartbeat", .kind = OPTION_PARSED, AT (heartbeat),
     .value = "DURATION", .fallback = "10s", .parse = parse_duration,
     .live = true,
     .help = "how often the executor is asked whether it is there; if it has "
             "not answered after three times as long, /healthz and the log "
             "say so; 0: never"},
    {.name = "drain-after", .kind = OPTION_INTEGER, AT (drain_after),
     .value = "N", .min = 1, .max = 1000000, .fallback = "3", .live = true,
     .help = "drain a node on which this many jobs in a row could not start, "
             "because the executor's host is in trouble"},
    {.name = "sched", .kind = OPTION_STRING, AT (sched), .value = "NAME",
     .fallback = "easy", .parse = parse_scheduler, .choices = scheduler_name,
     .help = "the scheduler"},
    {.name = "alloc", .kind = OPTION_STRING, AT (alloc), .value = "NAME",
     .parse = parse_allocator,
     .help = "the allocator for shapes, see 'tori list allocators'; if not "
             "given, first-fit, on a pod cube-best"},
    {.name = "slices", .kind = OPTION_STRING, AT (slices), .value = "SHAPES",
     .help = "on a pod: the shapes that slices smaller than a cube may have, "
             "such as 1x1x1,2x2x1,2x2x2, in any rotation, at multiples of "
             "their sides in a cube; with anchors: all boxes that jobs may "
             "have, as they lie; if not given, all"},
    {.name = "counts", .kind = OPTION_STRING, AT (counts), .value = "NAME",
     .parse = parse_allocator,
     .help = "the allocator for counts; if not given, snake-bf, which leaves "
             "the most room for boxes. Jobs on a pod have shapes"},
    {.name = "depth", .kind = OPTION_INTEGER, AT (depth), .value = "N",
     .max = UINT32_MAX,
     .help = "how many waiting jobs have a planned start; if not given, as "
             "many as the scheduler says"},
    {.name = "moves", .kind = OPTION_FLAG, AT (moves),
     .help = "move running jobs to make room for the first that waits, if that "
             "gains more node-time than it costs"},
    {.name = "move-time", .kind = OPTION_PARSED, AT (move),
     .value = "DURATION", .fallback = "60s", .parse = parse_duration,
     .help = "what a job loses when it is moved"},
    {.name = "shadow", .kind = OPTION_FLAG, AT (shadow),
     .help = "start nothing: follow the scheduler that the executor reports "
             "on, and tell where the two differ"},
    {.name = "operator", .kind = OPTION_STRINGS, AT (operators),
     .value = "USER", .live = true,
     .help = "a user, or @GROUP, who may change nodes and the jobs of others; "
             "root and the user that torid runs as always may"},
    {.name = "log", .kind = OPTION_CHOICE, AT (level), .value = "LEVEL",
     .fallback = "info", .choices = level_name, .live = true,
     .help = "the least that is logged"},
    {.name = "connections", .kind = OPTION_INTEGER, AT (connections),
     .value = "N", .min = 8, .max = 1000000, .fallback = "20000",
     .help = "how many connections there may be at once, of each kind"},
    {.name = "per-address", .kind = OPTION_INTEGER, AT (per_address),
     .value = "N", .max = 1000000,
     .help = "how many of them may come from one address by TCP; if not "
             "given, all"},
    {.name = "streams", .kind = OPTION_INTEGER, AT (streams), .value = "N",
     .max = 1000000, .fallback = "16000", .live = true,
     .help = "how many streams of events there may be at once; they never "
             "take more than four fifths of the connections"},
    {.name = "user-streams", .kind = OPTION_INTEGER, AT (user_streams),
     .value = "N", .max = 1000000, .fallback = "256", .live = true,
     .help = "how many of them a user who is not an operator may have"},
    {.name = "patience", .kind = OPTION_PARSED, AT (patience),
     .value = "DURATION", .fallback = "60s", .parse = parse_duration,
     .live = true,
     .help = "how long a request may take to arrive, and how long a "
             "connection may say nothing"},
    {.name = "body", .kind = OPTION_INTEGER, AT (body), .value = "MIB",
     .min = 1, .max = 1024, .fallback = "2", .live = true,
     .help = "the most that the body of a request may hold, in MiB; all "
             "others wait while it is read"},
    {.name = "user-bodies", .kind = OPTION_INTEGER, AT (user_bodies),
     .value = "MIB", .min = 1, .max = 1048576, .fallback = "32",
     .live = true,
     .help = "the most that the bodies of all requests of a user who is not "
             "an operator may hold at once, in MiB"},
    {.name = "bodies", .kind = OPTION_INTEGER, AT (bodies), .value = "MIB",
     .min = 1, .max = 1048576, .fallback = "256", .live = true,
     .help = "the most that the bodies of all requests may hold at once, in "
             "MiB"},
    {.name = "user-answers", .kind = OPTION_INTEGER, AT (user_answers),
     .value = "MIB", .min = 1, .max = 1048576, .fallback = "16",
     .live = true,
     .help = "how much of answers that have not been read in full a user who "
             "is not an operator may have before more is refused, in MiB"},
    {.name = "answers", .kind = OPTION_INTEGER, AT (answers), .value = "MIB",
     .min = 1, .max = 1048576, .fallback = "256", .live = true,
     .help = "the same for all users"},
    {.name = "requests", .kind = OPTION_INTEGER, AT (requests), .value = "N",
     .max = 1000000000, .fallback = "1000", .live = true,
     .help = "how many requests a user who is not an operator may make per "
             "second; 0: any number"},
    {.name = "questions", .kind = OPTION_INTEGER, AT (questions),
     .value = "N", .min = 1, .max = 1000, .fallback = "4", .live = true,
     .help = "how many questions that take a while, such as why, forecast and "
             "what-if, are worked at at once; a user who is not an operator "
             "has at most half of them, and four times as many may wait"},
    {.name = "user-questions", .kind = OPTION_INTEGER, AT (user_questions),
     .value = "N", .min = 1, .max = 4000, .fallback = "4", .live = true,
     .help = "how many of them a user who is not an operator may have open at "
             "once; another one only while these are fewer than the places "
             "that are free"},
    {.name = "question-time", .kind = OPTION_PARSED, AT (question_time),
     .value = "DURATION", .fallback = "30s", .parse = parse_duration,
     .live = true,
     .help = "how long one of them may take, once it is worked at"},
    {.name = "session-time", .kind = OPTION_PARSED, AT (session_time),
     .value = "DURATION", .fallback = "7d", .parse = parse_duration,
     .live = true,
     .help = "how long a browser that has signed in stays so"},
    {.name = "half-life", .kind = OPTION_PARSED, AT (policy.half_life),
     .value = "DURATION", .parse = parse_duration, .live = true,
     .help = "the time after which past usage counts half; if not given, 7d "
             "with a usage-weight, and without one no usage is counted"},
    {.name = "usage-weight", .kind = OPTION_INTEGER, AT (policy.weight),
     .value = "N", .max = INT64_MAX, .live = true,
     .help = "how much priority the jobs of a user lose if all usage is that "
             "user's; if not given, none: there is no fair share"},
    {.name = "account", .kind = OPTION_STRINGS, AT (accounts),
     .value = "ACCOUNT", .live = true,
     .help = "an account, its shares and its users, such as \"physics 30 ann "
             "bob\": usage counts by account first, then by user; users in "
             "no account are in 'other', with 1 share"},
    {.name = "requeues", .kind = OPTION_INTEGER, AT (policy.requeues),
     .value = "N", .max = INT64_MAX, .live = true,
     .help = "how often a job starts again after a failure of the machine; "
             "if not given, always"},
    {.name = "history", .kind = OPTION_PARSED, AT (policy.history),
     .value = "DURATION", .parse = parse_duration, .live = true,
     .help = "how long torid remembers a job that has ended; if not given, "
             "forever"},
    LIMIT_OF ("max-jobs", jobs, "100000",
              "how many jobs of all users may wait or run; 0: any number"),
    LIMIT_OF ("max-array", array, "1001",
              "how many jobs an array may have, at most 100001; 0: as many"),
    LIMIT_OF ("max-after", after, "1001",
              "how many jobs a job may wait for; 0: any number"),
    LIMIT_OF ("max-batch", batch, "1001",
              "how many jobs a request may submit that submits several, with "
              "those of their arrays; 0: any number"),
    LIMIT_OF ("max-queued", user.queued, "10000",
              "how many jobs of a user may wait; 0: any number"),
    {.name = "max-stored", .kind = OPTION_INTEGER, AT (policy.stored),
     .value = "MIB", .max = 1048576, .fallback = "64", .live = true,
     .help = "the most that the submissions of a user's jobs that wait or run "
             "may take in memory, with scripts and environments, in MiB; 0: "
             "any number"},
    LIMIT ("max-running", user.running,
           "how many jobs of a user may run; if not given, any number"),
    LIMIT ("max-nodes", user.nodes,
           "how many nodes a user may have; if not given, any number"),
    LIMIT ("max-rate", user.rate,
           "how many submissions a user may make within a minute; if not "
           "given, any number"),
    {.name = "config", .kind = OPTION_STRING, AT (config), .value = "FILE",
     .file = FILE_READ, .aside = true,
     .help = "read these settings from a file, see torid.conf(5); options on "
             "the command line override it"},
    {.name = "salvage", .kind = OPTION_FLAG, AT (salvage), .aside = true,
     .help = "if the journal is damaged, go on with what comes before the "
             "damage; a copy of it is kept as DIR/journal.before"},
    {.name = "check", .kind = OPTION_FLAG, AT (check), .aside = true,
     .help = "only check the settings, the operators, the folders, the "
             "executor, the tokens and the journal; nothing is changed"},
    OPTION_ROWS_ABOUT (struct settings),
    {.name = NULL},
};

#define OF(member) OPTION_AT (struct service_queue, member)
#define COUNT(key, member, text)                                          \
    {                                                                     \
        .name = key, .kind = OPTION_INTEGER, OF (member), .value = "N",   \
        .max = INT64_MAX, .help = text                                    \
    }

static int check_hours (const char *text, void *to, tori_error *err)
{
    return hours_check (text, err);
}

static const struct option queue_options[] = {
    {.name = "priority", .kind = OPTION_INTEGER, OF (priority), .value = "N",
     .min = INT32_MIN, .max = INT32_MAX,
     .help = "added to the priority of each of its jobs"},
    {.name = "max-time", .kind = OPTION_PARSED, OF (max_estimate),
     .value = "DURATION", .parse = parse_duration,
     .help = "the longest job"},
    COUNT ("max-size", max_nodes, "the largest job, in nodes"),
    {.name = "tier", .kind = OPTION_INTEGER, OF (level), .value = "N",
     .max = UINT32_MAX, .old = "level",
     .help = "the preemption tier of its jobs: jobs of a higher tier may "
             "preempt them"},
    {.name = "preempted", .kind = OPTION_CHOICE, OF (preempted),
     .value = "FATE", .choices = preempted_name, .fallback = "requeue",
     .help = "what happens to its jobs then"},
    COUNT ("max-queued", limits.queued, "how many of its jobs may wait"),
    COUNT ("max-running", limits.running, "how many of its jobs may run"),
    COUNT ("max-nodes", limits.nodes, "how many nodes they may have"),
    COUNT ("max-rate", limits.rate,
           "how many submissions there may be within a minute"),
    COUNT ("user-max-running", user.running,
           "how many of its jobs may run for each user"),
    COUNT ("user-max-nodes", user.nodes,
           "how many nodes they may have for each user"),
    {.name = "allow", .kind = OPTION_STRING, OF (allow), .value = "USERS",
     .help = "users, and groups as @GROUP, that may submit to it, with blanks "
             "between; if not given, all"},
    {.name = "deny", .kind = OPTION_STRING, OF (deny), .value = "USERS",
     .help = "users and groups that may not, even if they are allowed"},
    {.name = "on", .kind = OPTION_STRING, OF (nodes), .value = "NODES",
     .help = "nodes and boxes that its jobs run on, with blanks between, such "
             "as \"0,0,0/4x4x2 1,2,3\"; if not given, all"},
    {.name = "hours", .kind = OPTION_STRING, OF (hours), .value = "HOURS",
     .parse = check_hours,
     .help = "when its jobs may start, in local time, such as \"Mon-Fri "
             "18:00-08:00, Sat-Sun\"; if not given, always"},
    {.name = NULL},
};

const struct command settings_queue = {.name = "queue",
                                       .options = queue_options,
                                       .size = sizeof (struct service_queue)};
