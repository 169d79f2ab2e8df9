/* page.c - the machine and the queue for people, at "/": the page that was
 * bundled from web/; or, without it, with /?plain or for who has no gzip, plain
 * HTML, made here, that needs no script and loads nothing. */
#include "number.h"
#include "plain.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "admit.h"
#include "api.h"
#include "duration.h"
#include "pagedata.h"
#include "reasons.h"
#include "signin.h"

enum { ROWS_MOST = 100 };

static const char head[]
    = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n"
      "<meta http-equiv=\"refresh\" content=\"10\">\n"
      "<title>torid</title>\n<style>\n"
      ":root { color-scheme: light dark; --ink: #1d2329; --soft: #66707a;\n"
      "  --page: #fbfbfa; --card: #fff; --line: #e3e5e8; --free: #dfe3e8;\n"
      "  --down: #b3261e; --drained: #e0a100; }\n"
      "@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ea;\n"
      "  --soft: #98a2ac; --page: #14171a; --card: #1c2024;\n"
      "  --line: #2d3339; --free: #31383f; --down: #f2726a;\n"
      "  --drained: #f0bf45; } }\n"
      "body { margin: 0 auto; max-width: 62rem; padding: 1.5rem;\n"
      "  background: var(--page); color: var(--ink);\n"
      "  font: 15px/1.45 system-ui, sans-serif; }\n"
      "h1 { font-size: 1.4rem; margin: 0 0 1rem; }\n"
      "h1 small { color: var(--soft); font-weight: normal; }\n"
      "h2 { font-size: 1.05rem; margin: 0 0 .6rem; }\n"
      "section { background: var(--card); border: 1px solid var(--line);\n"
      "  border-radius: 8px; margin: 0 0 1rem; padding: 1rem;\n"
      "  overflow-x: auto; }\n"
      "dl { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 0; }\n"
      "dt { color: var(--soft); font-size: .85rem; }\n"
      "dd { font-size: 1.35rem; font-variant-numeric: tabular-nums;\n"
      "  margin: 0; }\n"
      "table { border-collapse: collapse; width: 100%; }\n"
      "th { color: var(--soft); font-weight: normal; text-align: left; }\n"
      "th, td { border-bottom: 1px solid var(--line); padding: .3rem .8rem\n"
      "  .3rem 0; vertical-align: top; }\n"
      "tr:last-child td { border-bottom: 0; }\n"
      ".n { font-variant-numeric: tabular-nums; text-align: right; }\n"
      "i { border-radius: 3px; display: inline-block; height: .8em;\n"
      "  margin-right: .5em; width: .8em; }\n"
      "meter { width: 6rem; }\n"
      ".bad { color: var(--down); }\n"
      ".key span { color: var(--soft); margin-right: 1.2rem; }\n"
      "svg { display: block; margin-bottom: .8rem; max-width:\n"
      "  100%; }\n"
      ".swatch { border-radius: 3px; display: inline-block; height: .8em;\n"
      "  margin: 0 .5em 0 0; width: .8em; }\n"
      "svg text { fill: var(--soft); font: 7px system-ui, sans-serif; }\n"
      ".key { margin: 0; }\n"
      ".free { background: var(--free); fill: var(--free); }\n"
      ".down { background: var(--down); fill: none;\n"
      "  stroke: var(--down); }\n"
      ".drained { border: 2px solid var(--drained); box-sizing:\n"
      "  border-box; fill: none; stroke: var(--drained);\n"
      "  stroke-width: 2; }\n"
      "path.busy:hover { stroke: var(--ink); stroke-width: 2; }\n"
      "</style>\n</head>\n<body>\n";

/* ---- pieces ---- */

/* A text with nothing in it that means something to a browser. */
static void put_text (FILE *out, const char *text)
{
    for (; *text; text++)
        switch (*text) {
        case '<': fputs ("&lt;", out); break;
        case '>': fputs ("&gt;", out); break;
        case '&': fputs ("&amp;", out); break;
        case '"': fputs ("&quot;", out); break;
        default: fputc (*text, out);
        }
}

static const char *member (const json_t *object, const char *key)
{
    const char *text = json_string_value (json_object_get (object, key));
    return text ? text : "";
}

static void put_cell (FILE *out, const char *text)
{
    fputs ("<td>", out);
    put_text (out, text);
    fputs ("</td>", out);
}

static void put_duration (FILE *out, double seconds)
{
    char text[DURATION_TEXT_MAX];
    duration_about (
        number_clamp (seconds, 0, TORI_TIME_MAX / TORI_SECOND) * TORI_SECOND,
        text);
    fprintf (out, "<td class=\"n\">%s</td>", text);
}

static void put_number (FILE *out, const char *name, double value,
                        const char *unit)
{
    fprintf (out, "<div><dt>%s</dt><dd>%.6g%s</dd></div>\n", name, value,
             unit);
}

/* ---- the machine ---- */

static void put_numbers (const struct torid *torid, FILE *out)
{
    const tori_state *state
        = tori_sched_state (service_sched (torid->service));
    uint32_t n = tori_machine_nodes (torid->machine), of[4] = {0};
    uint32_t usable;
    size_t jobs[3];
    for (uint32_t i = 0; i < n; i++)
        of[tori_state_node (state, i)]++;
    usable = of[TORI_NODE_FREE] + of[TORI_NODE_BUSY];
    service_count (torid->service, jobs);
    fputs ("<section><dl>\n", out);
    put_number (out, "in use",
                usable ? 100 * of[TORI_NODE_BUSY] / usable : 0, " %");
    put_number (out, "nodes", n, "");
    put_number (out, "free", of[TORI_NODE_FREE], "");
    put_number (out, "busy", of[TORI_NODE_BUSY], "");
    if (of[TORI_NODE_DRAINED])
        put_number (out, "drained", of[TORI_NODE_DRAINED], "");
    if (of[TORI_NODE_DOWN])
        put_number (out, "down", of[TORI_NODE_DOWN], "");
    put_number (out, "jobs running", (double)jobs[1], "");
    put_number (out, "jobs waiting", (double)jobs[0], "");
    fputs ("</dl>\n", out);
    if (torid->stuck)
        fputs ("<p class=\"bad\">The journal cannot be written: changes are "
               "refused.</p>\n",
               out);
    if (torid->silent)
        fputs ("<p class=\"bad\">The executor does not answer.</p>\n", out);
    if (torid->executor && !torid->ready)
        fputs ("<p class=\"bad\">The executor is away: nothing starts.</p>\n",
               out);
    fputs ("</section>\n", out);
}

/* ---- jobs ---- */

static void put_wish (const json_t *job, FILE *out)
{
    const char *shape = member (job, "shape");
    const char *wiring = member (job, "wiring");
    fputs ("<td>", out);
    put_text (out, shape);
    if (*shape && *wiring) {
        fputc (' ', out);
        put_text (out, wiring);
    }
    if (!*shape && json_object_get (job, "count"))
        fprintf (out, "%lld nodes",
                 (long long)json_integer_value (
                     json_object_get (job, "count")));
    fputs ("</td>", out);
}

static void put_place (const json_t *job, FILE *out)
{
    const json_t *place = json_object_get (job, "place");
    size_t boxes = json_array_size (json_object_get (place, "boxes"));
    if (json_object_get (place, "box"))
        put_cell (out, member (place, "box"));
    else if (boxes > 0)
        fprintf (out, "<td>%zu boxes</td>", boxes);
    else
        fprintf (out, "<td>%zu nodes</td>",
                 json_array_size (json_object_get (place, "nodes")));
}

static double number_of (const json_t *job, const char *key)
{
    return json_number_value (json_object_get (job, key));
}

static void put_running (const json_t *job, double now, FILE *out)
{
    uint64_t id = (uint64_t)json_integer_value (json_object_get (job, "id"));
    double ran = now - number_of (job, "start");
    double estimate = number_of (job, "estimate");
    char colour[COLOUR_TEXT];
    colour_of (id, colour);
    fprintf (out, "<tr><td><svg class=\"swatch\" viewBox=\"0 0 1 1\"><rect "
             "width=\"1\" height=\"1\" fill=\"%s\"/></svg>%llu</td>",
             colour, (unsigned long long)id);
    put_cell (out, member (job, "user"));
    put_cell (out, member (job, "name"));
    put_place (job, out);
    put_duration (out, ran);
    fprintf (out, "<td><meter min=\"0\" max=\"1\" value=\"%.3f\"></meter>"
             "</td>", estimate > 0 ? ran / estimate : 1);
    put_duration (out, estimate - ran);
    fputs ("</tr>\n", out);
}

static void put_waiting (const json_t *job, double now, FILE *out)
{
    char reason[300];
    fprintf (out, "<tr><td>%lld</td>",
             (long long)json_integer_value (json_object_get (job, "id")));
    put_cell (out, member (job, "user"));
    put_cell (out, member (job, "name"));
    put_wish (job, out);
    put_duration (out, number_of (job, "estimate"));
    put_duration (out, now - number_of (job, "submit"));
    waiting_format (job, reason, sizeof reason);
    put_cell (out, reason);
    fputs ("</tr>\n", out);
}

typedef void row_fn (const json_t *job, double now, FILE *out);

/* The first jobs of a list, in its order. */
static void put_rows (const struct torid *torid, const tori_job *jobs,
                      size_t n, row_fn *put, FILE *out)
{
    double now = (double)torid_now (torid) / TORI_SECOND;
    for (size_t i = 0; i < n && i < ROWS_MOST; i++) {
        tori_job_info info = {.size = sizeof info};
        json_t *job;
        tori_sched_look (service_sched (torid->service), jobs[i], &info);
        job = service_job (torid->service, info.tag);
        if (job)
            put (job, now, out);
        json_decref (job);
    }
    if (n > ROWS_MOST)
        fprintf (out, "<tr><td colspan=\"7\">and %zu more</td></tr>\n",
                 n - ROWS_MOST);
}

static void put_table (const struct torid *torid, const tori_job *jobs,
                       size_t n, const char *title, const char *columns,
                       row_fn *put, FILE *out)
{
    fprintf (out, "<section><h2>%s</h2>\n", title);
    if (n == 0) {
        fputs ("<p>None.</p></section>\n", out);
        return;
    }
    fprintf (out, "<table><tr>%s</tr>\n", columns);
    put_rows (torid, jobs, n, put, out);
    fputs ("</table></section>\n", out);
}

static int put_jobs (const struct torid *torid, FILE *out, tori_error *err)
{
    const tori_sched *sched = service_sched (torid->service);
    size_t running = tori_sched_running (sched);
    size_t queued = tori_sched_queued (sched);
    tori_job *jobs = calloc (running + queued + 1, sizeof *jobs);
    if (!jobs)
        return tori_error_nomem (err);
    tori_sched_queued_jobs (sched, jobs);
    put_table (torid, jobs, queued, "Waiting jobs, the next one first",
               "<th>job<th>user<th>name<th>asks for<th class=\"n\">for"
               "<th class=\"n\">waits<th>because",
               put_waiting, out);
    tori_sched_running_jobs (sched, jobs);
    put_table (torid, jobs, running, "Running jobs, by their expected end",
               "<th>job<th>user<th>name<th>place<th class=\"n\">for"
               "<th>of its time<th class=\"n\">left",
               put_running, out);
    free (jobs);
    return 0;
}

/* ---- all of it ---- */

static int put_page (const struct torid *torid, FILE *out, tori_error *err)
{
    char machine[TORI_TEXT_MAX];
    tori_machine_format (torid->machine, machine);
    fprintf (out, "%s<h1>torid <small>%s</small></h1>\n", head, machine);
    put_numbers (torid, out);
    fputs ("<section><h2>Machine</h2>\n", out);
    if (map_write (torid, out, err) < 0)
        return -1;
    fputs ("<p class=\"key\"><i class=\"free\"></i><span>free</span>"
           "<i class=\"drained\"></i><span>drained</span>"
           "<i class=\"down\"></i><span>down</span>"
           "<span>other colours: jobs, as below</span></p></section>\n",
           out);
    if (put_jobs (torid, out, err) < 0)
        return -1;
    fputs ("</body>\n</html>\n", out);
    return 0;
}

/* The page itself says, by their hashes, which scripts and styles it has, and
 * that it speaks to nobody but torid (web/build.mjs). */
static const struct header page_headers[] = {
    {"Content-Security-Policy",
     "frame-ancestors 'none'; form-action 'none'; base-uri 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Content-Encoding", "gzip"},
    {"Cache-Control", "no-cache"},
};

/* "/?plain" has a name without a value. */
static bool wants_plain (const struct request *request)
{
    static const char key[] = "plain";
    const char *value;
    size_t n;
    return MHD_lookup_connection_value_n (request->connection,
                                          MHD_GET_ARGUMENT_KIND, key,
                                          strlen (key), &value, &n)
           == MHD_YES;
}

/* Who cannot have it packed has no scripts either. */
bool page_answer (struct request *request)
{
    const char *packed = MHD_lookup_connection_value (
        request->connection, MHD_HEADER_KIND, "Accept-Encoding");
    if (page_size == 0 || !packed || !strstr (packed, "gzip")
        || wants_plain (request))
        return false;
    memcpy (request->headers, page_headers, sizeof page_headers);
    request->nheaders = sizeof page_headers / sizeof *page_headers;
    request->reply.code = 200;
    request->type = "text/html; charset=utf-8";
    request->bytes = page_bytes;
    request->nbytes = page_size;
    return true;
}

/* What stands between two tags, by its hash, as policies name it. */
static void name_part (const char *page, const char *from, const char *until,
                       char to[64])
{
    const char *part = strstr (page, from) + strlen (from);
    unsigned char sum[SHA256_DIGEST_SIZE];
    struct sha256_ctx context;
    char text[BASE64_ENCODE_RAW_LENGTH (sizeof sum) + 1] = "";
    sha256_init (&context);
    sha256_update (&context, (size_t)(strstr (part, until) - part),
                   (const uint8_t *)part);
    sha256_digest (&context, sizeof sum, sum);
    base64_encode_raw (text, sizeof sum, sum);
    snprintf (to, 64, "'sha256-%s'", text);
}

/* Signing in without the bundled page. A form alone cannot send JSON. */
static const char entrance[]
    = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\">\n<title>torid</title>\n</head>\n<body>\n"
      "<h1>torid</h1>\n<form><label>token <input type=\"password\" required "
      "autocomplete=\"off\"></label> <button>Sign in</button></form>\n"
      "<p role=\"alert\"></p>\n<script>\n"
      "const say = text => document.querySelector('p').textContent = text;\n"
      "const send = by => fetch('/signin', {method: 'POST', body:\n"
      "  JSON.stringify(by), headers: {'Content-Type': 'application/json'}})\n"
      "  .then(answer => answer.ok ? location.replace('/')\n"
      "    : answer.json().then(said => say(said.error.message)));\n"
      "document.querySelector('form').addEventListener('submit', event => {\n"
      "  event.preventDefault();\n"
      "  send({token: document.querySelector('input').value.trim()});\n"
      "});\n"
      "const code = /^#code=([\\w-]+)$/.exec(location.hash);\n"
      "if (code) {\n"
      "  history.replaceState(null, '', '/');\n"
      "  send({code: code[1]});\n"
      "}\n"
      "</script>\n</body>\n</html>\n";

bool entrance_answer (struct request *request)
{
    const char *accepts = MHD_lookup_connection_value (
        request->connection, MHD_HEADER_KIND, "Accept");
    char policy[256], script[64];
    if (!accepts || !strstr (accepts, "text/html"))
        return false;
    name_part (entrance, "<script>", "</script>", script);
    snprintf (policy, sizeof policy,
              "default-src 'none'; script-src %s; connect-src 'self'; "
              "frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
              script);
    add_header (request, "Content-Security-Policy", policy);
    add_header (request, "Cache-Control", "no-store");
    request->reply.code = 200;
    request->type = "text/html; charset=utf-8";
    request->bytes = (const unsigned char *)entrance;
    request->nbytes = sizeof entrance - 1;
    return true;
}

bool get_page (struct asking *a)
{
    char *text = NULL, style[64];
    size_t size;
    FILE *out;
    int status;
    if (page_answer (a->request))
        return true;
    out = open_memstream (&text, &size);
    status = out ? put_page (a->torid, out, NULL) : -1;
    if (out && (fclose (out) != 0 || status < 0)) {
        free (text);
        text = NULL;
    }
    name_part (head, "<style>", "</style>", style);
    reply_header (a, "Content-Security-Policy",
                  "default-src 'none'; style-src %s; frame-ancestors 'none'; "
                  "form-action 'none'; base-uri 'none'",
                  style);
    reply_header (a, "X-Content-Type-Options", "nosniff");
    reply_header (a, "Cache-Control", "no-store");
    reply_text (a, 200, "text/html; charset=utf-8", text);
    return true;
}
