/* slurm_wake.h - news of slurmctld, for tori-slurm: a file in the folder of
 * slurmctld's state (StateSaveLocation) shows that a job was submitted
 * (job_submit/tori) or has ended (jobcomp/tori). tori-slurm makes the file, and
 * watches it. If both are on different hosts, or the folder is on a file
 * server, nothing is heard, and tori-slurm asks as often as --every says.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TORI_SLURM_WAKE_H
#define TORI_SLURM_WAKE_H

enum slurm_news {
    NEWS_JOB = 1, /* a job was submitted: the file is touched */
    NEWS_END = 2  /* one has ended: the file is opened for writing */
};

/* In slurmctld: there is news. Does nothing if nobody has made the file. */
void slurm_wake (const char *folder, enum slurm_news news);

/* In tori-slurm: a descriptor that can be read when there is news, or -1; and
 * take the news from it, as bits of enum slurm_news. */
int slurm_wake_watch (const char *folder);
unsigned slurm_wake_take (int fd);

#endif
