Table 1 of Bender et al. on whatever logs there are, and on a model. A log of 64
processors is scaled to the mesh of 256 nodes.

  $ mkdir logs
  $ awk 'BEGIN { print "; MaxProcs: 64"; for (i = 1; i <= 120; i++) print i, 7 * i, -1, 20 + i % 7 * 31, 1 + i * i % 23, -1, -1, -1, -1, -1, 1, 1, 1, -1, -1, -1, -1, -1 }' > logs/small.swf
  $ tori paper table1 --traces logs --limit 100
  Mean sum of pairwise distances of a job on a 16x16 mesh, first come, first
  served. A row is the allocator that places the jobs (the situation), a column
  the one that is asked at every start (the decision). Printed are the figures of
  the paper, whose log is the LLNL Cray T3D's: 21323 jobs, 256 processors. Sums
  depend on the sizes of a log's jobs; what compares is how the allocators rank.

  small.swf
  100 jobs, log of 64 processors, sizes x 256/64, utilization ... %

  ours         mc1x1      mm  mm+inc  hilbert-bf  printed     mc1x1    mm  mm+inc  hilbert-bf
  mc1x1...  mc1x1        5256  5218    5207        5432
  mm...  mm           5323  5288    5276        5531
  mm+inc...  mm+inc       5319  5281    5269        5495
  hilbert-bf...  hilbert-bf   5090  5059    5046        5207

  In every row the decisions rank as printed: mm+inc, mm, mc1x1, hilbert-bf.
  In every column the situations rank hilbert-bf, mm+inc, mm, mc1x1; printed is
  hilbert-bf, mc1x1, mm+inc, mm.
  The diagonal ranks mm+inc, hilbert-bf, mm, mc1x1; printed is hilbert-bf, mc1x1,
  mm+inc, mm.

  the model of Lublin and Feitelson for 256 nodes
  100 jobs, utilization ... %

  ours         mc1x1      mm  mm+inc  hilbert-bf  printed     mc1x1    mm  mm+inc  hilbert-bf
  mc1x1...  mc1x1        5256  5218    5207        5432
  mm...  mm           5323  5288    5276        5531
  mm+inc...  mm+inc       5319  5281    5269        5495
  hilbert-bf...  hilbert-bf   5090  5059    5046        5207

  In every row the decisions rank as printed: mm+inc, mm, mc1x1, hilbert-bf.
  In no column the situations rank as printed, hilbert-bf, mc1x1, mm+inc, mm,
  but:
    column mc1x1: mm, hilbert-bf, mc1x1, mm+inc
    column mm: mm, hilbert-bf, mc1x1, mm+inc
    column mm+inc: mm, hilbert-bf, mc1x1, mm+inc
    column hilbert-bf: mm, hilbert-bf, mm+inc, mc1x1
  The diagonal ranks mm, mm+inc, mc1x1, hilbert-bf; printed is hilbert-bf, mc1x1,
  mm+inc, mm.
  $ tori paper table1 --traces logs --limit 100 -j 1 --out csv | md5sum > 1; tori paper table1 --traces logs --limit 100 -j 3 | md5sum | cmp - 1
  $ head -n 3 csv/table1.csv; wc -l < csv/table1.csv
  jobs of,situation,decision,pairwise,printed
  small.swf,mc1x1,mc1x1,...,5256
  small.swf,mc1x1,mm,...,5218
  33
  $ tori paper table1 --traces logs --limit 10 --json | python3 -c '
  > import json, sys
  > data = json.load (sys.stdin)
  > print (data["printed"]["situation"]["mm"]["hilbert-bf"], data["printed"]["diagonal"])
  > for run in data["runs"]:
  >     print (run["jobs_of"], run["jobs"], run["log_procs"], run["scale"], *run["situation"])'
  5531.0 ['hilbert-bf', 'mc1x1', 'mm+inc', 'mm']
  small.swf 10 64 4.0 mc1x1 mm mm+inc hilbert-bf
  the model of Lublin and Feitelson for 256 nodes 10 0 1.0 mc1x1 mm mm+inc hilbert-bf

Logs in any order of the folder, packed or not; other files are not looked at.

  $ gzip -c logs/small.swf > logs/packed.swf.gz; echo no log > logs/README
  $ tori paper table1 --traces logs --limit 5 | grep '^[a-z].*swf'
  packed.swf.gz
  small.swf

Single logs, under any name, and several places, in the order given.

  $ cp logs/small.swf other.log
  $ tori paper table1 --traces other.log --limit 5 | grep -e '^[a-z].*swf' -e '^other'
  other.log
  $ tori paper table1 --traces other.log --traces logs --limit 5 | grep -e '^[a-z].*swf' -e '^other'
  other.log
  packed.swf.gz
  small.swf
  $ tori paper table1 --traces logs --traces none.swf --limit 5 | grep -e '^[a-z].*swf' -e left
  none.swf is not there, and left out.
  packed.swf.gz
  small.swf
  $ tori paper table1 --traces logs --traces none.swf --limit 5 --json | grep -o '"left_out":[^]]*'
  "left_out":["none.swf"
  $ tori paper table1 --traces logs --model lublin
  tori: paper table1: takes no --model
  [2]

Where none is named it is $TORI_TRACES, and then the folder of the user's data.

  $ mkdir -p .local/share/tori/traces data/tori/traces
  $ cp logs/small.swf .local/share/tori/traces/home.swf; cp logs/small.swf data/tori/traces/data.swf
  $ TORI_TRACES=logs tori paper table1 --limit 5 | grep '^[a-z].*swf'
  packed.swf.gz
  small.swf
  $ TORI_TRACES=nowhere tori paper table1 --limit 5 | grep '^[a-z].*swf'
  home.swf
  $ TORI_TRACES= XDG_DATA_HOME=$PWD/data tori paper table1 --limit 5 | grep '^[a-z].*swf'
  data.swf

No logs at all, and folders and logs that are none.

  $ mkdir empty; tori paper table1 --traces empty --limit 5 | sed -n '/^No/,/^5 jobs/p'
  No job logs are in empty; the Parallel Workloads Archive
  (https://www.cs.huji.ac.il/labs/parallel/workload/) has some, and --traces says
  where they are.

  the model of Lublin and Feitelson for 256 nodes
  5 jobs, utilization ... %
  $ tori paper table1 --traces nowhere --limit 5 | sed -n '/^No/,/^5 jobs/p'
  No job logs are in nowhere; the Parallel Workloads Archive
  (https://www.cs.huji.ac.il/labs/parallel/workload/) has some, and --traces says
  where they are.

  the model of Lublin and Feitelson for 256 nodes
  5 jobs, utilization ... %
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
