/* The fields of the answer of tori paper queue-tree. */
#include "queue_tree_study.h"

#define AT(member) FIELD_AT (struct row, member)
#define MEAN(name, ...)                                                       \
    {#name, FIELD_REAL, AT (mean.name), __VA_ARGS__}
#define SIZE(log, size)                                                       \
    {"slowdown_" #size, FIELD_REAL, AT (mean.by_size[log]),                   \
     "mean slowdown of jobs of up to this many processors, 0 if there are "   \
     "none",                                                                  \
     .title = #size, .decimals = 2}

static const struct field point_fields[] = {
    {"part", FIELD_TEXT, AT (part), "which table it is for"},
    {"machine", FIELD_TEXT, AT (machine), "the machine", .title = "machine"},
    {"processors", FIELD_UINT, AT (processors), "its processors"},
    {"sizes", FIELD_TEXT, AT (sizes), "how sizes are distributed",
     .title = "sizes"},
    {"who", FIELD_CHARS, AT (who), "scheduler and sizes"},
    {"load", FIELD_REAL, AT (load), "the offered load, by partitions",
     .title = "load, %", .scale = 100},
    {"sched", FIELD_TEXT, AT (sched), "the scheduler", .title = "scheduler"},
    {"branch", FIELD_TEXT, AT (branch), "where new processes go",
     .title = "branch"},
    {"switch_cost", FIELD_REAL, AT (switch_cost),
     "what a switch costs, of a slot", .title = "cost, % of a slot",
     .decimals = 1, .scale = 100},
    {"slot", FIELD_REAL, AT (slot), "how long a slot is", "s"},
    MEAN (offered, "the offered load that was measured"),
    MEAN (utilization, "processors that jobs asked for, of all",
          .decimals = 2, .scale = 100),
    MEAN (held, "processors in partitions that jobs hold, of all",
          .title = "utilization", .decimals = 2, .scale = 100),
    {"held_half", FIELD_REAL, AT (held_half),
     "half of the 95 % interval of held"},
    MEAN (response, "mean response", "slots", "response", 1),
    MEAN (wait, "mean wait", "slots", "wait", 1),
    MEAN (slowdown, "mean slowdown", .title = "slowdown", .decimals = 2),
    {"slowdown_half", FIELD_REAL, AT (slowdown_half),
     "half of the 95 % interval of slowdown"},
    MEAN (slowdown_p99, "the 99th percentile of slowdown", .title = "p99",
          .decimals = 1),
    MEAN (spread, "the largest mean slowdown of a size over the least",
          .title = "largest/least", .decimals = 2),
    MEAN (fairness, "Jain's index of the mean slowdowns of sizes",
          .title = "fairness", .decimals = 3),
    MEAN (arrivals, "jobs per slot"),
    MEAN (root, "messages per slot of the root"),
    MEAN (busiest, "messages per slot of the busiest node"),
    MEAN (average, "messages per slot of a node, in the mean"),
    MEAN (switches, "switches per turn", .title = "switches a turn",
          .decimals = 2),
    MEAN (switch_most, "the most that a switch costs", "s"),
    {"drain", FIELD_REAL, AT (drain), "the same, of a slot",
     .title = "cost at most, % of a slot", .decimals = 2, .scale = 100},
    {"jobs_s", FIELD_REAL, AT (jobs_s), "jobs per second",
     .title = "jobs/s", .decimals = 2},
    {"root_s", FIELD_REAL, AT (root_s), "messages per second of the root",
     .title = "root", .decimals = 1},
    {"busiest_s", FIELD_REAL, AT (busiest_s),
     "messages per second of the busiest node", .title = "busiest",
     .decimals = 1},
    {"average_s", FIELD_REAL, AT (average_s),
     "messages per second of a node, in the mean", .title = "average",
     .decimals = 1},
    {"root_job", FIELD_REAL, AT (root_job), "messages per job of the root",
     .title = "root per job", .decimals = 1},
    {"busiest_job", FIELD_REAL, AT (busiest_job),
     "messages per job of the busiest node", .title = "busiest per job",
     .decimals = 1},
    {"busiest_time", FIELD_REAL, AT (busiest_time),
     "the part of its time that the busiest node takes for messages of 10 us",
     .title = "busiest's time, %", .decimals = 3, .scale = 100},
    SIZE (0, 1),
    SIZE (1, 2),
    SIZE (2, 4),
    SIZE (3, 8),
    SIZE (4, 16),
    SIZE (5, 32),
    SIZE (6, 64),
    SIZE (7, 128),
    SIZE (8, 256),
    SIZE (9, 512),
    SIZE (10, 1024),
    SIZE (11, 2048),
    SIZE (12, 4096),
    {"utilization_half", FIELD_REAL, AT (utilization_half),
     "half of the 95 % interval of utilization"},
    {"degree", FIELD_UINT, AT (degree), "parts of a partition",
     .title = "degree"},
    MEAN (hops, "hops between two processors of a job's partition, mean; 0 "
                "except for degrees",
          .title = "hops", .decimals = 2),
    MEAN (reach, "the most hops there", .title = "most", .decimals = 2),
    MEAN (hot, "messages on its busiest link if every processor sends one",
          .title = "busiest link", .decimals = 2),
};
#undef AT
static const struct sheet point_sheet = {"points",
                                         SHEET_FIELDS (point_fields)};

static const struct field cost_fields[] = {
    {"processors", FIELD_INT, FIELD_AT (struct cost, processors),
     "processors of a partition of a hypercube", .title = "processors"},
    {"cycles", FIELD_COUNT, FIELD_AT (struct cost, cycles),
     "cycles that the network adds to a switch", .title = "cycles"},
    {"us", FIELD_REAL, FIELD_AT (struct cost, us), "the same at 50 MHz",
     "us", "us at 50 MHz", 2},
};
static const struct sheet cost_sheet = {"costs", SHEET_FIELDS (cost_fields)};

#define AT(member) FIELD_AT (struct partition, member)
static const struct field partition_fields[] = {
    {"degree", FIELD_UINT, AT (degree), "parts of a partition",
     .title = "degree"},
    {"processors", FIELD_UINT, AT (processors), "processors of a partition",
     .title = "processors"},
    {"box", FIELD_CHARS, AT (box), "the partition", .title = "partition"},
    {"hops", FIELD_REAL, AT (hops), "hops between two processors, mean",
     .title = "hops", .decimals = 2},
    {"reach", FIELD_REAL, AT (reach), "the most hops", .title = "most"},
    {"hot", FIELD_REAL, AT (hot),
     "messages on the busiest link if every processor sends one",
     .title = "busiest link", .decimals = 2},
    {"hops_square", FIELD_REAL, AT (hops_square),
     "hops over those of a square of as many processors",
     .title = "hops/square", .decimals = 2},
    {"hot_square", FIELD_REAL, AT (hot_square),
     "the busiest link over that of a square",
     .title = "busiest/square", .decimals = 2},
};
#undef AT
static const struct sheet partition_sheet
    = {"partitions", SHEET_FIELDS (partition_fields)};

#define AT(member) FIELD_AT (struct threads, member)
static const struct field thread_fields[] = {
    {"sizes", FIELD_TEXT, AT (sizes), "how sizes are distributed",
     .title = "sizes"},
    {"degree", FIELD_UINT, AT (degree), "parts of a partition",
     .title = "degree"},
    {"used", FIELD_REAL, AT (used),
     "the part of its processors on which a job has a thread",
     .title = "used by threads, %", .scale = 100},
    {"busy", FIELD_REAL, AT (busy),
     "the part of the processors held that has something to do, in the tree",
     .title = "busy, of held, %", .decimals = 1, .scale = 100},
    {"lifetime", FIELD_REAL, AT (lifetime),
     "DHC does more if threads live longer than this, in times that it takes "
     "to schedule one; null: never",
     .title = "DHC does more from", .decimals = 1},
};
#undef AT
static const struct sheet thread_sheet
    = {"threads", SHEET_FIELDS (thread_fields)};

#define AT(member) FIELD_AT (struct study, member)
static const struct field answer_fields[] = {
    {"seeds", FIELD_SIZE, AT (seeds), "how many seeds"},
    {"jobs", FIELD_REAL, AT (limit),
     "jobs of a run; null without --limit: as many as it takes"},
    {"table1_same", FIELD_INT, AT (table1_same),
     "cells of Table 1 that are as printed"},
    {"table1_cells", FIELD_INT, AT (table1_cells), "cells of Table 1"},
    {"points", FIELD_LIST, .about = "what was run", .group = &point_sheet},
    {"costs", FIELD_LIST, .about = "what the network adds to a switch",
     .group = &cost_sheet},
    {"partitions", FIELD_LIST, .about = "the ways in partitions of 8x8",
     .group = &partition_sheet},
    {"threads", FIELD_LIST, .about = "the tree beside DHC",
     .group = &thread_sheet},
};
#undef AT
const struct sheet queue_tree_answer
    = {"queue-tree", SHEET_FIELDS (answer_fields)};
