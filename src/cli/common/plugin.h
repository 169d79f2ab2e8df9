/* plugin.h - allocators in files of their own: tori/plugin.h. */
#ifndef TORI_CLI_PLUGIN_H
#define TORI_CLI_PLUGIN_H

#include <tori/snapshot.h>

#include "names.h"
#include "options.h"

/* Find one of tori's allocators, or load a file: an allocator_finder. Loading
 * a file again gives the same allocator. */
int plugin_find (const char *text, const char *what,
                 const tori_alloc_info **ret_info, tori_error *err);

/* The allocators from files that --alloc names, for reading a snapshot. */
struct plugins {
    tori_alloc_config config[2];
    const tori_alloc_config *list[2];
    tori_snapshot_own own;
};

/* Find them; `text` may be NULL. `own` is valid as long as the structure. */
int plugins_named (const char *text, const char *what,
                   struct plugins *ret_plugins, tori_error *err);

/* The same for a command that only reads a snapshot, whose allocators stay: a
 * text without a file is refused. */
int plugins_of_snapshot (const char *text, struct plugins *ret_plugins,
                         tori_error *err);

/* A row of an option table for such a command. */
#define OPTION_ROW_PLUGIN(values)                                             \
    {.name = "alloc", .kind = OPTION_STRING,                                  \
     .offset = offsetof (values, alloc), .value = "PLUGIN",                  \
     .help = "the file of an allocator of your own that the snapshot names "  \
             "(man tori_plugin); first-fit+./mine.so: for counts; 'tori "     \
             "what-if --alloc' tries another one"}

#endif
