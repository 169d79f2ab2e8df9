/* bad_memory.c - memory runs out once, for a program that is started with this
 * library before its own (LD_PRELOAD): the nth allocation fails, where n is the
 * number in the file BAD_MEMORY, which is mapped; it is counted down. At 0 all
 * is well. */
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

extern void *__libc_malloc (size_t n);
extern void *__libc_calloc (size_t n, size_t size);
extern void *__libc_realloc (void *block, size_t n);

static _Atomic long *left;

/* In the program alone, not in what it starts. */
__attribute__ ((constructor)) static void begin (void)
{
    const char *path = getenv ("BAD_MEMORY");
    int fd = path ? open (path, O_RDWR | O_CLOEXEC) : -1;
    void *map = fd < 0 ? MAP_FAILED
                       : mmap (NULL, sizeof *left, PROT_READ | PROT_WRITE,
                               MAP_SHARED, fd, 0);
    if (map != MAP_FAILED)
        left = map;
    if (fd >= 0)
        close (fd);
    unsetenv ("LD_PRELOAD");
}

static int fails (void)
{
    return left && atomic_load (left) > 0 && atomic_fetch_sub (left, 1) == 1;
}

void *malloc (size_t n)
{
    return fails () ? NULL : __libc_malloc (n);
}

void *calloc (size_t n, size_t size)
{
    return fails () ? NULL : __libc_calloc (n, size);
}

void *realloc (void *block, size_t n)
{
    return fails () ? NULL : __libc_realloc (block, n);
}
