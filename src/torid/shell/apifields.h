/* apifields.h - the bodies of requests and answers that no command has. */
#ifndef TORI_TORID_APIFIELDS_H
#define TORI_TORID_APIFIELDS_H

#include "sheet.h"

extern const struct sheet body_node_change;
extern const struct sheet body_requeue;
extern const struct sheet body_link_change;
extern const struct sheet body_reservation;
extern const struct sheet body_what_if, body_snapshot, body_defrag, body_moves;
extern const struct sheet body_signin;
extern const struct sheet gives_whoami, gives_signed_out;
extern const struct sheet gives_jobs;
extern const struct sheet gives_nodes;
extern const struct sheet gives_nodes_changed;
extern const struct sheet gives_moved, gives_output;
extern const struct sheet gives_links, gives_links_changed;
extern const struct sheet gives_reservations;
extern const struct sheet gives_reservation_changed;
extern const struct sheet gives_unknown;
extern const struct sheet gives_unknown_ended;
extern const struct sheet gives_machine, gives_history;
extern const struct sheet gives_changes;
extern const struct sheet gives_health;
extern const struct sheet gives_error;

#endif
