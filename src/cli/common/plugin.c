#include "plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A name without a slash would be sought where libraries are. */
static void *open_file (const char *path, const char *what, tori_error *err)
{
    char here[4096];
    void *file;
    snprintf (here, sizeof here, "%s%s", strchr (path, '/') ? "" : "./", path);
    file = dlopen (here, RTLD_NOW | RTLD_LOCAL);
    if (!file)
        tori_error_set (err, TORI_INVALID, "%s: %.300s", what, dlerror ());
    return file;
}

/* The file's own copy of the library must be like ours. */
static int check_version (void *file, const char *path, const char *what,
                          tori_error *err)
{
    const char *(*version) (void);
    void *symbol = dlsym (file, "tori_version");
    if (!symbol)
        return 0; /* it uses nothing of the library */
    memcpy (&version, &symbol, sizeof symbol);
    return strcmp (version (), tori_version ()) == 0
               ? 0
               : tori_error_set (err, TORI_INVALID,
                                 "%s: %.200s is linked with tori %.20s, and "
                                 "this is %s",
                                 what, path, version (), tori_version ());
}

static int check_ops (const tori_alloc_ops *ops, const char *path,
                      const char *what, tori_error *err)
{
    const tori_alloc_info *info = &ops->info;
    if (!info->name || !*info->name || !info->summary)
        return tori_error_set (err, TORI_INVALID,
                               "%s: the allocator of %.200s needs a name and "
                               "a summary",
                               what, path);
    if (tori_alloc_find (info->name))
        return tori_error_set (err, TORI_INVALID,
                               "%s: the allocator of %.200s has the name of "
                               "one of tori's: %s",
                               what, path, info->name);
    return 0;
}

static int load_file (const char *path, const char *what,
                      const tori_alloc_info **ret_info, tori_error *err)
{
    void *file = open_file (path, what, err);
    const tori_alloc_ops *ops;
    if (!file)
        return -1;
    ops = dlsym (file, "tori_plugin_alloc");
    if (!ops)
        return tori_error_set (err, TORI_INVALID,
                               "%s: %.200s has no tori_plugin_alloc: see "
                               "tori/plugin.h",
                               what, path);
    if (check_version (file, path, what, err) < 0
        || check_ops (ops, path, what, err) < 0)
        return -1;
    *ret_info = &ops->info;
    return 0;
}

int plugin_find (const char *text, const char *what,
                 const tori_alloc_info **ret_info, tori_error *err)
{
    return allocator_is_file (text) ? load_file (text, what, ret_info, err)
                                    : allocator_find (text, what, ret_info,
                                                      err);
}

int plugins_named (const char *text, const char *what,
                   struct plugins *ret_plugins, tori_error *err)
{
    struct plugins *all = ret_plugins;
    const tori_alloc_info *info[2] = {NULL, NULL};
    *all = (struct plugins){.own = {.size = sizeof all->own,
                                    .allocs = all->list}};
    if (text
        && allocators_parse (text, what, plugin_find, &info[0], &info[1], err)
               < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (allocator_ops (info[i])) {
            all->config[i] = *TORI_ALLOC (NULL, .ops = allocator_ops (info[i]));
            all->list[all->own.nallocs++] = &all->config[i];
        }
    return 0;
}

int plugins_of_snapshot (const char *text, struct plugins *ret_plugins,
                         tori_error *err)
{
    if (plugins_named (text, "--alloc", ret_plugins, err) < 0)
        return -1;
    if (text && ret_plugins->own.nallocs == 0)
        return tori_error_set (err, TORI_INVALID,
                               "--alloc: '%.60s' is no file: the allocator is "
                               "the snapshot's; 'tori what-if --alloc' tries "
                               "another one",
                               text);
    return 0;
}
