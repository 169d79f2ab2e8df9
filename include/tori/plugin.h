/* tori/plugin.h - an allocator of your own for the command.
 *
 * A program that uses the library puts a tori_alloc_ops into its configuration
 * (tori/alloc.h). The command `tori` loads one from a file:
 *
 *     #include <tori/plugin.h>
 *
 *     static int place (...)
 *
 *     const tori_alloc_ops tori_plugin_alloc = {
 *         .size = sizeof tori_plugin_alloc,
 *         .info = {.name = "mine", .summary = "my own",
 *                  .takes = TORI_BY_SHAPE},
 *         .place = place,
 *     };
 *
 *     cc -shared -fPIC mine.c -o mine.so $(pkg-config --cflags --libs tori)
 *     tori sim --machine torus:8x8x8 --alloc ./mine.so
 *
 * A name with a slash in it, or that ends in ".so", is a file, wherever a
 * command takes the name of an allocator: `place`, `sim`, `compare`, `sweep`,
 * `decide` and `what-if`; also in a pair, ./mine.so+mm. A snapshot has the
 * allocator's own name. `tori sim --from`, `why`, `forecast`, `map`, `defrag`
 * and `what-if` understand it if they get the file with --alloc; without, they
 * refuse the snapshot.
 *
 * The name must not be that of one of tori's allocators. Simulations run in
 * several threads, each with what `create` made for it. Without `create`, the
 * `data` of the functions has no meaning. The file is loaded when it is named,
 * and stays. Link it with the tori that runs it: a file that is linked with
 * another version is refused.
 */
#ifndef TORI_PLUGIN_H
#define TORI_PLUGIN_H

#include <tori/alloc.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The file defines this. */
__attribute__ ((visibility ("default"))) extern const tori_alloc_ops
    tori_plugin_alloc;

#ifdef __cplusplus
}
#endif

#endif
