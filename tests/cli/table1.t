Table 1 of Bender et al. on whatever logs there are, and on a model. A log of 64
processors is scaled to the mesh of 256 nodes.

  $ mkdir logs
  $ awk 'BEGIN { print "; MaxProcs: 64"; for (i = 1; i <= 120; i++) print i, 7 * i, -1, 20 + i % 7 * 31, 1 + i * i % 23, -1, -1, -1, -1, -1, 1, 1, 1, -1, -1, -1, -1, -1 }' > logs/small.swf
  $ tori paper table1 --traces logs --limit 100
  where              published value                                       printed                        ours                                   verdict
  Table 1            sums of distances                                     5046 to 5531                   -                                      cannot be compared: its log is not available to us
  Table 1, rows      decisions                                             mm+inc, mm, mc1x1, hilbert-bf  sure in 4 of 12 pairs, otherwise in 0  cannot be compared: intervals hold 0
  Table 1, columns   the best situations                                   hilbert-bf                     sure in 0 of 4 pairs, otherwise in 0   cannot be compared: intervals hold 0
  Table 1, columns   the order of the others                               mc1x1, mm+inc, mm              sure in 0 of 8 pairs, otherwise in 0   cannot be compared: intervals hold 0
  Table 1, diagonal  all jobs, as the logs are                             hilbert-bf, mc1x1, mm+inc, mm  sure in 0 of 6 pairs, otherwise in 0   cannot be compared: intervals hold 0
  Table 1, diagonal  powers of two of 32 or more: hilbert-bf before mc1x1  5207 and 5256                  sure in 1 of 2 pairs, otherwise in 0   cannot be compared: intervals hold 0
  Table 1, diagonal  the same: mc1x1 before mm+inc                         5256 and 5269                  sure in 0 of 2 pairs, otherwise in 0   cannot be compared: intervals hold 0
  Table 1, diagonal  the same: mm+inc before mm                            5269 and 5288                  sure in 0 of 2 pairs, otherwise in 0   cannot be compared: intervals hold 0

  Mean sum of pairwise distances of a job on a 16x16 mesh, first come, first
  served. A row is the allocator that places the jobs (the situation), a column
  the one that is asked at every start (the decision). Printed are the figures of
  the paper, whose log is the LLNL Cray T3D's: 21323 jobs, 256 processors. Sums
  depend on the sizes of a log's jobs; what compares is how the allocators rank.

  printed

  situation   mc1x1    mm  mm+inc  hilbert-bf
  mc1x1        5256  5218    5207        5432
  mm           5323  5288    5276        5531
  mm+inc       5319  5281    5269        5495
  hilbert-bf   5090  5059    5046        5207

  small.swf
  100 jobs, log of 64 processors, sizes x 256/64, utilization 86.1 %

  situation    mc1x1      mm  mm+inc  hilbert-bf
  mc1x1       6545.4  6456.0  6448.3      6933.7
  mm          6515.1  6441.5  6431.5      6922.9
  mm+inc      6338.4  6240.2  6230.8      6869.3
  hilbert-bf  6044.8  5973.6  5965.8      6267.1

  line      of          best first                     printed                        the same
  row       mc1x1       mm+inc, mm, mc1x1, hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf       yes
  row       mm          mm+inc, mm, mc1x1, hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf       yes
  row       mm+inc      mm+inc, mm, mc1x1, hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf       yes
  row       hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf       yes
  column    mc1x1       hilbert-bf, mm+inc, mm, mc1x1  hilbert-bf, mc1x1, mm+inc, mm        no
  column    mm          hilbert-bf, mm+inc, mm, mc1x1  hilbert-bf, mc1x1, mm+inc, mm        no
  column    mm+inc      hilbert-bf, mm+inc, mm, mc1x1  hilbert-bf, mc1x1, mm+inc, mm        no
  column    hilbert-bf  hilbert-bf, mm+inc, mm, mc1x1  hilbert-bf, mc1x1, mm+inc, mm        no
  diagonal              mm+inc, hilbert-bf, mm, mc1x1  hilbert-bf, mc1x1, mm+inc, mm        no

  the model of Lublin and Feitelson for 256 nodes
  100 jobs, utilization 49.6 %

  situation    mc1x1      mm  mm+inc  hilbert-bf
  mc1x1       9394.2  9285.1  9269.0      9869.8
  mm          9332.2  9222.2  9206.5      9526.0
  mm+inc      9443.0  9351.1  9335.5      9621.2
  hilbert-bf  9377.6  9271.9  9261.6      9619.8

  line      of          best first                     printed                        the same
  row       mc1x1       mm+inc, mm, mc1x1, hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf       yes
  row       mm          mm+inc, mm, mc1x1, hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf       yes
  row       mm+inc      mm+inc, mm, mc1x1, hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf       yes
  row       hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf  mm+inc, mm, mc1x1, hilbert-bf       yes
  column    mc1x1       mm, hilbert-bf, mc1x1, mm+inc  hilbert-bf, mc1x1, mm+inc, mm        no
  column    mm          mm, hilbert-bf, mc1x1, mm+inc  hilbert-bf, mc1x1, mm+inc, mm        no
  column    mm+inc      mm, hilbert-bf, mc1x1, mm+inc  hilbert-bf, mc1x1, mm+inc, mm        no
  column    hilbert-bf  mm, hilbert-bf, mm+inc, mc1x1  hilbert-bf, mc1x1, mm+inc, mm        no
  diagonal              mm, mm+inc, mc1x1, hilbert-bf  hilbert-bf, mc1x1, mm+inc, mm        no

  The diagonal, where each allocator lives with its own decisions: as above;
  under EASY at an offered load of 0.9; with sizes rounded to the nearest powers
  of two; with jobs of at least 32 nodes only; and with both. Beside the sums,
  the hops between two nodes of a job, on average.

  jobs of    case                jobs  sum: mc1x1       mm   mm+inc  hilbert-bf  hops: mc1x1    mm  mm+inc  hilbert-bf
  small.swf  as above             100      6545.4   6441.5   6230.8      6267.1         5.35  5.33    5.13        4.93
  small.swf  EASY, load 0.9       100      6617.6   6212.2   6248.0      6222.0         5.42  5.44    5.45        5.16
  small.swf  powers of two        100      6170.6   5970.2   5756.0      5884.8         5.21  5.12    5.13        4.89
  small.swf  32 nodes or more      62     10767.3  10956.8  10624.3     11400.6         6.50  6.54    6.57        6.74
  small.swf  powers, 32 or more    72      9389.0   9162.6   9021.1      8733.3         6.52  6.20    6.14        5.63
  the model  as above             100      9394.2   9222.2   9335.5      9619.8         3.33  3.11    3.37        3.09
  the model  EASY, load 0.9       100      9366.1   9246.6   9255.7      9566.9         3.27  3.53    3.37        3.27
  the model  powers of two        100     10981.9  10944.3  10987.0     11062.1         3.12  3.05    2.98        3.06
  the model  32 nodes or more     100     58024.2  58453.1  58214.6     58506.6         6.17  6.29    6.31        6.25
  the model  powers, 32 or more   100     58050.5  58317.5  58441.3     57522.6         6.16  6.24    6.37        5.81

  case                workloads  ranks as printed  hilbert-bf first by sums  by hops
  as above                    2                 0                         0        2
  EASY, load 0.9              2                 0                         0        2
  powers of two               2                 0                         0        1
  32 nodes or more            2                 0                         0        0
  powers, 32 or more          2                 0                         2        2

  How sure the first and the last case are: what an allocator pays more than the
  next of the printed order, with 95 % intervals over 5 parts of a log, one after
  the other, or 5 seeds of the model. An interval that holds 0 decides nothing: =
  stands between two allocators that are not told apart, in the printed order.
  With fewer jobs, the sums above may rank such allocators otherwise.

  jobs of    case                parts  mc1x1 over hilbert-bf, %  mm+inc over mc1x1, %  mm over mm+inc, %  best first
  small.swf  as above                5               3.66 ±14.63           -1.80 ±6.85         1.78 ±5.84  hilbert-bf = mc1x1 = mm+inc = mm
  the model  as above                5               -0.17 ±3.43           -0.78 ±2.36         1.19 ±4.08  hilbert-bf = mc1x1 = mm+inc = mm
  small.swf  powers, 32 or more      5                4.17 ±8.35            4.99 ±9.74         1.11 ±2.85  hilbert-bf = mc1x1 = mm+inc = mm
  the model  powers, 32 or more      5                2.45 ±2.33            0.86 ±0.92        -0.40 ±0.96  hilbert-bf, mc1x1 = mm+inc = mm
  $ tori paper table1 --traces logs --limit 100 -j 1 --out csv | md5sum > 1; tori paper table1 --traces logs --limit 100 -j 3 | md5sum | cmp - 1
  $ head -n 3 csv/table1.csv; wc -l < csv/table1.csv
  jobs_of,situation,decision,pairwise,printed
  small.swf,mc1x1,mc1x1,6545.400000,5256.000000
  small.swf,mc1x1,mm,6455.960000,5218.000000
  33
  $ tori paper table1 --traces logs --limit 10 --json | python3 -c '
  > import json, sys
  > data = json.load (sys.stdin)
  > print (*(e["printed"] for e in data["table"][4:8]))
  > print (next (r["printed"] for r in data["rankings"] if r["line"] == "diagonal"))
  > for run in data["runs"]:
  >     print (run["jobs_of"], run["jobs"], run["log_procs"], run["scale"])'
  5323.0 5288.0 5276.0 5531.0
  hilbert-bf, mc1x1, mm+inc, mm
  small.swf 10 64 4.0
  the model of Lublin and Feitelson for 256 nodes 10 0 1.0

The verdict on an order follows from the intervals.

  $ mkdir bare; for seed in 16 18; do tori paper table1 --traces bare --limit 200 --seed $seed | sed -n '5p; 9p'; done
  Table 1, columns   the order of the others                               mc1x1, mm+inc, mm              sure in 4 of 8 pairs, otherwise in 4    differs: some surely rank otherwise
  Table 1, diagonal  the same: mm+inc before mm                            5269 and 5288                  sure in 1 of 1 pairs, otherwise in 0    reproduced
  Table 1, columns   the order of the others                               mc1x1, mm+inc, mm              sure in 8 of 8 pairs, otherwise in 0    reproduced
  Table 1, diagonal  the same: mm+inc before mm                            5269 and 5288                  sure in 0 of 1 pairs, otherwise in 0    cannot be compared: intervals hold 0

The diagonal in other cases: a log whose jobs are all small has no diagonal for
32 nodes or more. The averages are those of tori sim.

  $ mkdir small
  $ sed 's/64$/256/' logs/small.swf > small/tiny.swf
  $ tori paper table1 --traces small --limit 100 | sed -n '/^jobs of/,$p'
  jobs of    case                jobs  sum: mc1x1       mm   mm+inc  hilbert-bf  hops: mc1x1    mm  mm+inc  hilbert-bf
  tiny.swf   as above             100       140.7    135.4    134.4       153.4         2.10  2.00    1.98        2.20
  tiny.swf   EASY, load 0.9       100       204.4    192.9    189.2       197.2         2.69  2.49    2.46        2.64
  tiny.swf   powers of two        100       133.7    129.3    126.7       147.3         2.00  1.93    1.91        2.14
  tiny.swf   32 nodes or more       0
  tiny.swf   powers, 32 or more     0
  the model  as above             100      9394.2   9222.2   9335.5      9619.8         3.33  3.11    3.37        3.09
  the model  EASY, load 0.9       100      9366.1   9246.6   9255.7      9566.9         3.27  3.53    3.37        3.27
  the model  powers of two        100     10981.9  10944.3  10987.0     11062.1         3.12  3.05    2.98        3.06
  the model  32 nodes or more     100     58024.2  58453.1  58214.6     58506.6         6.17  6.29    6.31        6.25
  the model  powers, 32 or more   100     58050.5  58317.5  58441.3     57522.6         6.16  6.24    6.37        5.81

  case                workloads  ranks as printed  hilbert-bf first by sums  by hops
  as above                    2                 0                         0        1
  EASY, load 0.9              2                 0                         0        1
  powers of two               2                 0                         0        0
  32 nodes or more            1                 0                         0        0
  powers, 32 or more          1                 0                         1        1

  How sure the first and the last case are: what an allocator pays more than the
  next of the printed order, with 95 % intervals over 5 parts of a log, one after
  the other, or 5 seeds of the model. An interval that holds 0 decides nothing: =
  stands between two allocators that are not told apart, in the printed order.
  With fewer jobs, the sums above may rank such allocators otherwise.

  jobs of    case                parts  mc1x1 over hilbert-bf, %  mm+inc over mc1x1, %  mm over mm+inc, %  best first
  tiny.swf   as above                5               -8.13 ±4.46           -3.67 ±0.56         0.69 ±0.25  mm+inc, mm, mc1x1, hilbert-bf
  the model  as above                5               -0.17 ±3.43           -0.78 ±2.36         1.19 ±4.08  hilbert-bf = mc1x1 = mm+inc = mm
  the model  powers, 32 or more      5                2.45 ±2.33            0.86 ±0.92        -0.40 ±0.96  hilbert-bf, mc1x1 = mm+inc = mm
  $ tori paper table1 --traces small --limit 100 --out csv --json | python3 -c '
  > import json, sys
  > for d in json.load (sys.stdin)["diagonals"][5:]:
  >     print (d["case"], d["jobs"], "%.2f" % d["hops_mm"], d["ranking"], d["ranking_by_hops"])'
  as above 100 3.11 mm, mm+inc, mc1x1, hilbert-bf hilbert-bf, mm, mc1x1, mm+inc
  EASY, load 0.9 100 3.53 mm, mm+inc, mc1x1, hilbert-bf hilbert-bf, mc1x1, mm+inc, mm
  powers of two 100 3.05 mm, mc1x1, mm+inc, hilbert-bf mm+inc, mm, hilbert-bf, mc1x1
  32 nodes or more 100 6.29 mc1x1, mm+inc, mm, hilbert-bf mc1x1, hilbert-bf, mm, mm+inc
  powers, 32 or more 100 6.24 hilbert-bf, mc1x1, mm, mm+inc hilbert-bf, mc1x1, mm, mm+inc
  $ tori sim --machine mesh:16x16 --model lublin --jobs 100 --sched easy --load 0.9 --alloc mm --json | grep -o '"average":[0-9]*\...'
  "average":3.53
  $ head -n 3 csv/diagonal.csv
  jobs_of,short,case,sched,jobs,sum_mc1x1,sum_mm,sum_mm+inc,sum_hilbert-bf,hops_mc1x1,hops_mm,hops_mm+inc,hops_hilbert-bf,ranking,ranking_by_hops
  tiny.swf,tiny.swf,as above,fcfs,100,140.690000,135.400000,134.420000,153.430000,2.097912,1.996070,1.984928,2.204835,"mm+inc, mm, mc1x1, hilbert-bf","mm+inc, mm, mc1x1, hilbert-bf"
  tiny.swf,tiny.swf,"EASY, load 0.9",easy,100,204.370000,192.930000,189.220000,197.210000,2.688890,2.487544,2.461189,2.642152,"mm+inc, mm, hilbert-bf, mc1x1","mm+inc, mm, hilbert-bf, mc1x1"

Logs in any order of the folder, packed or not; other files are not looked at.

  $ gzip -c logs/small.swf > logs/packed.swf.gz; echo no log > logs/README
  $ tori paper table1 --traces logs --limit 5 | grep '^[a-z]*\.swf[.gz]*$'
  packed.swf.gz
  small.swf

Single logs, under any name, and several places, in the order given.

  $ cp logs/small.swf other.log
  $ tori paper table1 --traces other.log --limit 5 | grep -e '^[a-z]*\.swf[.gz]*$' -e '^other.log$'
  other.log
  $ tori paper table1 --traces other.log --traces logs --limit 5 | grep -e '^[a-z]*\.swf[.gz]*$' -e '^other.log$'
  other.log
  packed.swf.gz
  small.swf
  $ tori paper table1 --traces logs --traces none.swf --limit 5 | grep -e '^[a-z]*\.swf[.gz]*$' -e left
  none.swf does not exist and was left out.
  packed.swf.gz
  small.swf
  $ tori paper table1 --traces logs --traces none.swf --limit 5 --json | grep -o '"left_out":[^,]*'
  "left_out":"none.swf"
  $ tori paper table1 --traces logs --model lublin
  tori: paper table1: takes no --model
  [2]

Where none is named it is $TORI_TRACES, and then the folder of the user's data.

  $ mkdir -p .local/share/tori/traces data/tori/traces
  $ cp logs/small.swf .local/share/tori/traces/home.swf; cp logs/small.swf data/tori/traces/data.swf
  $ TORI_TRACES=logs tori paper table1 --limit 5 | grep '^[a-z]*\.swf[.gz]*$'
  packed.swf.gz
  small.swf
  $ TORI_TRACES=nowhere tori paper table1 --limit 5 | grep '^[a-z]*\.swf[.gz]*$'
  home.swf
  $ TORI_TRACES= XDG_DATA_HOME=$PWD/data tori paper table1 --limit 5 | grep '^[a-z]*\.swf[.gz]*$'
  data.swf

No logs at all, and folders and logs that are none.

  $ mkdir empty; tori paper table1 --traces empty --limit 5 | sed -n '/^No/,/^5 jobs/p'
  No job logs are in empty; the Parallel Workloads Archive
  (https://www.cs.huji.ac.il/labs/parallel/workload/) has some, and --traces says
  where they are.

  printed

  situation   mc1x1    mm  mm+inc  hilbert-bf
  mc1x1        5256  5218    5207        5432
  mm           5323  5288    5276        5531
  mm+inc       5319  5281    5269        5495
  hilbert-bf   5090  5059    5046        5207

  the model of Lublin and Feitelson for 256 nodes
  5 jobs, utilization 66.1 %
  $ tori paper table1 --traces nowhere --limit 5 | sed -n '/^No/,/^5 jobs/p'
  No job logs are in nowhere; the Parallel Workloads Archive
  (https://www.cs.huji.ac.il/labs/parallel/workload/) has some, and --traces says
  where they are.

  printed

  situation   mc1x1    mm  mm+inc  hilbert-bf
  mc1x1        5256  5218    5207        5432
  mm           5323  5288    5276        5531
  mm+inc       5319  5281    5269        5495
  hilbert-bf   5090  5059    5046        5207

  the model of Lublin and Feitelson for 256 nodes
  5 jobs, utilization 66.1 %
  $ echo 1 2 3 > logs/bad.swf; tori paper table1 --traces logs --limit 5
  tori: logs/bad.swf:1: expected 18 fields, found 3
  [2]
  $ sed '$s/.*/1 2 3/' logs/small.swf > logs/bad.swf; tori paper table1 --traces logs --out made
  tori: logs/bad.swf:...: expected 18 fields, found 3
  [2]

A log without jobs ranks nobody, nor does one whose jobs are all too large.

  $ grep '^;' logs/small.swf > logs/bad.swf; tori paper table1 --traces logs --limit 5 --json
  tori: logs/bad.swf: none of 0 jobs fits on 256 nodes, so there is nothing to compare
  [2]
  $ printf '%s\n' '1 0 -1 10 257 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' '2 9 -1 10 300 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' > logs/bad.swf
  $ tori paper table1 --traces logs --limit 5
  tori: logs/bad.swf: none of 2 jobs fits on 256 nodes, so there is nothing to compare
  [2]
  $ rm logs/bad.swf; tori paper table1 --traces logs --limit 5 --out none/such
  tori: none/such: No such file or directory
  [1]
