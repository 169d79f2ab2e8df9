/* reconcile.h - the steps for a job, by its state as last reported to torid
 * and its state in Slurm now: one table. bridge.c finds both, and carries out
 * the steps. Nothing here knows Slurm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_RECONCILE_H
#define TORI_SLURM_RECONCILE_H

/* The job as torid knows it. */
enum torid_knows {
    KNOWS_NOTHING, /* or it was held before it was submitted to torid */
    KNOWS_HELD,    /* it was submitted, and is held since */
    KNOWS_WAITING,
    KNOWS_RELEASED, /* by torid's order */
    KNOWS_RUNNING,
    KNOWS_LEAVING,
    KNOWS_ENDED,
    KNOWS_STRAY,
    KNOWS_DROPPED,
    TORID_KNOWS
};

/* The job in Slurm: a phase of task.h, or a closer look at one. */
enum slurm_says {
    SAYS_HELD,
    SAYS_SLIPPED, /* torid has it waiting, and it is no longer held */
    SAYS_WAITING,
    SAYS_RELEASED,
    SAYS_OVERDUE, /* released, for longer than the bridge is patient */
    SAYS_STALLED, /* released, and does not start soon, or never */
    SAYS_REVOKED,
    SAYS_RUNNING,
    SAYS_LEAVING,
    SAYS_ENDED,
    SAYS_REQUEUED,
    SAYS_LOOSE,
    SAYS_STRAY,
    SAYS_DROPPED,
    SLURM_SAYS
};

/* Steps, in the order in which they are carried out. Those that are marked may
 * be the last: then the noted state stays as it was. If the last step is not
 * STEP_NOTE either, torid is to hear of the job anew. */
enum reconcile_step {
    STEP_BURY,      /* it has ended, and slurmctld has forgotten that: cancel
                       it, or run it again if another job needs it. The last */
    STEP_HOLD,      /* hold it again. The last */
    STEP_REQUEUE,   /* say that it failed, or is over, and hold it again */
    STEP_SHAPE,     /* give it a shape if it needs one: then the last */
    STEP_RANK,      /* ask for its priority if that is unknown: then the
                       last */
    STEP_SAY_LOST,  /* say that Slurm has forgotten its release */
    STEP_RENEW,     /* let it be another job if its partition has other nodes
                       than torid knows, or Slurm placed it: then the last */
    STEP_SET_ASIDE, /* say that it failed, and hold it until it can start */
    STEP_TAKE_BACK, /* say that it failed, hold it, and have it placed anew */
    STEP_SUBMIT,
    STEP_SAY_START,
    STEP_SAY_END,
    STEP_SAY_CANCEL,
    STEP_SAY_STRAY,   /* say that Slurm places it */
    STEP_SAY_CHANGES, /* say what differs from what torid knows */
    STEP_REMARK,      /* show its user why it waits */
    STEP_KEEP_FROZEN, /* see to it that it is suspended, or not, as ordered */
    STEP_NOTE,        /* torid knows this now */
    RECONCILE_STEPS
};

/* A set of these: bit 1 << STEP_HOLD, and so on. */
unsigned reconcile (enum torid_knows knows, enum slurm_says says);

#endif
