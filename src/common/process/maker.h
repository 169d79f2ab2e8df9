/* maker.h - names that say which process made a thing, by its number and start
 * time, which no other process ever has. So what a killed process left behind
 * can be told from what belongs to a living one. */
#ifndef TORI_PROCESS_MAKER_H
#define TORI_PROCESS_MAKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { MAKER_NAME = 96 };
void maker_name (pid_t maker, char name[MAKER_NAME]);

/* The kernel's line about a process, from after its name; NULL if there is no
 * such process. */
enum { MAKER_STAT = 1024 };
const char *maker_stat (pid_t pid, char text[MAKER_STAT]);

/* The parent and the start time of a process, in ticks since the machine was
 * started. False if it is dead. */
bool maker_look (pid_t pid, pid_t *ret_parent, uint64_t *ret_start);

/* The start time alone; 0 if it is dead. */
uint64_t maker_started (pid_t pid);

/* Remove those folders in `home` whose makers are dead. Those of other users
 * are not touched, nor those of other process namespaces, whose processes
 * cannot be seen from here. */
void makers_sweep (const char *home, void (*clear) (const char *path));

#endif
