/* member.h - members of the objects of a JSON file, and errors that name the
 * place.
 *
 * Functions that look for a member return 1 if it is there, 0 if not, and -1
 * if it is not what it should be. The error begins with the file and the
 * place, "FILE: running[3].box: ".
 */
#ifndef TORI_LIVE_MEMBER_H
#define TORI_LIVE_MEMBER_H

#include <jansson.h>
#include <stdbool.h>

#include <tori/workload.h>

/* The names that were looked for in an object. */
struct member_names {
    const char *name[64];
    size_t n;
};

/* An object, and where it is in the file. */
struct member_of {
    const json_t *object;
    const char *file; /* or NULL: it is not named */
    const char *list; /* the i-th object of this list; NULL: the whole file */
    size_t i;
    const char *within; /* a member of that, or NULL */
    struct member_names *known; /* or NULL: they are not noted */
};

/* Report an error in a member, or in the object itself if the key is NULL:
 * TORI_INVALID. */
int member_bad (const struct member_of *of, const char *key, tori_error *err,
                const char *fmt, ...)
    __attribute__ ((format (printf, 4, 5)));

/* The same for an error of another function about the member: an error that is
 * not TORI_INVALID or TORI_NEVER is passed on as it is. */
int member_blame (const struct member_of *of, const char *key,
                  const tori_error *why, tori_error *err);

/* The name by which a member is there that had an old name in the version
 * before: of both, `key`, and also of neither. NULL, with TORI_INVALID, if both
 * are there and differ. */
const char *member_name (const struct member_of *of, const char *key,
                         const char *old, tori_error *err);

int member_text (const struct member_of *of, const char *key,
                 const char **ret_text, tori_error *err);
int member_integer (const struct member_of *of, const char *key, int64_t min,
                    int64_t *ret_value, tori_error *err);
int member_bool (const struct member_of *of, const char *key, bool *ret_value,
                 tori_error *err);
int member_real (const struct member_of *of, const char *key,
                 double *ret_value, tori_error *err);

/* A duration, as ticks: seconds, at least 0, rounded to a whole tick, and at
 * most TORI_TIME_MAX; or a text (duration.h). And a point in time, which may
 * be relative to `now` ("+1h"), if that is not negative. A limit is a duration
 * of which a number in a text is refused: limit_parse. */
int member_time (const struct member_of *of, const char *key,
                 tori_time *ret_time, tori_error *err);
int member_limit (const struct member_of *of, const char *key,
                  tori_time *ret_time, tori_error *err);
int member_moment (const struct member_of *of, const char *key, tori_time now,
                   tori_time *ret_time, tori_error *err);

/* Such a time as a number of seconds: a new reference. */
json_t *seconds_json (tori_time time);

/* An object within this one, which is then the member `within` of it. */
int member_object (const struct member_of *of, const char *key,
                   struct member_of *ret_object, tori_error *err);

/* Call for every member that was not looked for, with its place: it has no
 * meaning there. Names that begin with an underscore are remarks. -1 as soon
 * as `visit` returns that. */
int member_unknown (const struct member_of *of,
                    int (*visit) (void *arg, const char *place), void *arg);

/* A list. */
int member_list (const struct member_of *of, const char *key,
                 const json_t **ret_list, tori_error *err);

#endif
