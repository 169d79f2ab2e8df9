/* Leaks, in every test program of a build with the address sanitizer.
 *
 * The sanitizer looks for leaks as a program ends, whether anything is
 * allocated then or not, and on some architectures walks through the whole
 * address space for that: four seconds of processor time a program, more than
 * most tests take. So what is allocated is counted here, from before main to
 * after it; where the count is 0 at the end nothing can have leaked, and only
 * where it is not the sanitizer is asked which blocks nobody points to.
 * libcurl, which the client commands load, is therefore loaded before.
 */
#include <dlfcn.h>
#include <grp.h>
#include <libintl.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Declared here because the sanitizer's headers do not come with every
 * compiler. */
int __sanitizer_install_malloc_and_free_hooks (
    void (*allocated) (const volatile void *, size_t),
    void (*freed) (const volatile void *));
void __lsan_do_leak_check (void);
const char *__asan_default_options (void);

/* Declared as an object, which is all that is asked: is it in this program? */
extern const char curls_load[] __attribute__ ((weak));

static atomic_long blocks;
static void *libcurl;

const char *__asan_default_options (void)
{
    return "leak_check_at_exit=0";
}

static void count_block (const volatile void *block, size_t size)
{
    if (block)
        atomic_fetch_add (&blocks, 1);
}

static void uncount_block (const volatile void *block)
{
    if (block)
        atomic_fetch_sub (&blocks, 1);
}

/* The C library never gives back the buffer of standard output, nor what it
 * knows of time zones, of where users are listed, of loaded libraries and of
 * the translations that libconfuse names.
 * dlerror gives back what the search for a function has left before main. */
__attribute__ ((constructor)) static void begin (void)
{
    static char buffer[BUFSIZ];
    tzset ();
    getpwuid (0);
    getgrgid (0);
    getpwnam ("root");
    getgrnam ("root");
    bindtextdomain ("confuse", "/");
    if (curls_load)
        libcurl = dlopen ("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    dlerror ();
    dlerror ();
    setvbuf (stdout, buffer, _IOLBF, sizeof buffer);
    __sanitizer_install_malloc_and_free_hooks (count_block, uncount_block);
}

static void clean_libcurl (void)
{
    void (*cleanup) (void) = NULL;
    void *symbol = dlsym (libcurl, "curl_global_cleanup");
    memcpy (&cleanup, &symbol, sizeof symbol);
    if (cleanup)
        cleanup ();
}

__attribute__ ((destructor)) static void end (void)
{
    if (libcurl)
        clean_libcurl ();
    if (atomic_load (&blocks) != 0)
        __lsan_do_leak_check ();
}
