/* settings.h - the settings of torid: options, and a file with the same names.
 *
 * One table describes everything that can be set. It makes the options, the
 * keys of the configuration file, the help and the manual. The command line
 * overrides the file.
 */
#ifndef TORI_TORID_SETTINGS_H
#define TORI_TORID_SETTINGS_H

#include "service.h"
#include "startup.h"

struct settings {
    struct about about;
    const char *config;
    bool check, salvage;
    const char *machine, *state, *socket, *listen, *executor;
    bool public, guests, shadow;
    const char *sched, *alloc, *counts, *slices;
    int64_t depth;
    bool moves;
    tori_time move;
    struct strings operators;
    struct strings accounts;
    int level; /* of the log */
    int64_t connections, per_address, streams, user_streams, body, requests;
    int64_t user_bodies, bodies, user_answers, answers;
    int64_t questions, user_questions, drain_after;
    tori_time patience, question_time, session_time, heartbeat;
    struct service_policy policy; /* but its queues */
};

/* Settings as they were read: the texts belong to it. */
struct setup {
    struct settings values;
    struct service_queue *queues;
    size_t nqueues, queue_room;
    char **texts;
    size_t ntexts, text_room;
};

/* The rows of the table, and those of a queue in the file. */
extern const struct option settings_options[];
extern const struct command settings_queue;

/* ---- setup.c ---- */

/* Reports what is wrong with a file, one line at a time: FILE:LINE: why. */
typedef void problem_fn (void *arg, const char *text);

/* Combine the defaults, the file that --config names, and the command line.
 * Every problem of the file is reported; -1 then, with an error whose text is
 * empty, and also if the command line is wrong. Call setup_free in any case.
 */
int setup_read (struct setup *setup, const struct command *command, int argc,
                char *const argv[], problem_fn *problem, void *arg,
                tori_error *err);
void setup_free (struct setup *setup);

/* ---- config.c ---- */

/* Read a configuration file. Returns the number of its problems. */
size_t config_read (const char *path, struct setup *setup,
                    problem_fn *problem, void *arg);

/* The page about the file, for the manual. */
struct page;
void config_page (struct page *page);

/* torid token: cmd_token.c. */
extern const struct command command_token;

#endif
