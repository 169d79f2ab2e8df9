/* taking.h - what the folders above need of wiring beyond the public part. */
#ifndef TORI_WIRING_TAKING_H
#define TORI_WIRING_TAKING_H

#include <tori/wiring.h>

/* How a box is wired: by the rule, but for the dimensions whose links a list
 * has, a bit for each. In a cube of a pod the box is a piece of a slice, and
 * takes the ports of its faces where the switches join it to other pieces, or
 * close a ring: a bit for each dimension, of its lower and its upper face. */
struct wires {
    tori_wiring wiring;
    uint32_t listed;
    uint32_t below, above;
};

/* The links of a box that is a partition by itself, by the rule. */
struct wires wires_of_box (const tori_machine *machine, const tori_box *box,
                           tori_wiring wiring);

/* As tori_wiring_runs, _take and _each. */
int wiring_runs (const tori_machine *machine, const tori_box *box,
                 struct wires wires, tori_link_run ret_runs[TORI_MAX_RUNS]);
int wiring_take (tori_state *state, const tori_box *box, struct wires wires,
                 tori_error *err);
int wiring_each (const tori_machine *machine, const tori_box *box,
                 struct wires wires,
                 int (*visit) (void *arg, const tori_link *link), void *arg);

/* Whether two boxes need a common link; if so, write one such link. */
bool wiring_conflict (const tori_machine *machine, const tori_box *a,
                      struct wires wires_a, const tori_box *b,
                      struct wires wires_b, tori_link *ret_link);

/* Whether every link is free and up. */
bool wiring_free (const tori_state *state, const tori_box *box,
                  struct wires wires);

/* Mark the links of a box as taken, whether or not they were already. Fails
 * only without memory. */
int wiring_block (tori_state *state, const tori_box *box, struct wires wires,
                  tori_error *err);

/* The reverse, whether or not they were. */
void wiring_unblock (tori_state *state, const tori_box *box,
                     struct wires wires);

/* Whether the box is one of the machine and all links that wiring it takes are
 * taken. */
bool wiring_taken (const tori_state *state, const tori_box *box,
                   struct wires wires);

/* TORI_INVALID for a value that is no wiring that can be asked for, or no
 * wiring of a box of the machine. */
int wiring_check (tori_wiring wiring, tori_error *err);
int wiring_check_on (const tori_machine *machine, tori_wiring wiring,
                     tori_error *err);

/* Why a machine can never wire some box. */
const char *wiring_never (const tori_machine *machine);

/* Whether none of the links of a box is down. */
bool wiring_links_up (const tori_state *state, const tori_box *box,
                      struct wires wires);

/* ---- around links that are down ---- */

/* Multi-torus dimensions in which not all links of the rule are free, a bit
 * for each. */
uint32_t wiring_hindered (const tori_state *state, const tori_box *box,
                          tori_wiring wiring);

/* A growing list; who has one frees `link`. */
struct linklist {
    tori_link *link;
    size_t n, room;
};

/* Add free links that wire a box in these dimensions, line by line. Fails with
 * TORI_NOT_NOW where there are none. */
int wiring_list (const tori_state *state, const tori_box *box,
                 tori_wiring wiring, uint32_t dims, struct linklist *list,
                 tori_error *err);

/* By dimension, layer and slot, for qsort and bsearch. */
int compare_links (const void *a, const void *b);

/* Links of a list: whether all are free and up, taken, or up; marking them as
 * taken, whether or not they were, and the reverse. */
bool links_free (const tori_state *state, const tori_link links[], size_t n);
bool links_taken (const tori_state *state, const tori_link links[], size_t n);
bool links_up (const tori_state *state, const tori_link links[], size_t n);
int links_block (tori_state *state, const tori_link links[], size_t n,
                 tori_error *err);
void links_unblock (tori_state *state, const tori_link links[], size_t n);

#endif
