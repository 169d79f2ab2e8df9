#include "jobread.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "nodelist.h"
#include "number.h"

/* ---- names ---- */

int choice_read (const struct member_of *of, const char *key, const char *what,
                 name_fn *name, size_t *ret_which, tori_error *err)
{
    const char *text;
    tori_error why;
    int found = member_text (of, key, &text, err);
    if (found > 0 && choice_find (what, name, text, ret_which, &why) < 0)
        return member_blame (of, key, &why, err);
    return found;
}

/* Read the wiring of a box of the machine, or a wiring that can be asked
 * for. */
static int read_wiring (const struct member_of *of, const char *key,
                        const tori_machine *machine, tori_wiring *ret_wiring,
                        tori_error *err)
{
    const char *text;
    tori_error why;
    int found = member_text (of, key, &text, err), bad = 0;
    if (found > 0)
        bad = machine ? tori_wiring_read (machine, text, ret_wiring, &why)
                      : tori_wiring_parse (text, ret_wiring, &why);
    return bad < 0 ? member_blame (of, key, &why, err) : found;
}

int wired_place_read (const struct member_of *of, const tori_machine *machine,
                      tori_wiring usual, tori_placement *ret_place,
                      tori_error *err)
{
    if (read_wiring (of, "box_wiring", machine, &usual, err) < 0)
        return -1;
    return place_read (of, machine, usual, ret_place, err);
}

/* ---- members, by their types ---- */

/* Each reads a member to its place: 1, 0 if it is not there, or -1. */
typedef int read_fn (const struct member_of *of, const char *key,
                     const struct job_reading *how, void *at, tori_error *err);

static int read_text (const struct member_of *of, const char *key,
                      const struct job_reading *how, void *at,
                      tori_error *err)
{
    return member_text (of, key, at, err);
}

static int read_shape (const struct member_of *of, const char *key,
                       const struct job_reading *how, void *at,
                       tori_error *err)
{
    const char *text;
    tori_error why;
    int found = member_text (of, key, &text, err);
    if (found > 0 && tori_shape_parse (text, at, &why) < 0)
        return member_blame (of, key, &why, err);
    return found;
}

static int read_count (const struct member_of *of, const char *key,
                       const struct job_reading *how, void *at,
                       tori_error *err)
{
    int64_t count = 0;
    int found = member_integer (of, key, 1, &count, err);
    if (count > TORI_MAX_NODES)
        return member_bad (of, key, err, "more than any machine has");
    if (found > 0)
        *(uint32_t *)at = (uint32_t)count;
    return found;
}

static int read_request_wiring (const struct member_of *of, const char *key,
                                const struct job_reading *how, void *at,
                                tori_error *err)
{
    return read_wiring (of, key, NULL, at, err);
}

static const char *fold_name (size_t i)
{
    static const char *const names[] = {"none", "rings"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static int read_fold (const struct member_of *of, const char *key,
                      const struct job_reading *how, void *at,
                      tori_error *err)
{
    size_t which = 0;
    int found = choice_read (of, key, "fold", fold_name, &which, err);
    if (found > 0)
        *(uint16_t *)at = which ? TORI_REQUEST_FOLD : 0;
    return found;
}

static int read_flag (const struct member_of *of, const char *key,
                      const struct job_reading *how, void *at,
                      tori_error *err)
{
    return member_bool (of, key, at, err);
}

static int read_time (const struct member_of *of, const char *key,
                      const struct job_reading *how, void *at,
                      tori_error *err)
{
    return member_time (of, key, at, err);
}

static int read_limit (const struct member_of *of, const char *key,
                       const struct job_reading *how, void *at,
                       tori_error *err)
{
    return how->plain ? member_time (of, key, at, err)
                      : member_limit (of, key, at, err);
}

static int read_moment (const struct member_of *of, const char *key,
                        const struct job_reading *how, void *at,
                        tori_error *err)
{
    return member_moment (of, key, how->now, at, err);
}

static int read_whole (const struct member_of *of, const char *key,
                       const struct job_reading *how, void *at,
                       tori_error *err)
{
    return member_integer (of, key, INT64_MIN, at, err);
}

static int read_level (const struct member_of *of, const char *key,
                       const struct job_reading *how, void *at,
                       tori_error *err)
{
    int64_t level = 0;
    int found = member_integer (of, key, 0, &level, err);
    if (level > UINT32_MAX)
        return member_bad (of, key, err, "too large");
    if (found > 0)
        *(uint32_t *)at = (uint32_t)level;
    return found;
}

const char *job_preempted_name (size_t i)
{
    return tori_preempted_name ((tori_preempted)i);
}

static int read_preempted (const struct member_of *of, const char *key,
                           const struct job_reading *how, void *at,
                           tori_error *err)
{
    size_t which;
    int found = choice_read (of, key, "value", job_preempted_name, &which,
                             err);
    if (found > 0)
        *(tori_preempted *)at = (tori_preempted)which;
    return found;
}

static int read_movable (const struct member_of *of, const char *key,
                         const struct job_reading *how, void *at,
                         tori_error *err)
{
    uint32_t *flags = at;
    bool movable = true;
    int found = member_bool (of, key, &movable, err);
    *flags = (*flags & ~(uint32_t)TORI_JOB_STAYS)
             | (movable ? 0 : TORI_JOB_STAYS);
    return found;
}

const char *job_failure_name (size_t i)
{
    static const char *const names[] = {"kill", "requeue", "repair"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static int read_failure (const struct member_of *of, const char *key,
                         const struct job_reading *how, void *at,
                         tori_error *err)
{
    static const uint32_t which_flags[]
        = {0, TORI_JOB_REQUEUE, TORI_JOB_REPAIR | TORI_JOB_REQUEUE};
    uint32_t *flags = at;
    size_t which;
    int found = choice_read (of, key, "value", job_failure_name, &which, err);
    if (found > 0)
        *flags = (*flags & ~(uint32_t)(TORI_JOB_REQUEUE | TORI_JOB_REPAIR))
                 | which_flags[which];
    return found;
}

/* A value that is kept as it is, if it is right. */
static int keep_value (const struct member_of *of, const char *key,
                       bool right, const char *what, void *at,
                       tori_error *err)
{
    const json_t *value = json_object_get (of->object, key);
    if (value && !right)
        return member_bad (of, key, err, "expected %s", what);
    if (value)
        *(const json_t **)at = value;
    return value != NULL;
}

static int read_words (const struct member_of *of, const char *key,
                       const struct job_reading *how, void *at,
                       tori_error *err)
{
    const json_t *list = json_object_get (of->object, key);
    bool right = json_array_size (list) > 0;
    for (size_t i = 0; i < json_array_size (list); i++)
        right &= json_is_string (json_array_get (list, i));
    return keep_value (of, key, right, "a list of words", at, err);
}

static int read_afters (const struct member_of *of, const char *key,
                        const struct job_reading *how, void *at,
                        tori_error *err)
{
    return keep_value (of, key, true, "", at, err); /* see dependents.c */
}

static int read_variables (const struct member_of *of, const char *key,
                           const struct job_reading *how, void *at,
                           tori_error *err)
{
    json_t *all = json_object_get (of->object, key), *value;
    bool right = json_is_object (all);
    const char *name;
    json_object_foreach (all, name, value)
        right &= json_is_string (value);
    return keep_value (of, key, right, "an object of strings", at, err);
}

/* "1-100%10". */
static bool parse_range (const char *text, struct job_range *ret)
{
    enum { MOST = 100000 };
    uint64_t first, last, array_limit = 0;
    if (!number_scan (&text, MOST, &first))
        return false;
    last = first;
    if (*text == '-' && (text++, !number_scan (&text, MOST, &last)))
        return false;
    if (*text == '%'
        && (text++,
            !number_scan (&text, MOST, &array_limit) || array_limit == 0))
        return false;
    *ret = (struct job_range){(uint32_t)first, (uint32_t)last,
                              (uint32_t)array_limit};
    return !*text && first <= last;
}

static int read_range (const struct member_of *of, const char *key,
                       const struct job_reading *how, void *at,
                       tori_error *err)
{
    const json_t *value = json_object_get (of->object, key);
    const char *text = json_string_value (value);
    if (value && (!text || !parse_range (text, at)))
        return member_bad (of, key, err,
                           "expected FIRST-LAST or FIRST-LAST%%ABREAST, up "
                           "to 100000");
    return value != NULL;
}

/* The nodes that will do. */
static int read_nodes (const struct member_of *of, const char *key,
                       const struct job_reading *how, void *at,
                       tori_error *err)
{
    uint64_t *only;
    size_t n;
    int found = json_object_get (of->object, key)
                    ? nodeset_read (of, key, how->machine, &only, &n, err)
                    : 0;
    if (found > 0)
        *(const uint64_t **)at = only;
    return found;
}

static read_fn read_requests;

static read_fn *const readers[] = {
    [JOB_TYPE_TEXT] = read_text,
    [JOB_TYPE_SHAPE] = read_shape,
    [JOB_TYPE_COUNT] = read_count,
    [JOB_TYPE_WIRING] = read_request_wiring,
    [JOB_TYPE_FOLD] = read_fold,
    [JOB_TYPE_FLAG] = read_flag,
    [JOB_TYPE_REQUESTS] = read_requests,
    [JOB_TYPE_NODES] = read_nodes,
    [JOB_TYPE_TIME] = read_time,
    [JOB_TYPE_LIMIT] = read_limit,
    [JOB_TYPE_MOMENT] = read_moment,
    [JOB_TYPE_WHOLE] = read_whole,
    [JOB_TYPE_TIER] = read_level,
    [JOB_TYPE_PREEMPTED] = read_preempted,
    [JOB_TYPE_MOVABLE] = read_movable,
    [JOB_TYPE_FAILURE] = read_failure,
    [JOB_TYPE_WORDS] = read_words,
    [JOB_TYPE_AFTERS] = read_afters,
    [JOB_TYPE_RANGE] = read_range,
    [JOB_TYPE_VARIABLES] = read_variables,
};

/* ---- requests ---- */

bool request_is_empty (const tori_request *request)
{
    return request->count == 0 && request->shape.ndims == 0;
}

/* Whether its members go together. */
static int check_request (const struct member_of *of,
                          const tori_machine *machine,
                          const tori_request *request, tori_error *err)
{
    const tori_shape *shape = &request->shape;
    bool folds = request->flags & TORI_REQUEST_FOLD;
    int dims = tori_machine_shape_dims (machine);
    if (shape->ndims > 0 && request->count > tori_shape_volume (shape))
        return member_bad (of, JOB_KEY (count), err,
                           "more than the shape has");
    if (folds && (request->fixed || shape->ndims == 0))
        return member_bad (of, JOB_KEY (fold), err, "%s cannot be folded",
                           request->fixed ? "a fixed shape" : "a count");
    if (shape->ndims > 0 && !folds && shape->ndims != dims)
        return member_bad (of, JOB_KEY (shape), err,
                           "%d dimensions on a machine of %d", shape->ndims,
                           dims);
    return 0;
}

static int read_alternative (const struct member_of *of,
                             const struct job_reading *how,
                             tori_request *request, tori_error *err)
{
    if (!json_is_object (of->object))
        return member_bad (of, NULL, err, "expected an object");
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const struct job_member *member = &job_members[i];
        size_t at = member->offset - offsetof (struct job_ask, spec.request);
        if (job_is_wish[i]
            && readers[member->type](of, member->name, how,
                                     (char *)request + at, err)
                   < 0)
            return -1;
    }
    if (check_request (of, how->machine, request, err) < 0)
        return -1;
    if (request_is_empty (request))
        return member_bad (of, JOB_KEY (shape), err,
                           "is missing, and so is a count");
    return how->unknown && member_unknown (of, how->unknown, how->arg) < 0
               ? tori_error_nomem (err)
               : 0;
}

static int read_each_alternative (const struct member_of *of, const char *key,
                                  const json_t *list,
                                  const struct job_reading *how,
                                  tori_request *requests, tori_error *err)
{
    for (size_t i = 0; i < json_array_size (list); i++) {
        char within[40];
        struct member_names known = {.n = 0};
        struct member_of item = *of;
        snprintf (within, sizeof within, "%s[%zu]", key, i);
        item.object = json_array_get (list, i);
        item.within = within;
        item.known = &known;
        if (read_alternative (&item, how, &requests[i], err) < 0)
            return -1;
    }
    return 0;
}

/* Read the alternatives. The caller owns the list at once. */
static int read_requests (const struct member_of *of, const char *key,
                          const struct job_reading *how, void *at,
                          tori_error *err)
{
    tori_job_spec *spec
        = (void *)((char *)at - offsetof (tori_job_spec, alternatives));
    const json_t *list = NULL;
    tori_request *requests;
    int found = member_list (of, key, &list, err);
    size_t n = json_array_size (list);
    if (n > TORI_MAX_ALTERNATIVES)
        return member_bad (of, key, err, "more than %d",
                           TORI_MAX_ALTERNATIVES);
    if (n == 0)
        return found;
    requests = calloc (n, sizeof *requests);
    if (!requests)
        return tori_error_nomem (err);
    spec->alternatives = requests;
    spec->nalternatives = n;
    return read_each_alternative (of, key, list, how, requests, err) < 0 ? -1
                                                                         : 1;
}

/* ---- all of it ---- */

const struct job_member job_members[JOB_MEMBERS] = {
#define JOB_OFFSET_SPEC(member) offsetof (struct job_ask, spec.member)
#define JOB_OFFSET_OWN(member) offsetof (struct job_ask, member)
#define JOB_ROW(name, type, place, member, flags, snapshot)                   \
    [JOB_##name]                                                              \
        = {#name, JOB_TYPE_##type, JOB_OFFSET_##place (member), flags,        \
           snapshot},
#define JOB_SHOWN(name, type, place, member, flags, snapshot, about)          \
    JOB_ROW (name, type, place, member, (flags) | JOB_IS_SHOWN, snapshot)
#define JOB_HIDDEN(name, type, place, member, flags, snapshot, about)         \
    JOB_ROW (name, type, place, member, flags, snapshot)
#define JOB_FOREIGN(name, type, place, member, flags, snapshot, about)        \
    JOB_ROW (name, type, place, member,                                       \
             (flags) | JOB_IS_SHOWN | JOB_IS_FOREIGN, snapshot)
#include "jobrows.h"
};

const bool job_is_wish[JOB_MEMBERS] = {
#define JOB_WISH(name, ...) [JOB_##name] = true,
#include "jobrows.h"
};

const bool job_may_change[JOB_MEMBERS] = {
#define JOB_CHANGE(name, ...) [JOB_##name] = true,
#include "jobrows.h"
};

/* ---- names of the version before ---- */

const char *const job_old_names[JOB_MEMBERS] = {
#define JOB_OLD(name, old, ...) [JOB_##name] = #old,
#include "jobrows.h"
};

bool job_name_is_old (const char *name)
{
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (job_old_names[i] && strcmp (job_old_names[i], name) == 0)
            return true;
    return false;
}

json_t *job_rename (const struct member_of *of, tori_error *err)
{
    json_t *own = json_incref ((json_t *)(uintptr_t)of->object);
    bool copied = false;
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const char *name = job_members[i].name, *old = job_old_names[i];
        json_t *value = old ? json_object_get (own, old) : NULL;
        if (!value)
            continue;
        if (!member_name (of, name, old, err)) {
            json_decref (own);
            return NULL;
        }
        if (!copied) {
            json_decref (own);
            own = json_copy ((json_t *)(uintptr_t)of->object);
            copied = true;
        }
        if (json_object_set (own, name, value) < 0) {
            json_decref (own);
            tori_error_nomem (err);
            return NULL;
        }
        json_object_del (own, old);
    }
    return own;
}

int job_name_twice (json_t *object)
{
    int bad = 0;
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const char *name = job_members[i].name, *old = job_old_names[i];
        json_t *value = json_object_get (object, name);
        json_t *before = old ? json_object_get (object, old) : NULL;
        if (old && value && !before)
            bad |= json_object_set (object, old, value);
        if (before && !value)
            bad |= json_object_set (object, name, before);
    }
    return bad;
}

/* ---- reading ---- */

/* A member into what begins with a tori_job_spec: 1, 0 or -1. */
static int read_member (const struct member_of *of, const char *key,
                        const struct job_reading *how,
                        const struct job_member *member, void *to,
                        tori_error *err)
{
    tori_error why = {0};
    int found = readers[member->type](of, key, how,
                                      (char *)to + member->offset, &why);
    if (found >= 0)
        return found;
    if (why.status == TORI_INVALID
        && (how->lenient || ((member->flags & JOB_LATE) && !how->strict)))
        return 0;
    return tori_error_set (err, why.status, "%s", why.text);
}

/* The members that a snapshot or a submission has into what begins with a
 * tori_job_spec. */
static int read_members (const struct member_of *of,
                         const struct job_reading *how, bool snapshot,
                         void *to, uint64_t *ret_given, tori_error *err)
{
    if (!json_is_object (of->object))
        return member_bad (of, NULL, err, "expected an object");
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const struct job_member *member = &job_members[i];
        const char *key = snapshot ? member->snapshot : member->name;
        int found;
        if (job_old_names[i])
            key = member_name (of, key, job_old_names[i], err);
        if (job_old_names[i] && !key)
            return -1;
        found = key ? read_member (of, key, how, member, to, err) : 0;
        if (found < 0)
            return -1;
        *ret_given |= (uint64_t)found << i;
    }
    return how->lenient ? 0
                        : check_request (of, how->machine,
                                         &((tori_job_spec *)to)->request, err);
}

int job_read (const struct member_of *of, const struct job_reading *how,
              tori_snapshot_job *job, uint64_t *ret_given, tori_error *err)
{
    int status;
    job->spec.size = sizeof job->spec;
    job->submit = -1;
    *ret_given = 0;
    status = read_members (of, how, true, job, ret_given, err);
    job->alternatives = (tori_request *)(uintptr_t)job->spec.alternatives;
    job->only = (uint64_t *)(uintptr_t)job->spec.only;
    return status;
}

int job_read_wish (const struct member_of *of, tori_job_spec *spec,
                   tori_error *err)
{
    if (!request_is_empty (&spec->request))
        return 0;
    if (spec->nalternatives == 0)
        return member_bad (of, JOB_KEY (shape), err,
                           "is missing, and so is a count");
    spec->request = *spec->alternatives++;
    spec->nalternatives--;
    return 0;
}

void job_clear (tori_snapshot_job *job)
{
    tori_placement_clear (&job->place);
    tori_placement_clear (&job->promised_place);
    free (job->alternatives);
    free (job->only);
    free (job->alias);
    free (job->why);
    free (job->user);
    free (job->queue);
    free (job->after);
    job->alternatives = NULL;
    job->only = NULL;
    job->alias = NULL;
    job->why = NULL;
    job->user = NULL;
    job->queue = NULL;
    job->after = NULL;
    job->nafter = 0;
}

/* ---- what is submitted ---- */

struct job_ask *job_ask_keep (struct job_ask *ask)
{
    if (ask)
        ask->refs++;
    return ask;
}

void job_ask_drop (struct job_ask *ask)
{
    if (!ask || --ask->refs > 0)
        return;
    json_decref (ask->members);
    free (ask->alternatives);
    free (ask->only);
    free (ask);
}

/* Members have their names of today. */
static int settle_names (struct job_ask *ask, tori_error *err)
{
    json_t *own
        = job_rename (&(struct member_of){.object = ask->members}, err);
    if (!own)
        return -1;
    json_decref (ask->members);
    ask->members = own;
    return 0;
}

/* Times that were given as texts, such as "+1h", become seconds, which mean
 * the same later. */
static int settle_times (struct job_ask *ask, tori_error *err)
{
    for (size_t i = 0; i < JOB_MEMBERS; i++) {
        const struct job_member *member = &job_members[i];
        bool is_time = member->type == JOB_TYPE_TIME
                       || member->type == JOB_TYPE_LIMIT
                       || member->type == JOB_TYPE_MOMENT;
        const void *at = (const char *)ask + member->offset;
        if (is_time && (ask->given >> i & 1)
            && json_is_string (json_object_get (ask->members, member->name))
            && job_ask_set (ask, (enum job_member_id)i,
                            seconds_json (*(const tori_time *)at), NULL, err)
                   < 0)
            return -1;
    }
    return 0;
}

/* A job runs again when a node fails under it, if nothing else is said. */
int job_ask_read (const struct member_of *of, const struct job_reading *how,
                  struct job_ask **ret_ask, tori_error *err)
{
    struct job_ask *ask = calloc (1, sizeof *ask);
    int status;
    if (!ask)
        return tori_error_nomem (err);
    ask->refs = 1;
    ask->members = json_incref ((json_t *)(uintptr_t)of->object);
    ask->spec.size = sizeof ask->spec;
    ask->spec.flags = TORI_JOB_REQUEUE;
    status = read_members (of, how, false, ask, &ask->given, err);
    ask->alternatives = (tori_request *)(uintptr_t)ask->spec.alternatives;
    ask->only = (uint64_t *)(uintptr_t)ask->spec.only;
    if (status == 0)
        status = settle_names (ask, err);
    if (status == 0)
        status = settle_times (ask, err);
    if (status == 0)
        *ret_ask = ask;
    else
        job_ask_drop (ask);
    return status;
}

int job_ask_whole (const struct member_of *of, struct job_ask *ask,
                   tori_error *err)
{
    if (job_read_wish (of, &ask->spec, err) < 0)
        return -1;
    return ask->given & JOB_BIT (time_limit)
               ? 0
               : member_bad (of, JOB_KEY (time_limit), err, "is missing");
}

int job_ask_set (struct job_ask *ask, enum job_member_id id, json_t *value,
                 const struct job_reading *how, tori_error *err)
{
    const struct job_member *member = &job_members[id];
    json_t *own = ask->copied ? json_incref (ask->members)
                              : json_copy (ask->members);
    if (json_object_set_new (own, member->name, value) < 0) {
        json_decref (own);
        return tori_error_nomem (err);
    }
    json_decref (ask->members);
    ask->members = own;
    ask->copied = true;
    ask->given |= UINT64_C (1) << id;
    return how && read_member (&(struct member_of){.object = own},
                               member->name, how, member, ask, err)
                      < 0
               ? -1
               : 0;
}

void job_ask_forget_nodes (struct job_ask *ask)
{
    free (ask->only);
    ask->only = NULL;
    ask->spec.only = NULL;
}

int job_ask_find_nodes (const struct job_ask *ask, const tori_machine *machine,
                        uint64_t **ret_only, tori_error *err)
{
    const struct member_of of = {.object = ask->members};
    const struct job_reading how = {.machine = machine};
    return read_nodes (&of, JOB_KEY (only), &how, ret_only, err) < 0 ? -1 : 0;
}

const struct job_member *job_ask_next (const struct job_ask *ask,
                                       unsigned flag, size_t *at,
                                       json_t **ret_value)
{
    while (*at < JOB_MEMBERS) {
        size_t i = (*at)++;
        json_t *value = job_members[i].flags & flag
                            ? json_object_get (ask->members,
                                               job_members[i].name)
                            : NULL;
        if (value) {
            *ret_value = value;
            return &job_members[i];
        }
    }
    return NULL;
}

uint64_t job_changes (const json_t *object)
{
    uint64_t given = 0;
    for (size_t i = 0; i < JOB_MEMBERS; i++)
        if (job_may_change[i] && json_object_get (object, job_members[i].name))
            given |= UINT64_C (1) << i;
    return given;
}
