/* main.c - tori-kube: an executor of torid whose jobs are pods of a Kubernetes
 * cluster. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tori/workload.h>

#include "duration.h"
#include "kube.h"
#include "nodesource.h"
#include "startup.h"

#define SECRETS "/var/run/secrets/kubernetes.io/serviceaccount/"

struct kube_values {
    struct about about;
    const char *machine, *server, *ca, *token_file, *cert, *key, *scheduler;
    struct nodesource names;
    struct strings tolerated, ignored;
    int64_t connections;
    tori_time patience, linger, memory, default_time, remarks, slice_time;
    bool print, slices, kueue;
};

/* ---- the loop ---- */

static void take_orders (struct kube *kube)
{
    json_t *order;
    if (!lines_fill (&kube->lines, STDIN_FILENO))
        kube->ended = true;
    while ((order = lines_next (&kube->lines)))
        json_array_append_new (kube->orders, order);
}

/* Orders wait until it is known what there is. */
static void obey_all (struct kube *kube)
{
    size_t i;
    json_t *order;
    if (!kube_is_synced (kube))
        return;
    json_array_foreach (kube->orders, i, order)
        kube_obey (kube, order);
    json_array_clear (kube->orders);
}

/* Jobs whose turn may come without news, because time passes. */
static bool is_due (const struct kube_group *group, bool tick)
{
    return group->dirty
           || (tick && (group->run.job > 0 || group->known == KNOWN_HELD
                        || group->waiting == 0));
}

/* Nothing is done before torid has said what it knows (kube_found.c). */
static void settle_all (struct kube *kube)
{
    bool tick = api_clock () - kube->ticked > 0.2;
    if (tick)
        kube->ticked = api_clock ();
    if (!kube->listed)
        return;
    kube_places_look (kube);
    for (size_t i = kube->ngroups; i-- > 0;)
        if (is_due (kube->groups[i], tick))
            kube_settle (kube, kube->groups[i]);
    kube_stops_step (kube);
    if (kube->set.slices)
        kube_slices_step (kube);
    if (kube->set.kueue && tick)
        kube_kueue_step (kube);
    kube_places_look (kube);
    if (tick)
        kube_reasons_step (kube);
}

/* torid hears that the API server is away, and that it is back. */
static void report_trouble (struct kube *kube)
{
    const char *why = *kube->watch_pods.why     ? kube->watch_pods.why
                      : *kube->watch_nodes.why  ? kube->watch_nodes.why
                      : *kube->watch_slices.why ? kube->watch_slices.why
                      : *kube->watch_checks.why ? kube->watch_checks.why
                                                : kube->watch_claims.why;
    char text[sizeof kube->trouble] = "";
    if (*why)
        snprintf (text, sizeof text, "the API server: %s%.200s",
                  why == kube->watch_slices.why   ? "slices of GKE: "
                  : why == kube->watch_checks.why ? "checks of Kueue: "
                  : why == kube->watch_claims.why ? "workloads of Kueue: "
                                                  : "",
                  why);
    if (!strcmp (text, kube->trouble))
        return;
    if (!*kube->trouble || !*text) {
        lines_say (json_pack ("{s:s, s:s*}", "is", "trouble", "why",
                              *text ? text : NULL));
        fprintf (stderr, "tori-kube: %s\n",
                 *text ? text : "the API server answers again");
    }
    memcpy (kube->trouble, text, sizeof text);
}

static void serve_torid (struct kube *kube, double remarks)
{
    enum { BEAT = 200, SOON = 5 };
    json_t *ready = lines_ready ();
    json_object_set_new (ready, "remarks", json_real (remarks));
    lines_say (ready);
    while (!kube->ended) {
        bool waiting = json_array_size (kube->orders) > 0;
        kube_watch_step (&kube->watch_nodes);
        kube_watch_step (&kube->watch_pods);
        if (kube->set.slices)
            kube_watch_step (&kube->watch_slices);
        if (kube->set.kueue) {
            kube_watch_step (&kube->watch_checks);
            kube_watch_step (&kube->watch_claims);
        }
        if (api_turn (kube->api, STDIN_FILENO,
                      waiting && kube_is_synced (kube) ? SOON : BEAT))
            take_orders (kube);
        report_trouble (kube);
        obey_all (kube);
        settle_all (kube);
    }
}

/* ---- the command ---- */

static int parse_time (const char *text, void *to, tori_error *err)
{
    return duration_parse (text, to, err);
}

static const struct option options[] = {
    {.name = "machine",
     .kind = OPTION_STRING,
     OPTION_AT (struct kube_values, machine),
     .value = "KIND:SIZES",
     .help = "the machine; if not given, that of torid"},
    {.name = "server",
     .kind = OPTION_STRING,
     OPTION_AT (struct kube_values, server),
     .value = "URL",
     .help = "the API server, https://HOST:PORT; in a pod, if not given, that "
             "of its cluster"},
    {.name = "ca",
     .kind = OPTION_STRING,
     OPTION_AT (struct kube_values, ca),
     .value = "FILE",
     .file = FILE_READ,
     .help = "the certificates that the server's must be signed by; in a pod, "
             "those of its service account"},
    {.name = "token-file",
     .kind = OPTION_STRING,
     OPTION_AT (struct kube_values, token_file),
     .value = "FILE",
     .file = FILE_READ,
     .help = "our token, read again every 10 seconds; in a pod, that of its "
             "service account"},
    {.name = "cert",
     .kind = OPTION_STRING,
     OPTION_AT (struct kube_values, cert),
     .value = "FILE",
     .file = FILE_READ,
     .with = "key",
     .help = "our certificate"},
    {.name = "key",
     .kind = OPTION_STRING,
     OPTION_AT (struct kube_values, key),
     .value = "FILE",
     .file = FILE_READ,
     .with = "cert",
     .help = "its key"},
    {.name = "scheduler",
     .kind = OPTION_STRING,
     OPTION_AT (struct kube_values, scheduler),
     .value = "NAME",
     .fallback = "tori",
     .help = "the schedulerName of the pods to place"},
    NODESOURCE_ROWS (struct kube_values),
    {.name = "tolerate",
     .kind = OPTION_STRINGS,
     OPTION_AT (struct kube_values, tolerated),
     .value = "KEY",
     .help = "a taint that the pods tolerate: it does not drain a node"},
    {.name = "ignore",
     .kind = OPTION_STRINGS,
     OPTION_AT (struct kube_values, ignored),
     .value = "NAMESPACE",
     .help = "ignore the pods of this namespace: they do not drain a node"},
    {.name = "patience",
     .kind = OPTION_PARSED,
     OPTION_AT (struct kube_values, patience),
     .value = "DURATION",
     .fallback = "1m",
     .parse = parse_time,
     .help = "take a job back if some of its pods are not bound, and no other "
             "one has been bound for this long"},
    {.name = "linger",
     .kind = OPTION_PARSED,
     OPTION_AT (struct kube_values, linger),
     .value = "DURATION",
     .fallback = "15s",
     .parse = parse_time,
     .help = "keep the nodes of a job for this long after its last pod has "
             "failed, so that its controller can replace that pod"},
    {.name = "memory",
     .kind = OPTION_PARSED,
     OPTION_AT (struct kube_values, memory),
     .value = "DURATION",
     .fallback = "10m",
     .parse = parse_time,
     .help = "keep a waiting job whose pods are gone in the queue for this "
             "long"},
    {.name = "gke-slices",
     .kind = OPTION_FLAG,
     OPTION_AT (struct kube_values, slices),
     .help = "make a Slice of GKE for every job; the machine is a pod of cubes "
             "of 4x4x4 chips, such as pod:16/2x2x4 with 2x2x1 chips in a node"},
    {.name = "slice-time",
     .kind = OPTION_PARSED,
     OPTION_AT (struct kube_values, slice_time),
     .value = "TIME",
     .fallback = "10m",
     .parse = parse_time,
     .help = "take a job back if its slice is not ready after this long"},
    {.name = "kueue",
     .kind = OPTION_FLAG,
     OPTION_AT (struct kube_values, kueue),
     .help = "answer the admission checks of Kueue whose controller is "
             "tori/box with a node selector for a box"},
    {.name = "remarks",
     .kind = OPTION_PARSED,
     OPTION_AT (struct kube_values, remarks),
     .value = "DURATION",
     .fallback = "10s",
     .parse = parse_time,
     .help = "how often the pods of the first 100 waiting jobs are told why "
             "they wait; 0: never"},
    {.name = "default-time",
     .kind = OPTION_PARSED,
     OPTION_AT (struct kube_values, default_time),
     .value = "DURATION",
     .fallback = "1d",
     .parse = parse_time,
     .help = "how long a job without a time limit is assumed to run"},
    {.name = "connections",
     .kind = OPTION_INTEGER,
     OPTION_AT (struct kube_values, connections),
     .value = "N",
     .fallback = "16",
     .min = 1,
     .max = 256,
     .help = "requests to the API server at once"},
    {.name = "names",
     .kind = OPTION_FLAG,
     OPTION_AT (struct kube_values, print),
     .aside = true,
     .help = "print all nodes as a file for --map, and exit"},
    OPTION_ROWS_ABOUT (struct kube_values),
    {.name = NULL},
};

static const struct command command_kube;

/* The place where a pod finds its API server. */
static int find_server (const struct kube_values *v, char url[300],
                        struct api_config *config, tori_error *err)
{
    const char *host = getenv ("KUBERNETES_SERVICE_HOST");
    const char *port = getenv ("KUBERNETES_SERVICE_PORT");
    *config = (struct api_config){.server = v->server,
                                  .ca = v->ca,
                                  .token_file = v->token_file,
                                  .cert = v->cert,
                                  .key = v->key,
                                  .connections = (size_t)v->connections};
    if (v->server)
        return strncmp (v->server, "https://", 8)
                   ? tori_error_set (err, TORI_INVALID,
                                     "--server: expected https://HOST:PORT")
                   : 0;
    if (!host || !port)
        return tori_error_set (err, TORI_INVALID,
                               "--server URL is missing, and this is not a "
                               "pod; see 'tori-kube --help'");
    snprintf (url, 300, strchr (host, ':') ? "https://[%s]:%s"
                                           : "https://%s:%s", host, port);
    config->server = url;
    if (!config->ca)
        config->ca = SECRETS "ca.crt";
    if (!config->token_file && !config->cert)
        config->token_file = SECRETS "token";
    return 0;
}

static int bridge_run (const struct kube_values *v, const tori_machine *machine,
                       const struct nodemap *map, tori_error *err)
{
    struct kube kube
        = {.machine = machine,
           .map = map,
           .set = {.scheduler = v->scheduler,
                   .tolerated = v->tolerated,
                   .ignored = v->ignored,
                   .patience = (double)v->patience / TORI_SECOND,
                   .linger = (double)v->linger / TORI_SECOND,
                   .memory = (double)v->memory / TORI_SECOND,
                   .default_time = v->default_time / TORI_SECOND,
                   .slices = v->slices,
                   .kueue = v->kueue,
                   .slice_time = (double)v->slice_time / TORI_SECOND}};
    struct api_config config;
    char url[300];
    int status = find_server (v, url, &config, err);
    if (status == 0)
        status = api_create (&config, &kube.api, err);
    if (status == 0)
        status = kube_begin (&kube, err);
    if (status == 0)
        serve_torid (&kube, (double)v->remarks / TORI_SECOND);
    api_destroy (kube.api);
    kube_clear (&kube);
    return status;
}

/* Jobs that torid's machine cannot hold would all be refused. */
static int read_machine (const struct kube_values *v, tori_machine **ret_machine,
                         tori_error *err)
{
    const char *other = getenv ("TORI_MACHINE");
    char own[TORI_TEXT_MAX];
    if (!v->machine && !other)
        return tori_error_set (err, TORI_INVALID,
                               "--machine KIND:SIZES is missing; see "
                               "'tori-kube --help'");
    if (tori_machine_parse (v->machine ? v->machine : other, ret_machine, err)
        < 0)
        return -1;
    tori_machine_format (*ret_machine, own);
    return !other || !strcmp (other, own)
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "the machine of torid is %.200s, and that of "
                                 "tori-kube is %.200s",
                                 other, own);
}

static int run_kube (const void *values, FILE *out, tori_error *err)
{
    const struct kube_values *v = values;
    tori_machine *machine = NULL;
    struct nodemap map = {0};
    bool named = nodesource_given (&v->names);
    int status;
    if (about_done (&v->about, &command_kube, out, &status, err))
        return status;
    signal (SIGPIPE, SIG_IGN);
    status = read_machine (v, &machine, err);
    if (status == 0 && named)
        status = nodesource_read (&v->names, &machine, &map, NULL, err);
    if (status == 0 && v->print && !named)
        status = tori_error_set (err, TORI_INVALID,
                                 "--names: --nodes PATTERN, --map FILE or "
                                 "--topology FILE is missing");
    else if (status == 0 && v->print)
        nodemap_write (&map, out);
    else if (status == 0)
        status = bridge_run (v, machine, named ? &map : NULL, err);
    nodemap_clear (&map);
    tori_machine_destroy (machine);
    return status;
}

static const struct command command_kube = {
    .name = "tori-kube",
    .section = 8,
    .summary = "Let torid place the pods of a Kubernetes cluster",
    .notes = "tori-kube is an executor of torid, and a scheduler of "
             "Kubernetes beside the default one. It watches the pods whose "
             "schedulerName is tori. When all pods of a job are there, it "
             "submits the job to torid, and when torid starts the job, it "
             "binds each pod to the node of its rank. If some of the pods "
             "cannot be bound, it takes back the others. Coordinates of nodes "
             "come from their labels, tori/node=1.2.3, or tori/x=1, tori/y=2 "
             "and so on; or from --nodes, --map or --topology. tori-kube keeps "
             "its state in the annotations of the pods, so you can stop and "
             "start it at any time. With --gke-slices, every job also gets a "
             "Slice of Google Kubernetes Engine: its pods are bound when the "
             "slice is ready, and the slice is deleted when the job has "
             "ended. With --kueue, a workload of Kueue gets a box before it is "
             "admitted, and any scheduler places its pods there.",
    .options = options,
    .size = sizeof (struct kube_values),
    .examples = "torid --machine torus:4x4x4 --state DIR --executor tori-kube\n"
                "torid --machine torus:4x4x4 --state DIR --executor \\\n"
                "    \"tori-kube --server https://10.0.0.1:6443 --ca ca.crt "
                "\\\n    --token-file token --nodes 'n[0-63]'\"\n"
                "torid --machine pod:64/2x2x4 --state DIR --executor \\\n"
                "    \"tori-kube --gke-slices --tolerate google.com/tpu\"",
    .run = run_kube,
};

int main (int argc, char **argv)
{
    return startup (&command_kube, NULL, argc, argv);
}
