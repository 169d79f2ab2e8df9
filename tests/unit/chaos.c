#include "chaos.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MAX_LIVE = 1 << 16 };

static struct {
    bool armed, onwards, fired, paused;
    unsigned long left; /* allocations until the one that fails */
    uintptr_t live[MAX_LIVE];
    size_t nlive;
} chaos;

void chaos_arm (unsigned long nth, bool onwards)
{
    chaos.armed = true;
    chaos.onwards = onwards;
    chaos.fired = false;
    chaos.left = nth;
}

bool chaos_disarm (void)
{
    chaos.armed = false;
    return chaos.fired;
}

bool chaos_fired (void)
{
    return chaos.fired;
}

void chaos_pause (void)
{
    chaos.paused = true;
}

void chaos_resume (void)
{
    chaos.paused = false;
}

size_t chaos_live (void)
{
    return chaos.nlive;
}

static bool fails (void)
{
    if (!chaos.armed || chaos.paused)
        return false;
    if (chaos.left > 1) {
        chaos.left--;
        return false;
    }
    chaos.fired = true;
    chaos.armed = chaos.onwards;
    errno = ENOMEM;
    return true;
}

static void *born (void *block)
{
    if (!block)
        return NULL;
    if (chaos.nlive == MAX_LIVE)
        abort ();
    chaos.live[chaos.nlive++] = (uintptr_t)block;
    return block;
}

/* The youngest die first, as a rule. A block that was not born here, such as
 * one of getline, is none of ours. */
static void died (uintptr_t block)
{
    for (size_t i = chaos.nlive; i-- > 0;)
        if (chaos.live[i] == block) {
            memmove (&chaos.live[i], &chaos.live[i + 1],
                     (--chaos.nlive - i) * sizeof chaos.live[0]);
            return;
        }
}

/* The names are the linker's: it sends calls of f to __wrap_f, and __real_f
 * to f. */
void *__real_malloc (size_t size);
void *__real_calloc (size_t n, size_t size);
void *__real_realloc (void *block, size_t size);
void *__real_aligned_alloc (size_t alignment, size_t size);
void __real_free (void *block);
int __real_vasprintf (char **text, const char *fmt, va_list ap)
    __attribute__ ((format (printf, 2, 0)));
FILE *__real_fopencookie (void *cookie, const char *mode,
                          cookie_io_functions_t ops);
int __real_inflateInit2_ (z_streamp stream, int bits, const char *version,
                          int size);
int __real_deflateInit2_ (z_streamp stream, int level, int method, int bits,
                          int memory, int strategy, const char *version,
                          int size);

void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t n, size_t size);
void *__wrap_realloc (void *block, size_t size);
void *__wrap_reallocarray (void *block, size_t n, size_t size);
void *__wrap_aligned_alloc (size_t alignment, size_t size);
char *__wrap_strdup (const char *text);
char *__wrap_strndup (const char *text, size_t max);
int __wrap_vasprintf (char **text, const char *fmt, va_list ap)
    __attribute__ ((format (printf, 2, 0)));
int __wrap_asprintf (char **text, const char *fmt, ...)
    __attribute__ ((format (printf, 2, 3)));
void __wrap_free (void *block);
FILE *__wrap_fopencookie (void *cookie, const char *mode,
                          cookie_io_functions_t ops);
int __wrap_inflateInit2_ (z_streamp stream, int bits, const char *version,
                          int size);
int __wrap_deflateInit2_ (z_streamp stream, int level, int method, int bits,
                          int memory, int strategy, const char *version,
                          int size);

void *__wrap_malloc (size_t size)
{
    return fails () ? NULL : born (__real_malloc (size));
}

void *__wrap_calloc (size_t n, size_t size)
{
    return fails () ? NULL : born (__real_calloc (n, size));
}

void *__wrap_realloc (void *block, size_t size)
{
    uintptr_t old = (uintptr_t)block;
    void *moved = fails () ? NULL : __real_realloc (block, size);
    if (moved)
        died (old);
    return born (moved);
}

void *__wrap_reallocarray (void *block, size_t n, size_t size)
{
    if (size > 0 && n > (size_t)-1 / size)
        return NULL;
    return __wrap_realloc (block, n * size);
}

void *__wrap_aligned_alloc (size_t alignment, size_t size)
{
    return fails () ? NULL : born (__real_aligned_alloc (alignment, size));
}

char *__wrap_strndup (const char *text, size_t max)
{
    size_t length = strnlen (text, max);
    char *copy = __wrap_malloc (length + 1);
    if (copy) {
        memcpy (copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *__wrap_strdup (const char *text)
{
    return __wrap_strndup (text, strlen (text));
}

void __wrap_free (void *block)
{
    died ((uintptr_t)block);
    __real_free (block);
}

int __wrap_vasprintf (char **text, const char *fmt, va_list ap)
{
    int length = fails () ? -1 : __real_vasprintf (text, fmt, ap);
    if (length >= 0)
        born (*text);
    return length;
}

int __wrap_asprintf (char **text, const char *fmt, ...)
{
    va_list ap;
    int length;
    va_start (ap, fmt);
    length = __wrap_vasprintf (text, fmt, ap);
    va_end (ap);
    return length;
}

/* Functions that allocate inside: what they allocate is theirs to free. */

FILE *__wrap_fopencookie (void *cookie, const char *mode,
                          cookie_io_functions_t ops)
{
    return fails () ? NULL : __real_fopencookie (cookie, mode, ops);
}

int __wrap_inflateInit2_ (z_streamp stream, int bits, const char *version,
                          int size)
{
    return fails () ? Z_MEM_ERROR
                    : __real_inflateInit2_ (stream, bits, version, size);
}

int __wrap_deflateInit2_ (z_streamp stream, int level, int method, int bits,
                          int memory, int strategy, const char *version,
                          int size)
{
    return fails () ? Z_MEM_ERROR
                    : __real_deflateInit2_ (stream, level, method, bits,
                                            memory, strategy, version, size);
}
