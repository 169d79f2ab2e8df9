/* office.h - a service without torid, for cases small enough to work out by
 * hand. Time stands still until a test moves it.
 *
 * Helpers that can fail end the test. They take over what they are given as
 * JSON.
 */
#ifndef TORI_TESTS_OFFICE_H
#define TORI_TESTS_OFFICE_H

#include "support.h"

#include <jansson.h>

#include "service.h"

struct office {
    tori_machine *machine;
    const tori_sched_config *config;
    struct service *service;
    tori_time now;
    json_t *records;         /* all of them */
    json_t *orders, *events; /* of the last call */
    char said[512];          /* why the last request was refused, or "" */
};

/* The configuration NULL: easy, with first-fit. It is needed until the end. */
void open_office (struct office *office, const char *machine,
                  const tori_sched_config *config);
void close_office (struct office *office);

/* A value, as printf writes it, with ' for ". */
json_t *json_of (const char *format, ...)
    __attribute__ ((format (printf, 1, 2)));

/* ---- what happens ---- */

/* Tell the service, which answers with this status. */
void tell (struct office *office, int code, json_t *input);

/* The same; returns the answer. */
json_t *ask (struct office *office, int code, json_t *input);

/* The same, whatever the status is, which it returns. */
int say (struct office *office, json_t *input);

void decide (struct office *office);

/* At a time in seconds: tell it what json_of makes, which is well, and
 * decide. */
void tell_at (struct office *office, int now, const char *format, ...)
    __attribute__ ((format (printf, 3, 4)));

void set_policy (struct office *office, const struct service_policy *policy);

/* The job's value of a member that is a text, or "". */
const char *text_of (const json_t *job, const char *key);

/* Whether the job has this text in this member. */
bool job_has (const struct office *office, uint64_t id, const char *key,
              const char *text);

/* ---- a restart ---- */

/* The service as its records, or what it saves, bring it back. */
struct service *replayed (const struct office *office);
struct service *reloaded (const struct office *office);

/* Go on with another one, which is the same. */
void restart (struct office *office, struct service *service);

/* Decide; both of these are then the same as the one that there is. */
void expect_kept (struct office *office);

size_t saved_size (const struct office *office);

#endif
