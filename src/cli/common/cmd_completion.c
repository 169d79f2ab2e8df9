/* tori completion - a script by which a shell completes words, and the words
 * that only a running torid knows. */
#include <string.h>
#include <sys/time.h>

#include "http_client.h"
#include "commands.h"
#include "jobs.h"

struct values {
    int what;
};

/* The operands after the shells: the lists that their scripts ask for
 * (options.h). */
static const char *const asked_for[] = {"jobs", "all-jobs", "nodes"};

static size_t count_shells (void)
{
    size_t n = 0;
    while (complete_shells (n))
        n++;
    return n;
}

static const char *list_names (size_t i)
{
    size_t n = count_shells ();
    if (i < n)
        return complete_shells (i);
    return i - n < sizeof asked_for / sizeof *asked_for ? asked_for[i - n]
                                                        : NULL;
}

static const struct option options[] = {
    {"shell", OPTION_CHOICE, offsetof (struct values, what), "SHELL",
     .choices = list_names, .operand = true, .required = true,
     .help = "the shell; or what its script asks for"},
    {.name = NULL},
};

/* ---- words ---- */

/* Print one page of a list, and return its last number. A user who presses a
 * key does not wait for more pages. */
static json_int_t print_page (const char *path, const char *list,
                              const char *key, FILE *out)
{
    json_t *page = NULL;
    const json_t *items;
    json_int_t last = 0;
    tori_error err;
    if (call (NULL, "GET", path, NULL, &page, &err) < 0)
        return 0;
    items = json_object_get (page, list);
    for (size_t i = 0; i < json_array_size (items); i++) {
        const json_t *item = json_array_get (items, i);
        last = job_number (item, "id");
        if (!strcmp (key, "id"))
            fprintf (out, "%lld\n", (long long)last);
        else
            fprintf (out, "%s\n", job_text (item, key));
    }
    json_decref (page);
    return last;
}

static void print_words (const char *what, FILE *out)
{
    enum { LATELY = 100 };
    static const struct itimerval patience = {.it_value.tv_usec = 700000};
    json_int_t running, queued, from;
    char path[100];
    setitimer (ITIMER_REAL, &patience, NULL); /* ends the program */
    if (!strcmp (what, "nodes")) {
        print_page ("/v1/nodes?limit=4096", "nodes", "node", out);
        return;
    }
    running = print_page ("/v1/jobs?state=running&limit=1000", "jobs", "id",
                          out);
    queued = print_page ("/v1/jobs?state=queued&limit=1000", "jobs", "id",
                         out);
    if (!strcmp (what, "jobs"))
        return;
    from = (running > queued ? running : queued) - LATELY;
    snprintf (path, sizeof path,
              "/v1/jobs?state=ended&limit=1000&after=%lld",
              (long long)(from > 0 ? from : 0));
    print_page (path, "jobs", "id", out);
}

static int run_completion (const void *values, FILE *out, tori_error *err)
{
    const struct values *v = values;
    if ((size_t)v->what < count_shells ())
        options_complete (&command_tori, v->what, out);
    else
        print_words (list_names ((size_t)v->what), out);
    return 0;
}

const struct command command_completion = {
    .name = "completion",
    .summary = "Print a completion script for a shell",
    .notes = "The script asks a running torid for the numbers of jobs and the "
             "names of nodes. If no torid answers at once, the script offers "
             "none.",
    .options = options,
    .size = sizeof (struct values),
    .examples = "source <(tori completion bash)\n"
                "tori completion fish > ~/.config/fish/completions/tori.fish",
    .run = run_completion,
};
