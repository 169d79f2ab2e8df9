/* needs.c - what a job of Slurm asks of each of its nodes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#include "needs.h"

#include <stdio.h>
#include <string.h>

#include "node_words.h"

/* ---- of a job ---- */

static uint64_t given (uint64_t value, uint64_t none)
{
    return value == none ? 0 : value;
}

static void raise_to (uint64_t *value, uint64_t least)
{
    if (*value < least)
        *value = least;
}

static uint64_t divide_up (uint64_t value, uint64_t by)
{
    return value / by + (value % by > 0);
}

/* The lists of resources, and how many of each item a node has to have. */
enum { GRES_LISTS = 4 };
struct gres_list {
    const char *text;
    uint64_t times, among;
};

static void list_gres (const struct needs *needs,
                       struct gres_list lists[GRES_LISTS])
{
    const slurm_job_info_t *record = needs->record;
    uint64_t sockets = given (record->sockets_per_node, NO_VAL16);
    const struct gres_list all[GRES_LISTS]
        = {{record->tres_per_node, 1, 1},
           {record->tres_per_task, needs->tasks, 1},
           {record->tres_per_socket, sockets > 0 ? sockets : 1, 1},
           {record->tres_per_job, 1, needs->nodes}};
    memcpy (lists, all, sizeof all);
}

/* Call for every resource that each node has to have. */
typedef void gres_fn (void *arg, const struct gres *gres);
static void each_gres (const struct needs *needs, gres_fn *each, void *arg)
{
    struct gres_list lists[GRES_LISTS];
    struct gres gres;
    list_gres (needs, lists);
    for (int i = 0; i < GRES_LISTS; i++)
        while (gres_next (&lists[i].text, &gres)) {
            gres.count
                = divide_up (gres.count * lists[i].times, lists[i].among);
            each (arg, &gres);
        }
}

/* Processors, or memory, for each of a resource. */
struct per_gres {
    const char *list;
    uint64_t *value;
};

static void add_per_gres (void *arg, const struct gres *gres)
{
    const struct per_gres *per = arg;
    const char *list = per->list;
    struct gres one;
    while (gres_next (&list, &one))
        if (!strcmp (one.name, gres->name))
            raise_to (per->value, gres->count * one.count);
}

static void read_tasks (struct needs *needs)
{
    const slurm_job_info_t *record = needs->record;
    uint64_t each = given (record->cpus_per_task, NO_VAL16);
    uint64_t tasks = given (record->num_tasks, NO_VAL);
    uint64_t cpus = given (record->num_cpus, NO_VAL);
    each = each > 0 ? each : 1;
    needs->tasks = given (record->ntasks_per_node, NO_VAL16);
    raise_to (&needs->tasks, divide_up (tasks, needs->nodes));
    raise_to (&needs->tasks, 1);
    needs->numbers[NEED_CPUS] = given (record->pn_min_cpus, NO_VAL16);
    raise_to (&needs->numbers[NEED_CPUS], divide_up (cpus, needs->nodes));
    if (cpus >= tasks * each) /* otherwise tasks share processors */
        raise_to (&needs->numbers[NEED_CPUS], needs->tasks * each);
}

static void read_memory (struct needs *needs)
{
    uint64_t memory = given (needs->record->pn_min_memory, NO_VAL64);
    needs->numbers[NEED_MEMORY]
        = memory & MEM_PER_CPU
              ? (memory & ~MEM_PER_CPU) * needs->numbers[NEED_CPUS]
              : memory;
}

void needs_read (const struct slurm_task *task, struct needs *ret_needs)
{
    const slurm_job_info_t *record = task->record;
    uint64_t *numbers = ret_needs->numbers;
    *ret_needs = (struct needs){.record = record,
                                .nodes = tori_request_nodes (&task->ask)};
    raise_to (&ret_needs->nodes, 1);
    read_tasks (ret_needs);
    each_gres (ret_needs, add_per_gres,
               &(struct per_gres){record->cpus_per_tres,
                                  &numbers[NEED_CPUS]});
    read_memory (ret_needs);
    each_gres (ret_needs, add_per_gres,
               &(struct per_gres){record->mem_per_tres,
                                  &numbers[NEED_MEMORY]});
    numbers[NEED_DISK] = given (record->pn_min_tmp_disk, NO_VAL);
    numbers[NEED_SOCKETS] = given (record->sockets_per_node, NO_VAL16);
    numbers[NEED_CORES] = given (record->cores_per_socket, NO_VAL16);
    numbers[NEED_THREADS] = given (record->threads_per_core, NO_VAL16);
}

static bool is_text (const char *text)
{
    return text && *text;
}

bool needs_are_plain (const struct needs *needs,
                      const uint64_t least[NEED_NUMBERS])
{
    const slurm_job_info_t *record = needs->record;
    for (int i = 0; i < NEED_NUMBERS; i++)
        if (needs->numbers[i] > least[i])
            return false;
    return !is_text (record->features) && !is_text (record->prefer)
           && !is_text (record->exc_nodes) && !is_text (record->tres_per_node)
           && !is_text (record->tres_per_task)
           && !is_text (record->tres_per_socket)
           && !is_text (record->tres_per_job);
}

/* ---- of a node ---- */

/* Specialized processors and memory are not for jobs. */
void needs_offer (const node_info_t *node, uint64_t ret_numbers[NEED_NUMBERS])
{
    uint64_t kept = given (node->mem_spec_limit, NO_VAL64);
    const uint64_t numbers[NEED_NUMBERS] = {
        [NEED_CPUS] = node->cpus_efctv > 0 ? node->cpus_efctv : node->cpus,
        [NEED_MEMORY]
        = node->real_memory > kept ? node->real_memory - kept : 0,
        [NEED_DISK] = node->tmp_disk,
        [NEED_SOCKETS] = node->sockets,
        [NEED_CORES] = node->cores,
        [NEED_THREADS] = node->threads,
    };
    memcpy (ret_numbers, numbers, sizeof numbers);
}

struct stock {
    const char *has;
    bool lacks;
};

static void check_gres (void *arg, const struct gres *gres)
{
    struct stock *stock = arg;
    stock->lacks |= gres_count (stock->has, gres) < gres->count;
}

/* An expression that is not understood is left to Slurm. */
unsigned needs_lacking (const struct needs *needs, const node_info_t *node)
{
    const char *features = needs->record->features;
    struct stock stock = {node->gres, false};
    uint64_t offer[NEED_NUMBERS];
    unsigned lacks = 0;
    needs_offer (node, offer);
    for (unsigned i = 0; i < NEED_NUMBERS; i++)
        if (needs->numbers[i] > offer[i])
            lacks |= 1U << i;
    if (is_text (features) && features_match (features, node->features) == 0)
        lacks |= 1U << NEED_FEATURES;
    each_gres (needs, check_gres, &stock);
    return stock.lacks ? lacks | 1U << NEED_GRES : lacks;
}

/* ---- in words ---- */

struct phrase {
    char *text;
    size_t size, length;
};

static void add_words (struct phrase *phrase, const char *words)
{
    int n = snprintf (phrase->text + phrase->length,
                      phrase->size - phrase->length, "%s%s",
                      phrase->length > 0 ? ", " : "", words);
    phrase->length += (size_t)n;
    if (phrase->length >= phrase->size)
        phrase->length = phrase->size - 1;
}

static void add_gres (void *arg, const struct gres *gres)
{
    char words[2 * GRES_TEXT + 32];
    snprintf (words, sizeof words, "%s%s%s:%llu", gres->name,
              *gres->type ? ":" : "", gres->type,
              (unsigned long long)gres->count);
    add_words (arg, words);
}

void needs_format (const struct needs *needs, unsigned which, char *text,
                   size_t size)
{
    static const char *const names[NEED_NUMBERS][2]
        = {[NEED_CPUS] = {"processor", "processors"},
           [NEED_MEMORY] = {"MB of memory", "MB of memory"},
           [NEED_DISK] = {"MB of disk", "MB of disk"},
           [NEED_SOCKETS] = {"socket", "sockets"},
           [NEED_CORES] = {"core per socket", "cores per socket"},
           [NEED_THREADS] = {"thread per core", "threads per core"}};
    struct phrase phrase = {text, size, 0};
    char words[160];
    text[0] = 0;
    for (unsigned i = 0; i < NEED_NUMBERS; i++)
        if (which & 1U << i) {
            snprintf (words, sizeof words, "%llu %s",
                      (unsigned long long)needs->numbers[i],
                      names[i][needs->numbers[i] != 1]);
            add_words (&phrase, words);
        }
    if (which & 1U << NEED_FEATURES) {
        snprintf (words, sizeof words, "features %.120s",
                  needs->record->features);
        add_words (&phrase, words);
    }
    if (which & 1U << NEED_GRES)
        each_gres (needs, add_gres, &phrase);
}

/* Only --exclude makes them too few. */
static void explain_excluded (const struct needs *needs, const char *partition,
                              uint64_t usable, char text[NEEDS_TEXT])
{
    if (usable == 0)
        snprintf (text, NEEDS_TEXT,
                  "no node of partition %.80s is left after --exclude",
                  partition);
    else
        snprintf (text, NEEDS_TEXT,
                  "only %llu node%s of partition %.80s %s left after "
                  "--exclude; the job needs %llu",
                  (unsigned long long)usable, usable == 1 ? "" : "s",
                  partition, usable == 1 ? "is" : "are",
                  (unsigned long long)needs->nodes);
}

void needs_explain (const struct needs *needs, const char *partition,
                    uint64_t usable, unsigned which, char text[NEEDS_TEXT])
{
    bool one = usable == 1, chosen = which & 1U << NEED_CHOSEN;
    char words[300];
    needs_format (needs, which, words, sizeof words);
    if (chosen && !*words)
        explain_excluded (needs, partition, usable, text);
    else if (usable == 0)
        snprintf (text, NEEDS_TEXT,
                  "no node of partition %.80s has what the job asks for%s: %s",
                  partition, chosen ? " and is left after --exclude" : "",
                  words);
    else
        snprintf (text, NEEDS_TEXT,
                  "only %llu node%s of partition %.80s %s what the job asks "
                  "for, %s%s; it asks for %llu",
                  (unsigned long long)usable, one ? "" : "s", partition,
                  one ? "has" : "have", words,
                  !chosen ? ""
                  : one   ? ", and is left after --exclude"
                          : ", and are left after --exclude",
                  (unsigned long long)needs->nodes);
}
