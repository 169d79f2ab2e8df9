/* All entries. */
#include "paper.h"

const char paper_bender_2005[] =
    "M. A. Bender, D. P. Bunde, E. D. Demaine, S. P. Fekete, V. J. Leung, "
    "H. Meijer, C. A. Phillips: Communication-Aware Processor Allocation for "
    "Supercomputers: Finding Point Sets of Small Average Distance. 2005";

const char paper_hori_1995[] =
    "A. Hori, T. Yokota, Y. Ishikawa, S. Sakai, H. Konaka, M. Maeda, "
    "T. Tomokiyo, J. Nolte, H. Matsuoka, K. Okamoto, H. Hirono: Time Space "
    "Sharing Scheduling and Architectural Support. 1995";

const char paper_gupta_1997[] =
    "S. K. S. Gupta, P. K. Srimani: Job Scheduling for Torus Connected "
    "Networks. 1997";

static const struct paper *const papers[] = {
    &paper_multitoroidal,
    &paper_clusters,
    &paper_manhattan_median,
    &paper_table1,
    &paper_flow,
    &paper_isomorphic,
    &paper_latency,
    &paper_queue_tree,
    &paper_preemption,
    &paper_dilation,
    &paper_contention,
};

const struct paper *paper_list (size_t i)
{
    return i < sizeof papers / sizeof *papers ? papers[i] : NULL;
}
