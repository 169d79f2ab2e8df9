/* banned.h - functions that have no place in this project do not compile.
 * Every file of the project is compiled with this one in front. The headers
 * that declare the functions come first, so that they stay intact. */
#ifndef TORI_BASE_BANNED_H
#define TORI_BASE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BANNED(func) sorry_##func##_is_a_banned_function

/* Unbounded, or bounded in a way that is easily got wrong. */
#undef strcpy
#define strcpy BANNED (strcpy)
#undef strcat
#define strcat BANNED (strcat)
#undef strncpy
#define strncpy BANNED (strncpy)
#undef strncat
#define strncat BANNED (strncat)
#undef sprintf
#define sprintf BANNED (sprintf)
#undef vsprintf
#define vsprintf BANNED (vsprintf)
#undef gets
#define gets BANNED (gets)
#undef alloca
#define alloca BANNED (alloca)

/* State hidden in the C library. */
#undef strtok
#define strtok BANNED (strtok)
#undef gmtime
#define gmtime BANNED (gmtime)
#undef localtime
#define localtime BANNED (localtime)
#undef ctime
#define ctime BANNED (ctime)
#undef asctime
#define asctime BANNED (asctime)
#undef rand
#define rand BANNED (rand)
#undef srand
#define srand BANNED (srand)

/* Silent on nonsense: use number.h. */
#undef atoi
#define atoi BANNED (atoi)
#undef atol
#define atol BANNED (atol)
#undef atof
#define atof BANNED (atof)

#endif
