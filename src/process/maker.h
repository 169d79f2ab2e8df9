/* maker.h - names that say which process made a thing, by its number and start
 * time, which no other process ever has. So what a killed process left behind
 * can be told from what belongs to a living one. */
#ifndef TORI_PROCESS_MAKER_H
#define TORI_PROCESS_MAKER_H

#include <sys/types.h>

enum { MAKER_NAME = 96 };
void maker_name (pid_t maker, char name[MAKER_NAME]);

/* What the kernel says of a process after its name; NULL if there is no such
 * process. */
enum { MAKER_STAT = 1024 };
const char *maker_stat (pid_t pid, char text[MAKER_STAT]);

/* Remove those folders in `home` whose makers are dead. Those of other users
 * are not touched, nor those of other process namespaces, in which nobody can
 * tell from here who lives. */
void makers_sweep (const char *home, void (*clear) (const char *path));

#endif
