/* Files of nodes, partitions and links: the first byte says which. The state
 * that is read is sound; a refusal says where. */
#include "conflicts.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
    static const char *const machines[] = {"mesh:4x5", "torus:4x4x2",
                                           "multitorus:8x4"};
    struct fuzz_file file = fuzz_file (data + (size > 0), size - (size > 0));
    unsigned which = size > 0 ? data[0] : 0;
    struct machine_options files = {.machine = machines[which / 4 % 3],
                                    .wrap = which / 12 % 2,
                                    .running = which / 24 % 2};
    const char **const kinds[] = {&files.down, &files.down_links,
                                  &files.partitions, &files.busy};
    struct site site;
    tori_error err = {0};
    *kinds[which % 4] = file.path;
    if (site_open (&files, &site, &err) < 0) {
        fuzz_refused (&file, &err);
    } else {
        MUST (tori_state_free_count (site.state)
              <= tori_machine_nodes (site.machine));
        struct conflicts conflicts;
        char text[CONFLICT_TEXT];
        MUST (conflicts_find (&site, &conflicts, &err) == 0);
        for (size_t i = 0; i < conflicts.n; i++)
            conflict_format (&site, &conflicts.item[i], text);
        conflicts_clear (&conflicts);
    }
    site_close (&site);
    fuzz_file_close (&file);
    return 0;
}
