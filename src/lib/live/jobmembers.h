/* jobmembers.h - what a job asks for, as a structure, and the table of its
 * members (jobrows.h). Whatever reads, writes, shows or describes a job
 * goes by the table, and what decides reads the structure: a member has a
 * name only in JSON. */
#ifndef TORI_LIVE_JOBMEMBERS_H
#define TORI_LIVE_JOBMEMBERS_H

#include <tori/snapshot.h>

#include "member.h"

/* Its flags. */
enum {
    JOB_PASSED = 1,     /* the executor gets it, as it is */
    JOB_FILE = 2,       /* the name of a file, with %j and the like */
    JOB_LATE = 4,       /* earlier versions accepted any value, and so does a
                         * reader of what they have written */
    JOB_IS_SHOWN = 8,   /* everybody sees it */
    JOB_IS_FOREIGN = 16 /* only executors give it */
};

enum job_type {
    JOB_TYPE_TEXT,
    JOB_TYPE_SHAPE,
    JOB_TYPE_COUNT, /* of nodes */
    JOB_TYPE_WIRING,
    JOB_TYPE_FOLD, /* none or rings */
    JOB_TYPE_FLAG,
    JOB_TYPE_REQUESTS, /* a list of objects with rows JOB_WISH */
    JOB_TYPE_NODES,    /* nodes and boxes */
    JOB_TYPE_TIME,     /* a duration */
    JOB_TYPE_LIMIT,    /* one of which a number in a text has two meanings */
    JOB_TYPE_MOMENT,   /* a point in time */
    JOB_TYPE_WHOLE,
    JOB_TYPE_TIER,
    JOB_TYPE_PREEMPTED,
    JOB_TYPE_MOVABLE,  /* true or false, among the flags of a tori_job_spec */
    JOB_TYPE_FAILURE,  /* kill, requeue or repair, the same */
    JOB_TYPE_WORDS,    /* a list of words without a meaning here */
    JOB_TYPE_AFTERS,   /* "ok:17", or a list of such texts */
    JOB_TYPE_RANGE,    /* "1-100%10" */
    JOB_TYPE_VARIABLES /* an object of texts */
};

/* The jobs of an array, and how many of them may run at once; 0: any. */
struct job_range {
    uint32_t first, last, array_limit;
};

/* The C types of members that are not in tori_job_spec. Texts and values of
 * JSON are those of `members`. */
#define JOB_C_TEXT const char *
#define JOB_C_FLAG bool
#define JOB_C_TIME tori_time
#define JOB_C_WHOLE int64_t
#define JOB_C_WORDS const json_t *
#define JOB_C_AFTERS const json_t *
#define JOB_C_RANGE struct job_range
#define JOB_C_VARIABLES const json_t *
#define JOB_PLACE_SPEC(name, type)
#define JOB_PLACE_OWN(name, type) JOB_C_##type name;

/* The submission of a job, or of each job of an array. They share it, and it
 * does not change once they have it. */
struct job_ask {
    tori_job_spec spec; /* comes first, as in a tori_snapshot_job. It does not
                           have the state of the job: tag, hold, done, ... */
#define JOB_MEMBER(name, type, place, ...) JOB_PLACE_##place (name, type)
#include "jobrows.h"
    uint64_t given;  /* JOB_BIT of each member that was given */
    json_t *members; /* as they were given, but times are seconds */
    bool copied;     /* `members` is not shared */
    size_t refs;
    tori_request *alternatives; /* those of the spec */
    uint64_t *only;             /* the same */
};

enum job_member_id {
#define JOB_MEMBER(name, ...) JOB_##name,
#include "jobrows.h"
    JOB_MEMBERS
};

#define JOB_BIT(id) (UINT64_C (1) << JOB_##id)

struct job_member {
    const char *name;
    enum job_type type;
    size_t offset; /* in struct job_ask; of a member that a snapshot has, also
                      in a tori_snapshot_job */
    unsigned flags;
    const char *snapshot; /* its name there, or NULL */
};

extern const struct job_member job_members[JOB_MEMBERS];

/* Those with a row JOB_WISH, and with one JOB_CHANGE. */
extern const bool job_is_wish[JOB_MEMBERS], job_may_change[JOB_MEMBERS];

/* The names that members had in the version before, or NULL. */
extern const char *const job_old_names[JOB_MEMBERS];
bool job_name_is_old (const char *name);

/* An object with its members by their names of today: a new reference.
 * TORI_INVALID if one of them is there by both names, with values that
 * differ. */
json_t *job_rename (const struct member_of *of, tori_error *err);

/* Give every member that has an old and a new name both of them. -1 without
 * memory. */
int job_name_twice (json_t *object);

/* The name of a member; without a row of this name it does not compile. */
#define JOB_KEY(id) (&#id[0 * JOB_##id])

/* The names of a choice. */
const char *job_failure_name (size_t i);
const char *job_preempted_name (size_t i);

struct job_reading {
    const tori_machine *machine;
    tori_time now; /* for times such as "+1h"; -1: there is none */
    bool strict;   /* refuse what an earlier version did not */
    bool plain;    /* read a number in a text as a time limit in seconds, as an
                      earlier version did */
    bool lenient;  /* leave out what cannot be read: it has no effect any
                      more */
    /* Called for members of alternatives that mean nothing; or NULL. */
    int (*unknown) (void *arg, const char *place);
    void *arg;
};

/* Read what an object asks for. TORI_INVALID names the member. */
int job_ask_read (const struct member_of *of, const struct job_reading *how,
                  struct job_ask **ret_ask, tori_error *err);

/* Whether it asks for nodes and says how long it may run, as a job that waits
 * or runs must: TORI_INVALID. If it has only alternatives, it asks for the
 * first of them. */
int job_ask_whole (const struct member_of *of, struct job_ask *ask,
                   tori_error *err);

/* Add a user; and remove one. NULL is allowed. */
struct job_ask *job_ask_keep (struct job_ask *ask);
void job_ask_drop (struct job_ask *ask);

/* Give a member another value, and let go of that; without `how`, the structure
 * has it already. Only while it is not shared. */
int job_ask_set (struct job_ask *ask, enum job_member_id id, json_t *value,
                 const struct job_reading *how, tori_error *err);

/* The nodes that it may use take much room on a large machine, and are only
 * needed while a scheduler is told of the job. Forget them; and find them
 * again: *ret_only must be freed. */
void job_ask_forget_nodes (struct job_ask *ask);
int job_ask_find_nodes (const struct job_ask *ask, const tori_machine *machine,
                        uint64_t **ret_only, tori_error *err);

/* Members with this flag as they were given: the next from *at on, whose value
 * is *ret_value, or NULL past the end. */
const struct job_member *job_ask_next (const struct job_ask *ask,
                                       unsigned flag, size_t *at,
                                       json_t **ret_value);

/* Which members of an object may be changed later: JOB_BIT of each. */
uint64_t job_changes (const json_t *object);

#endif
