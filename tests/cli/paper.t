Published tables and figures.

  $ tori paper list
  multitoroidal
    Figures 12-14: how far a torus and a multi-torus can be loaded
    Y. Aridor, T. Domany, O. Goldshmidt, E. Shmueli, J. E. Moreira, L.
    Stockmeyer: Multi-Toroidal Interconnects: Using Additional Communication
    Links To Improve Utilization of Parallel Computers. 2004
  ...
  $ tori paper list --json
  {"papers":[{"name":"multitoroidal","what":"Figures 12-14: how far a torus and a multi-torus can be loaded","citation":"Y. Aridor, T. Domany, O. Goldshmidt, E. Shmueli, J. E. Moreira, L. Stockmeyer: Multi-Toroidal Interconnects: Using Additional Communication Links To Improve Utilization of Parallel Computers. 2004"},{"name":"clusters","what":"Figures 1 to 3: the best clusters of 2 to 21 points of a grid, proved, the curve to which they tend, and what shapes leave free","citation":"M. A. Bender, D. P. Bunde, E. D. Demaine, S. P. Fekete, V. J. Leung, H. Meijer, C. A. Phillips: Communication-Aware Processor Allocation for Supercomputers: Finding Point Sets of Small Average Distance. 2005"},{"name":"manhattan-median","what":"Theorem 1 and Section 6: points on which mm and hilbert-bf are worst","citation":"M. A. Bender, D. P. Bunde, E. D. Demaine, S. P. Fekete, V. J. Leung, H. Meijer, C. A. Phillips: Communication-Aware Processor Allocation for Supercomputers: Finding Point Sets of Small Average Distance. 2005"},{"name":"table1","what":"Table 1: how well allocators decide, in the situations that each of them leads to","citation":"M. A. Bender, D. P. Bunde, E. D. Demaine, S. P. Fekete, V. J. Leung, H. Meijer, C. A. Phillips: Communication-Aware Processor Allocation for Supercomputers: Finding Point Sets of Small Average Distance. 2005"},{"name":"flow","what":"Section 6: which allocator gives the least flow time once messages share the links","citation":"M. A. Bender, D. P. Bunde, E. D. Demaine, S. P. Fekete, V. J. Leung, H. Meijer, C. A. Phillips: Communication-Aware Processor Allocation for Supercomputers: Finding Point Sets of Small Average Distance. 2005"},{"name":"isomorphic","what":"Figures 9-13: response time and delays of jobs that ask for subcubes","citation":"M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim: Isomorphic Strategy for Processor Allocation in k-Ary n-Cube Systems. 2003"},{"name":"latency","what":"latency against load of messages on 8x8 and 8x8x8, mesh and torus, and where they saturate (curves of the paper's kind; its networks are others)","citation":"W. J. Dally: Performance Analysis of k-ary n-cube Interconnection Networks. 1990"},{"name":"queue-tree","what":"Table 1, and what time sharing gains and costs beside batch queues","citation":"A. Hori, T. Yokota, Y. Ishikawa, S. Sakai, H. Konaka, M. Maeda, T. Tomokiyo, J. Nolte, H. Matsuoka, K. Okamoto, H. Hirono: Time Space Sharing Scheduling and Architectural Support. 1995"},{"name":"preemption","what":"network preemption: how long a partition's network takes to be drained and saved, against the bound of section 4, and compared with the CM-5's all-fall-down","citation":"A. Hori, T. Yokota, Y. Ishikawa, S. Sakai, H. Konaka, M. Maeda, T. Tomokiyo, J. Nolte, H. Matsuoka, K. Okamoto, H. Hirono: Time Space Sharing Scheduling and Architectural Support. 1995"},{"name":"dilation","what":"the model of contention of section 2.2 held against messages: how much longer jobs take that share links","citation":"S. K. S. Gupta, P. K. Srimani: Job Scheduling for Torus Connected Networks. 1997"},{"name":"contention","what":"section 2.4.4: the example as printed, its 10 without shared links, its least plan, and what searches gain","citation":"S. K. S. Gupta, P. K. Srimani: Job Scheduling for Torus Connected Networks. 1997"},{"name":"rfold","what":"jobs of its model on a torus and on cubes behind switches: how long they take, by its policies and by ours","citation":"S. Chen: RFold (arXiv 2510.03891). 2025"},{"name":"lines","what":"Figures 2-10: the links that partitions of a line take, and how many tori fit","citation":"Y. Aridor, T. Domany, O. Goldshmidt, E. Shmueli, J. E. Moreira, L. Stockmeyer: Multi-Toroidal Interconnects: Using Additional Communication Links To Improve Utilization of Parallel Computers. 2004"},{"name":"subcubes","what":"Figures 1-8 and Table 1: what requests get, addresses, free lists, and bounds","citation":"M. Kang, C. Yu, H. Y. Youn, B. Lee, M. Kim: Isomorphic Strategy for Processor Allocation in k-Ary n-Cube Systems. 2003"},{"name":"partitions","what":"Figures 5 and 6: where a new process goes, and which partitions are closed","citation":"A. Hori, T. Yokota, Y. Ishikawa, S. Sakai, H. Konaka, M. Maeda, T. Tomokiyo, J. Nolte, H. Matsuoka, K. Okamoto, H. Hirono: Time Space Sharing Scheduling and Architectural Support. 1995"},{"name":"preemptive","what":"Figures 1, 3, 4 and 5: how a torus is divided, and the preemptive example with its profiles; what rounding up costs","citation":"S. K. S. Gupta, P. K. Srimani: Job Scheduling for Torus Connected Networks. 1997"},{"name":"slices","what":"slices of a 16-ary 3-cube: free nodes that cannot be placed, and what a failure costs","citation":"M. Nanyonga: Slice-packer-torus. 2026"}]}
  $ tori paper list --limit 5
  tori: paper list: the only option is --json
  [2]
  $ tori paper
  tori: NAME is missing; see 'tori paper --help'
  [2]
  $ tori paper multitorodial
  tori: unknown paper 'multitorodial'; did you mean 'multitoroidal'? see 'tori paper list'
  [2]
  $ tori paper gangs
  tori: unknown paper 'gangs'; see 'tori paper list'
  [2]
  $ tori paper multitoroidal list
  tori: unexpected 'list'; see 'tori paper --help'
  [2]

Options that a paper has no use for.

  $ tori paper clusters --limit 5
  tori: paper clusters: takes no --limit
  [2]
  $ tori paper manhattan-median --traces .
  tori: paper manhattan-median: takes no --traces
  [2]
  $ tori paper latency --seeds 3
  tori: paper latency: takes no --seeds
  [2]
  $ tori paper all --quick --limit 5
  tori: --quick cannot be used with --limit
  [2]
  $ tori paper dilation --model lublin
  tori: paper dilation: takes no --model
  [2]

Logs that are not there: what is missing, where it was looked for, and what
does without.

  $ TORI_TRACES= tori paper multitoroidal
  tori: neither CTC-SP2-1996-3.1-cln.swf nor SDSC-SP2-1998-4.2-cln.swf, plain or .gz, is in /.../.local/share/tori/traces; the Parallel Workloads Archive (https://www.cs.huji.ac.il/labs/parallel/workload/) has them, --traces says where they are, and --model lublin does without
  [1]
  $ TORI_TRACES=nowhere tori paper multitoroidal
  tori: neither ... is in nowhere, /.../.local/share/tori/traces; the Parallel Workloads Archive ...
  [1]
  $ TORI_TRACES=nowhere XDG_DATA_HOME=/no/data tori paper multitoroidal
  tori: neither ... is in nowhere, /no/data/tori/traces; the Parallel Workloads Archive ...
  [1]
  $ TORI_TRACES= XDG_DATA_HOME=no/data tori paper multitoroidal
  tori: neither ... is in /.../.local/share/tori/traces; the Parallel Workloads Archive ...
  [1]
  $ unset HOME; TORI_TRACES= tori paper multitoroidal
  tori: neither ... is in $TORI_TRACES, which is not set; the Parallel Workloads Archive ...
  [1]
  $ TORI_TRACES=nowhere tori paper multitoroidal --traces .
  tori: neither CTC-SP2-1996-3.1-cln.swf nor SDSC-SP2-1998-4.2-cln.swf, plain or .gz, is in .; the Parallel Workloads Archive ...
  [1]
  $ tori paper multitoroidal --traces . --model lublin --limit 20 | grep -e 'left out' -e 'a model'
  CTC SP2: left out, no CTC-SP2-1996-3.1-cln.swf[.gz] in .
  SDSC SP2: left out, no SDSC-SP2-1998-4.2-cln.swf[.gz] in .
  lublin: a model, 20 jobs, offered load 94.0 % before stretching

A file that is not a log, or is empty.

  $ echo 'no log' > CTC-SP2-1996-3.1-cln.swf
  $ tori paper multitoroidal --traces .
  tori: ./CTC-SP2-1996-3.1-cln.swf:1: expected a record of the Standard Workload Format or names of columns with | or , between them
  [2]
  $ echo > CTC-SP2-1996-3.1-cln.swf; tori paper multitoroidal --traces .
  tori: ./CTC-SP2-1996-3.1-cln.swf: none of 0 jobs fits on 512 nodes, so there is nothing to compare
  [2]
  $ rm CTC-SP2-1996-3.1-cln.swf

A directory that cannot be written into is found out before anything is run.

  $ echo > file
  $ tori paper multitoroidal --traces . --model lublin --out file
  tori: file: Not a directory
  [1]
  $ tori paper multitoroidal --traces . --model lublin --out file/below
  tori: file/below: Not a directory
  [1]
  $ tori paper multitoroidal --traces . --model lublin --out no/such
  tori: no/such: No such file or directory
  [1]

A model needs no log. One thread or four, the same bytes.

  $ tori paper multitoroidal --traces . --model lublin --limit 300 -j 1
  where                  published value                                 printed             ours                         verdict
  Figures 12-14          tori on the multi-torus as meshes on the torus  completely overlap  36 of 36 schedules the same  reproduced
  Figures 12a, 13a, 14a  readings and factors                            6 and 3             -                            cannot be compared: the log is not there
  Figures 12b, 13b, 14b  readings and factors                            6 and 3             -                            cannot be compared: the log is not there

  Y. Aridor, T. Domany, O. Goldshmidt, E. Shmueli, J. E. Moreira, L. Stockmeyer:
  Multi-Toroidal Interconnects: Using Additional Communication Links To Improve
  Utilization of Parallel Computers. 2004

  CTC SP2: left out, no CTC-SP2-1996-3.1-cln.swf[.gz] in .
  SDSC SP2: left out, no SDSC-SP2-1998-4.2-cln.swf[.gz] in .
  lublin: a model, 300 jobs, offered load 109.5 % before stretching

  Utilization of 8x8x8 nodes in %, by the offered load in %.

  lublin, fcfs, first-match shapes

  load  torus, meshes  torus, half tori  torus, tori  multi-torus, tori
    20           19.7              19.7         19.7               19.7
    30           29.3              29.3         29.3               29.3
    40           38.8              38.8         37.8               38.8
  ...
   100           60.2              49.8         41.7               60.2

  lublin, backfill, first-match shapes

  load  torus, meshes  torus, half tori  torus, tori  multi-torus, tori
    20           19.7              19.7         19.7               19.7
    30           29.3              29.3         29.3               29.3
    40           38.8              38.8         38.8               38.8
  ...
   100           71.0              57.5         47.7               71.0

  lublin, backfill, fat shapes

  load  torus, meshes  torus, half tori  torus, tori  multi-torus, tori
    20           19.7              19.7         19.7               19.7
    30           29.3              29.1         27.7               29.3
    40           38.8              36.6         29.4               38.8
  ...
   100           69.6              47.0         33.2               69.6

  lublin, easy, first-match shapes

  load  torus, meshes  torus, half tori  torus, tori  multi-torus, tori
    20           19.7              19.7         19.7               19.7
    30           29.3              29.3         29.3               29.3
    40           38.8              38.8         38.8               38.8
  ...
   100           73.0              60.0         49.0               73.0

  The load, to a percent, up to which the graphs of torus jobs are straight: the
  largest at which utilization is at least 0.95 of the load, below the first of
  the loads above at which it is not. Next to ours is what the paper's text says.
  The last column is the factor between the utilizations at a load of 100 %.

  figure  jobs    scheduler  shapes       torus  paper  multi-torus  paper  factor  paper  at 100 %
          lublin  fcfs       first-match     39                  57           1.46             1.45
          lublin  backfill   first-match     44                  59           1.34             1.49
          lublin  backfill   fat             29                  60           2.07             2.09
          lublin  easy       first-match     44                  65           1.48             1.49

  The same by other shares of the load:

  figure  jobs    scheduler  shapes       share  torus  multi-torus  factor
          lublin  fcfs       first-match   0.90     42           60    1.43
          lublin  fcfs       first-match   0.95     39           57    1.46
          lublin  fcfs       first-match   0.99     13           13    1.00
  ...
          lublin  easy       first-match   0.99     13           13    1.00

  The multi-torus with tori and the torus with meshes ran every job at the same
  time in the same place in 36 of 36 pairs of simulations.
  $ tori paper multitoroidal --traces . --model lublin --limit 300 -j 1 --json > one
  $ tori paper multitoroidal --traces . --model lublin --limit 300 -j 4 --json | cmp - one

One log of the two.

  $ i=0; while [ $i -lt 40 ]; do i=$((i + 1)); echo "$i $((i * 100)) -1 900 $((i % 7 * 8 + 8)) -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1"; done > SDSC-SP2-1998-4.2-cln.swf
  $ tori paper multitoroidal --traces . | sed -n '/SP2:/p; /^12b/p'
  CTC SP2: left out, no CTC-SP2-1996-3.1-cln.swf[.gz] in .
  SDSC SP2: SDSC-SP2-1998-4.2-cln.swf, 40 jobs, sizes times 4, offered load 230.8 % before stretching
  12b     SDSC SP2  fcfs       first-match     32     30           51     60    1.59   2.00      2.17
  12b     SDSC SP2  fcfs       first-match   0.90     37           78    2.11
  12b     SDSC SP2  fcfs       first-match   0.95     32           51    1.59
  12b     SDSC SP2  fcfs       first-match   0.99     10           10    1.00

CSV and figures; those that were there are replaced. Nothing else is left.

  $ tori paper multitoroidal --traces . --limit 30 --model lublin --out made > printed
  $ ls -A made
  figure-12b.pdf
  figure-12b.svg
  figure-13b.pdf
  figure-13b.svg
  figure-14b.pdf
  figure-14b.svg
  lublin-backfill-fat.pdf
  lublin-backfill-fat.svg
  lublin-backfill-first-match.pdf
  lublin-backfill-first-match.svg
  lublin-easy-first-match.pdf
  lublin-easy-first-match.svg
  lublin-fcfs-first-match.pdf
  lublin-fcfs-first-match.svg
  readings.csv
  sdsc-easy-first-match.pdf
  sdsc-easy-first-match.svg
  simulations.csv
  sources.csv
  verdicts.csv
  $ head -3 made/readings.csv
  figure,source,sched,shapes,share,torus,torus_beyond,torus_shown,torus_paper,multitorus,multitorus_beyond,multitorus_shown,multitorus_paper,factor,factor_shown,factor_paper,factor_at_full_load
  12b,SDSC SP2,fcfs,first-match,0.900000,0.370000,0,37,0.300000,0.690000,0,69,0.600000,1.864865,1.86,2.000000,2.023184
  12b,SDSC SP2,fcfs,first-match,0.950000,0.350000,0,35,0.300000,0.380000,0,38,0.600000,1.085714,1.09,2.000000,2.023184
  $ head -2 made/simulations.csv
  figure,source,sched,shapes,load,configuration,machine,torus_fraction,offered,utilization,internal_fragmentation,makespan,wait,bounded_slowdown,jobs,rejected,coincide
  12b,SDSC SP2,fcfs,first-match,0.200000,"torus, meshes",torus:8x8x8,0.000000,0.200000,0.194676,0.000000,33806.250000,0.000000,1.000000,30,0,1
  $ cat made/*.svg | grep -c '^</svg>'
  8

Without matplotlib there is all but the figures, and a word about it.

  $ mkdir hidden; echo 'raise ImportError' > hidden/matplotlib.py
  $ PYTHONPATH=hidden tori paper multitoroidal --traces . --limit 30 --model lublin --out bare > bare.txt
  tori: the tables are in bare, the figures are not: matplotlib is missing (Debian: python3-matplotlib)
  [1]
  $ cmp bare.txt printed; ls -A bare
  readings.csv
  simulations.csv
  sources.csv
  verdicts.csv

Options.

  $ tori paper multitoroidal -j 0
  tori: --workers: '0' is not a whole number from 1 to 4096
  [2]
  $ tori paper multitoroidal --limit 0
  tori: --limit: '0' is not a whole number from 1 to 2147483647
  [2]
  $ tori paper multitoroidal --traces . --limit 30 > /dev/full
  tori: standard output: No space left on device
  [1]

Subcubes: the whole of a small run is the same everywhere.

  $ tori paper isomorphic --seeds 2 --limit 20 > all; head -n 33 all
  where        published value                                           printed                   ours                                                         verdict
  Figure 9     isomorphic ahead of eb, egc and k-partner                 by a considerable margin  1.23, 1.90 and 1.90 service times at 0.2                     reproduced
  Figure 9     etc comparable with isomorphic                            comparable                1.23 and 1.23 at 0.2                                         reproduced
  Figure 9     k-partner ahead of eb and egc                             yes                       1.90 and 1.90 at 0.2                                         differs: no slice of other dimensions is free when it matters
  ...
  Figure 13    topological delay, both round up                          much less                 at least -159 % less                                         differs: it is more

  Poisson arrivals, exponential service of mean 1, fcfs; 2 seeds of 20 jobs;
  means and 95 % intervals over seeds, in service times.

  Figure 9, 10a: 4-ary 3-cube, cubic jobs, response time
  load  eb, not rotated          eb         egc   k-partner  multiple-gc         etc  isomorphic
   0.1       1.99 ±1.35  1.68 ±2.05  1.68 ±2.05  1.68 ±2.05   1.68 ±2.05  1.23 ±1.22  1.23 ±1.22
   0.2       2.88 ±3.98  1.90 ±1.19  1.90 ±1.19  1.90 ±1.19   1.90 ±1.19  1.23 ±1.27  1.23 ±1.27
  $ sed -n '/^By how much/,$p' all
  By how much isomorphic answers sooner than etc, in %, at each load
  (printed: up to 49 at 50 % with cubic jobs, up to 45 at 40 % with noncubic ones).
  In brackets: beyond nine tenths of the most that both achieve, where a mean says
  how long the run was
  machine and jobs              0.1  0.2    0.3    0.4    0.5    0.6    0.7    0.8    0.9
  4-ary 3-cube, cubic jobs        0    0      0    (0)    (3)    (5)   (-3)    (0)    (0)
  8-ary 3-cube, cubic jobs        0  (0)    (0)    (0)    (0)    (0)    (0)    (0)    (0)
  ...
  16-ary 3-cube, noncubic jobs   -7  -13  (-32)  (-57)  (-68)  (-66)  (-61)  (-58)  (-55)

  The same if etc rounds sides up to powers of two, too, and keeps all of the box
  machine and jobs              0.1  0.2   0.3  0.4  0.5  0.6  0.7  0.8  0.9
  4-ary 3-cube, noncubic jobs     0   -2    -2  (1)  (2)  (6)  (5)  (5)  (4)
  8-ary 3-cube, noncubic jobs     0   -2  (-1)  (0)  (3)  (3)  (2)  (2)  (2)
  16-ary 3-cube, noncubic jobs   -1   -2   (0)  (3)  (3)  (2)  (2)  (2)  (2)

  Printed: on 16-ary with cubic jobs etc saturates near 50 % utilization.
  Ours: etc levels off at 10 %, isomorphic at 10 %.

  The three causes of delay that section 5.1 names, with cubic jobs at 40 %: too few
  nodes, no box among enough nodes, and a box that the strategy does not recognise,
  which is part of the topological delay
  machine     strategy                numerical  topological  of it unrecognised
  torus:4^3   eb, not rotated        2.93 ±7.16   1.12 ±8.47          1.03 ±7.28
  torus:4^3   eb                     1.33 ±7.16   0.71 ±6.56          0.67 ±6.25
  torus:4^3   egc                    1.33 ±7.16   0.71 ±6.56          0.67 ±6.25
  ...
  torus:16^3  isomorphic, adaptive   0.00 ±0.00   0.00 ±0.00          0.00 ±0.00

  Printed: more favourable results for isomorphic are expected if the workload varies
  widely (section 5.1). Ours: cubic jobs, 200 a seed (200 at the least load), by
  the service times. Where a strategy is saturated, a mean says how long the run was:
  machine     load  service              CV^2           etc    isomorphic  sooner by, %  saturated
  torus:4^3    0.2  exponential           1.0    1.10 ±2.36    1.09 ±2.25      0.8 ±8.1
  torus:4^3    0.2  hyperexponential:2    2.0    1.72 ±0.95    1.70 ±0.89      1.0 ±3.2
  torus:4^3    0.2  uniform-log           3.6    1.29 ±5.27    1.27 ±5.07      1.7 ±7.7
  ...
  torus:16^3   0.4  hyperexponential:10  10.0  15.54 ±62.43  14.21 ±73.64    8.6 ±106.5  both

  The most that they achieve: utilization at an offered load of 90 %
  machine     service              CV^2       etc, %  isomorphic, %   more by, %
  torus:4^3   exponential           1.0   60.6 ±27.4     60.9 ±11.5    0.6 ±26.6
  torus:4^3   hyperexponential:2    2.0   49.8 ±92.1    51.7 ±108.5    3.8 ±26.0
  torus:4^3   uniform-log           3.6   43.7 ±25.3     44.9 ±39.6    2.7 ±31.0
  ...
  torus:16^3  hyperexponential:10  10.0    22.9 ±8.9     23.1 ±10.5     0.8 ±6.9

  Printed: isomorphic has less numerical delay than etc (Figure 12), and the
  difference in topological delay is much larger (Figure 13). Ours at 40 %, by the
  nodes that a job asks for, and by those that it holds at its start:
  machine     strategy                 numerical  topological  numerical, held  topological, held
  torus:4^3   etc, rounded up         0.05 ±0.67   0.17 ±2.22       0.23 ±2.89         0.00 ±0.00
  torus:4^3   etc                     0.03 ±0.40   0.16 ±1.97       0.03 ±0.40         0.16 ±1.97
  torus:4^3   isomorphic              0.03 ±0.40   0.17 ±2.22       0.19 ±2.37         0.02 ±0.25
  ...
  torus:16^3  isomorphic, decomposed  0.00 ±0.05   0.00 ±0.00       0.00 ±0.05         0.00 ±0.00
  $ tori paper isomorphic --seeds 2 --limit 20 -j 1 --json > 1; tori paper isomorphic --seeds 2 --limit 20 -j 3 --json | cmp - 1
  $ python3 -c 'import json; print(len(json.load(open("1"))["points"]))'
  270

A delay that is not recognised is part of the topological one. etc recognises every box.

  $ python3 -c 'import json; p = json.load(open("1"))["points"]; print(all(0 <= r["unrecognised"] <= r["topological"] for r in p), any(r["unrecognised"] for r in p), any(r["unrecognised"] for r in p if r["strategy"] == "etc"))'
  True True False
  $ python3 -c 'import json; d = json.load(open("1"))["points"]
  > most = {}
  > for p in d: k = p["what"], p["strategy"]; most[k] = max(most.get(k, 0), p["utilization"])
  > both = lambda p: min(most[p["what"], p["strategy"]], most[p["what"], "isomorphic"])
  > print(len(d), all(p["comparable"] == (p["load"] <= 0.9 * both(p) + 1e-12) for p in d), {p["comparable"] for p in d} == {True, False})'
  270 True True
  $ tori paper isomorphic --seeds 2 --limit 20 --service uniform-log | grep Poisson
  Poisson arrivals, uniform-log service of mean 1, fcfs; 2 seeds of 20 jobs;
  $ tori paper isomorphic --service normal
  tori: service time 'normal': expected exponential, hyperexponential:CV2 or uniform-log
  [2]
  $ tori paper rfold --service uniform-log
  tori: paper rfold: takes no --service
  [2]
  $ tori paper isomorphic --model cubic
  tori: paper isomorphic: takes no --model
  [2]
  $ tori paper isomorphic --seeds 1
  tori: --seeds: '1' is not a whole number from 2 to 20
  [2]

Slices of a torus: the same seed gives the same bytes.

  $ tori paper slices --seeds 2 --limit 3 -j 1 > 1; tori paper slices --seeds 2 --limit 3 -j 3 | cmp - 1; sed -n '/^What it costs/,$p' 1
  What it costs a 16x16x16 slice to be a box again after a failure:

  where                       node   nodes lost  of the slice, %  printed, %
  corner                      0,0,0         256              6.2         6.2
  face                        0,8,8         256              6.2         6.2
  interior                    4,8,8        1280             31.2        31.2
  centre                      8,8,8        2048             50.0        50.0
  any: mean                                 648             15.8
  any, cubes behind switches                 64              1.6

  A node of a job fails. How many jobs go on with as many nodes (each line
  includes those above it; the last one is of another machine):

  jobs         the job goes on                  failures   rescued  printed
  2 to 6 jobs  the same shape elsewhere                3  2.5 ±6.4
  2 to 6 jobs  or rotated                              3  2.5 ±6.4
  2 to 6 jobs  or wrapping                             3  2.5 ±6.4
  ...
  95 % busy    cubes behind switches: repaired         3  0.5 ±6.4

  A pod of 144 cubes of 64 nodes, of which 130 are healthy with a confidence of
  95 %, so a cube is healthy with 0.9347. How many slices of a size it can
  promise at once with 95 %, with switches and as a fixed torus of 4x6x6 cubes:

  cubes  slice     of 130 cubes     switched  of the pod, %  not switched
      1  4x4x4              130  129.5 ±19.1             90   129.5 ±19.1
      2  4x4x8               65    64.5 ±6.4             90    64.0 ±12.7
      4  4x8x8               32    32.0 ±0.0             89     27.5 ±6.4
  ...
    128  16x16x32             1     1.0 ±0.0             89      0.0 ±0.0
  $ tori paper slices --seeds 2 --limit 3 --seed 2 | cmp -s - 1
  [1]
  $ tori paper slices --seeds 2 --limit 3 --json | grep -o '"\(capacity\|losses\|rescues\|promises\)":' | wc -l
  4
  $ tori paper slices --model cubic
  tori: paper slices: takes no --model
  [2]

The queue tree: Table 1 as printed, and every part of the study.

  $ tori paper queue-tree --limit 40 --seeds 2 | grep -e '^Table 1' -e '^load' -e '^cost' -e '^sizes'
  Table 1, Figure 3      cells                                                     48                         48 the same                                                reproduced
  Table 1, as the nodes bring it about: 48 of 48 cells as printed
  load, %  gang, powers  fcfs, powers  easy, powers  gang, small  gang, uniform  gang, single
  load, %  powers  small  uniform  single
  load, %  machine          powers          small       uniform        single
  load, %  scheduler  response  wait      slowdown   p99  fairness  largest/least
  sizes    scheduler  response  wait      slowdown   p99  fairness  largest/least
  load, %  scheduler      1      2     4      8     16     32     64
  load, %  branch       utilization  response    slowdown  fairness
  cost, % of a slot  utilization  response    slowdown  switches a turn
  load, %  sizes    jobs/s   root  busiest  average  root per job  busiest per job  busiest's time, %
  sizes    degree   asked for, %        held, %  response    slowdown  hops   most  busiest link
  sizes    degree  used by threads, %  busy, of held, %  DHC does more from
  $ tori paper queue-tree --limit 1
  tori: too few jobs to measure: 1
  [2]
  $ tori paper queue-tree --limit 20 --json | grep -o '"seeds":[0-9]*'
  "seeds":5
  $ tori paper --help | grep -o 'queue-tree 5'
  queue-tree 5
  $ tori paper queue-tree --limit 40 --seeds 2 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["table1_same"], len(d["points"]), sorted({p["part"] for p in d["points"]}))'
  48 155 ['branches', 'degrees', 'drains', 'loads', 'machines', 'scale', 'switches']
  $ tori paper queue-tree --limit 40 --seeds 2 --out tree > /dev/null; ls tree; head -1 tree/points.csv | cut -d, -f1-12; wc -l < tree/points.csv
  costs.csv
  messages.pdf
  messages.svg
  partitions.csv
  points.csv
  slowdown.pdf
  slowdown.svg
  threads.csv
  utilization.pdf
  utilization.svg
  verdicts.csv
  part,machine,processors,sizes,who,load,sched,branch,switch_cost,slot,offered,utilization
  156

A paper that is interrupted leaves nothing, not even a directory for it.

  $ timeout 1 tori paper latency --limit 1000000000 --out figures > /dev/null; echo $?; test -e figures || echo nothing
  124
  nothing

Preemptive plans: rounding up never gains, numbers that need not divide the
side cost no more, and threads do not matter.

  $ tori paper preemptive --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(len(d["rounding"]), all(0 <= r["any"] <= r["divisors"] <= r["divisors_most"] for r in d["rounding"]))'
  10 True
  $ tori paper preemptive -j 1 > 1; tori paper preemptive -j 3 | cmp - 1

Plans with contention: the length that the paper prints without them is that of
the shortest plan without shared links. One thread or three, the same bytes.

  $ tori paper contention --seeds 2 --limit 1 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(*(l["length"] for l in d["lengths"]))'
  10.75 10.0 9.25 9.5 6.0
  $ tori paper contention --seeds 3 --limit 100 -j 1 --out plans > 1; tori paper contention --seeds 3 --limit 100 -j 3 | cmp - 1
  $ ls -A plans; head -n 3 plans/gaps.csv
  example.csv
  few.csv
  gaps.csv
  lengths.csv
  verdicts.csv
  what,jobs,largest,search,steps,set,gap,mean
  "50, dimensions 1 to 8",50,8,no search,0,0,0.415163,0.453461
  "50, dimensions 1 to 8",50,8,no search,0,1,0.474426,0.453461
  $ for n in 4 8 16; do tori paper contention --jobs $n --seeds 2 --limit 50 --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(*((r["jobs"], r["proved"]) for r in d["few"]))'; done
  (4, 2) (4, 2) (4, 2) (4, 2)
  (8, 0) (8, 0) (8, 0) (8, 0)
  (16, 0) (16, 0) (16, 0) (16, 0)
  $ tori paper contention --traces .
  tori: paper contention: takes no --traces
  [2]
  $ tori paper contention --jobs 17
  tori: --jobs: '17' is not a whole number from 1 to 16
  [2]
  $ tori paper dilation --jobs 8
  tori: paper dilation: takes no --jobs
  [2]
