/* jobs.h - jobs of a running torid as JSON: fetching them, and their text. */
#ifndef TORI_CLI_JOBS_H
#define TORI_CLI_JOBS_H

#include <jansson.h>

#include <tori/error.h>
#include <tori/workload.h>

#include "options.h"

/* The operand of many commands, for values that hold `ids`. */
#define OPTION_ROW_IDS(values)                                        \
    {                                                                 \
        .name = "id", .kind = OPTION_STRINGS,                         \
        OPTION_AT (values, ids), .value = "ID", .operand = true,      \
        .required = true, .asks = "jobs",                             \
        .help = "numbers of jobs, such as 17, or 17-26 for all from " \
                "17 to 26; or names that they have elsewhere, such "  \
                "as slurm:19"                                         \
    }

/* The reason of a change, for values that hold `why`. */
#define OPTION_ROW_WHY(values)                                        \
    {                                                                 \
        .name = "why", .kind = OPTION_STRING, OPTION_AT (values, why), \
        .value = "TEXT",                                              \
        .help = "the reason, which 'tori history --changes' shows"    \
    }

/* A member that is a text, else ""; a whole number, else 0; a time in seconds,
 * else 0. */
const char *job_text (const json_t *job, const char *key);
json_int_t job_number (const json_t *job, const char *key);
tori_time job_time (const json_t *job, const char *key);

/* A time in seconds from torid, as ticks, capped to the largest time. */
tori_time seconds_ticks (const json_t *value);

/* Whether a job is in this state. */
bool job_is (const json_t *job, const char *state);

/* Fetch one job; or append all of this state and user (NULL: any) to a
 * list. */
int job_fetch (const char *socket, json_int_t id, json_t **ret_job,
               tori_error *err);
int jobs_fetch (const char *socket, const char *state, const char *user,
                json_t *jobs, tori_error *err);

/* Whether a word is the name that another system gives a job: slurm:19, or
 * slurm:20_3 for a task of an array. */
bool job_is_alias (const char *word);

/* The number of a job from such a name or a number. If several jobs have the
 * name, the last one is meant. */
int job_find (const char *socket, const char *word, int64_t *ret_id,
              tori_error *err);

/* Words such as 17 and 17-26 as a list of numbers, which the caller releases.
 */
int ids_read (const struct strings *words, json_t **ret_ids, tori_error *err);

/* The same for jobs, whose names are accepted, too. */
int job_ids_read (const char *socket, const struct strings *words,
                  json_t **ret_ids, tori_error *err);

/* From `from` on and before `to`, where a job that runs has run until `now`. */
struct use_span {
    tori_time from, to, now;
};

/* The use of a job within a time, in all its runs: whether it ran then, for
 * how long, and that times its nodes. */
struct job_use {
    bool any;
    double seconds, node_seconds;
    double start, end; /* of one run, in seconds */
};
struct job_use job_use (const json_t *job, struct use_span span);

/* Add what is known of a job's time: `elapsed` and `remaining`, in seconds. */
void job_set_times (json_t *job);

/* Sort jobs for a list: those that run by start, those that wait and may start
 * in the order of the queue, others that wait, and those that have ended. */
void jobs_sort (json_t *jobs);

/* The first job of the array to which the job belongs, or 0. */
json_int_t job_array (const json_t *job);

/* A text member, safe for a terminal: control characters become question
 * marks. */
enum { JOB_TEXT_MAX = 512 };
void job_shown (const json_t *job, const char *key, char text[JOB_TEXT_MAX]);

/* The request of a job: "4x4x2 torus or 8x2x2 torus". */
void job_request (const json_t *job, char text[JOB_TEXT_MAX]);

/* A place: a box, or the first nodes of a list. */
void job_place (const json_t *place, char text[JOB_TEXT_MAX]);

/* The place of a job that runs, or why it waits, or how it ended. */
void job_remark (const json_t *job, char text[JOB_TEXT_MAX]);

/* The nodes of a job that runs or ran. */
size_t job_count_nodes (const json_t *job);

/* How a job has ended. */
enum job_outcome {
    OUTCOME_COMPLETED,
    OUTCOME_FAILED,
    OUTCOME_TIMEOUT,
    OUTCOME_CANCELLED,
    OUTCOME_NODE_FAILURE,
    OUTCOME_PREEMPTED,
    OUTCOME_UNKNOWN,
    OUTCOMES
};
enum job_outcome job_outcome (const json_t *job);
const char *job_outcome_name (size_t i); /* NULL past the end */

/* The exit status of a job as in a shell: 128 plus a signal; 1 if it never
 * ran. */
int job_status (const json_t *job);

#endif
