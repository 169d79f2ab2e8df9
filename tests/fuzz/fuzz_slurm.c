/* Texts of sites and users for Slurm: the file tori.conf, or, if the first
 * byte is '#' and the second says how many nodes a job has, its comment. The
 * result is sound, and written out it is the same again; a refusal says why in
 * one line. */
#include "fuzz.h"
#include "slurm_ask.h"
#include "slurm_watch.h"

/* ---- tori.conf ---- */

/* A shape is at least as large as was asked for, and the machine holds it. */
static void try_rule (const struct slurm_watch *watch)
{
    uint32_t most = tori_machine_nodes (watch->machine);
    tori_error err;
    for (uint32_t n = 1; n <= most && n <= 9; n++) {
        tori_request request = {.count = n};
        if (!slurm_watch_shape (watch, &request))
            continue;
        MUST (request.count == 0 && request.wiring == watch->wiring);
        MUST (tori_shape_volume (&request.shape) >= n);
        MUST (tori_shape_fits (&request.shape, watch->machine));
        MUST (!slurm_watch_shape (watch, &request));
        if (watch->wiring == TORI_WIRE_NONE)
            MUST (slurm_watch_check (watch, &request, &err) == 0);
    }
}

static void try_conf (const uint8_t *data, size_t size)
{
    struct fuzz_file file = fuzz_file (data, size);
    struct slurm_watch watch = {.shaping = (tori_shaping)77};
    size_t watched, others;
    tori_error err;
    if (slurm_watch_read (file.path, &watch, &err) < 0) {
        MUST (watch.shaping == (tori_shaping)77 && !watch.partitions);
        fuzz_refused (&file, &err);
    } else {
        slurm_watch_count (&watch, watch.partitions, &watched, &others);
        MUST (others == 0);
        if (tori_machine_nodes (watch.machine) <= 4096)
            try_rule (&watch);
        slurm_watch_clear (&watch);
    }
    fuzz_file_close (&file);
}

/* ---- comments ---- */

static void must_ask (const char *comment, uint32_t nodes,
                      const tori_request *as)
{
    tori_request request;
    MUST (slurm_ask_parse (comment, nodes, &request, NULL) == 0);
    MUST (request.count == as->count && request.wiring == as->wiring);
    MUST (tori_shape_equal (&request.shape, &as->shape));
}

static void try_asked (const char *comment, uint32_t nodes,
                       const tori_request *request)
{
    char *text;
    MUST ((request->count > 0) != (request->shape.ndims > 0));
    MUST (nodes == 0 || tori_request_nodes (request) == nodes);
    if (request->count > 0)
        return;
    text = slurm_ask_comment (request, TORI_SHAPE_COMPACT, nodes % 2, comment);
    must_ask (text, nodes, request);
    MUST (slurm_ask_boxes (text) == nodes % 2);
    free (text);
}

/* A remark changes neither what is asked for nor what the user wrote. */
static void try_remark (const char *comment, uint32_t nodes,
                        const tori_request *request)
{
    char *own = slurm_ask_remark (comment, NULL);
    char *said = slurm_ask_remark (comment, "it waits");
    char *again = slurm_ask_remark (said, "it waits");
    char *back = slurm_ask_remark (said, NULL);
    MUST (!strcmp (said, again) && !strcmp (own, back));
    MUST (!strncmp (comment, own, strlen (own)));
    if (request) {
        must_ask (own, nodes, request);
        must_ask (said, nodes, request);
    }
    free (own);
    free (said);
    free (again);
    free (back);
}

static void try_comment (const char *comment, uint32_t nodes)
{
    tori_request request = {.count = 77};
    tori_error err;
    bool understood = slurm_ask_parse (comment, nodes, &request, &err) == 0;
    if (understood) {
        try_asked (comment, nodes, &request);
    } else {
        MUST (err.status == TORI_INVALID && request.count == 77);
        MUST (!strpbrk (err.text, "\n"));
    }
    try_remark (comment, nodes, understood ? &request : NULL);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    char *comment;
    if (size < 2 || data[0] != '#') {
        try_conf (data, size);
        return 0;
    }
    comment = fuzz_text (data + 2, size - 2);
    try_comment (comment, data[1] % 16);
    free (comment);
    return 0;
}
