/* Snapshots: whatever a file says, it is refused with a reason, or says the
 * same again when it is written and read, and makes a scheduler that runs. */
#include "fuzz.h"

#include <jansson.h>

#include <tori/snapshot.h>

/* A machine of any size would do, and take its time and memory. */
static bool is_small (const uint8_t *data, size_t size)
{
    json_t *json = json_loadb ((const char *)data, size, 0, NULL);
    const char *text = json_string_value (json_object_get (json, "machine"));
    tori_machine *machine = NULL;
    bool small = !text || tori_machine_parse (text, &machine, NULL) < 0
                 || tori_machine_nodes (machine) <= 4096;
    tori_machine_destroy (machine);
    json_decref (json);
    return small;
}

static char *written (const tori_snapshot *snapshot, size_t *ret_size)
{
    char *text = NULL;
    FILE *file = open_memstream (&text, ret_size);
    MUST (file && tori_snapshot_write (snapshot, file, NULL) == 0
          && fclose (file) == 0);
    return text;
}

static void again (const tori_snapshot *snapshot)
{
    size_t size[2];
    tori_snapshot *second;
    char *text = written (snapshot, &size[0]), *same;
    MUST (tori_snapshot_parse (text, size[0], "again", &second, NULL) == 0);
    same = written (second, &size[1]);
    MUST (size[0] == size[1] && memcmp (text, same, size[0]) == 0);
    free (text);
    free (same);
    tori_snapshot_destroy (second);
}

static void run (const tori_snapshot *snapshot, const char *path)
{
    tori_sched *sched;
    tori_error err = {0};
    if (tori_snapshot_sched (snapshot, NULL, &sched, &err) < 0) {
        MUST (strncmp (err.text, path, strlen (path)) == 0);
        return;
    }
    MUST (tori_sched_run (sched, snapshot->now, NULL) == 0);
    tori_sched_destroy (sched);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    struct fuzz_file file;
    tori_snapshot *snapshot;
    tori_error err = {0};
    if (!is_small (data, size))
        return 0;
    file = fuzz_file (data, size);
    if (tori_snapshot_read (file.path, &snapshot, &err) < 0) {
        fuzz_refused (&file, &err);
    } else {
        again (snapshot);
        run (snapshot, file.path);
        tori_snapshot_destroy (snapshot);
    }
    fuzz_file_close (&file);
    return 0;
}
