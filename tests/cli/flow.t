Flow times of Bender et al., by the network, with a model in place of the log.

  $ TORI_TRACES=nowhere tori paper flow --traces .
  tori: NASA-iPSC-1993-3.1-cln.swf, plain or .gz, is not in .; the Parallel Workloads Archive (https://www.cs.huji.ac.il/labs/parallel/workload/) has it, --traces says where it is, and --model lublin does without
  [1]
  $ mkdir empty; echo > empty/NASA-iPSC-1993-3.1-cln.swf; tori paper flow --traces empty
  tori: empty/NASA-iPSC-1993-3.1-cln.swf: none of 0 jobs fits on 32 nodes, so there is nothing to compare
  [2]
  $ tori paper flow --traces . --model lublin --limit 40 --out csv > page; sed -n 1,17p page
  where      published value                                   printed      ours           verdict
  Section 6  a case in which greedy is not the best over time  1 log        4 of 20 cases  reproduced
  Section 6  flow time: mc1x1, mm, greedy                      1 log        0 of 20 cases  differs: mesh, pattern and amount of messages are not given
  Section 6  hilbert-bf worse than all three                   1 log, much  2 of 20 cases  differs: our curve has no break on 4x8

  Mean flow time of a job, in seconds, on a 4x8 mesh, first come, first served:
  lublin, 40 jobs. A job ends when its messages are through (tori sim --network
  fluid). exact is the greedy placement of least pairwise distance at each step.
  Printed: mc1x1 was best, followed by mm, and then greedy; hilbert-bf was much
  worse than all three, in part due to difficulties using it on a nonsquare mesh.

  nodes send as much as a link carries
  messages    best first                    as printed   mc1x1      mm   exact  hilbert-bf
  all-to-all  hilbert-bf, mm, exact, mc1x1          no  8073.7  8000.6  8024.8      7474.4
  nbody       exact, hilbert-bf, mc1x1, mm          no  6928.0  7590.3  6505.5      6548.4
  random      hilbert-bf, exact, mc1x1, mm          no  5885.2  5959.6  5805.2      5618.8
  ring        exact, mc1x1, hilbert-bf, mm          no  6023.5  8420.6  5438.3      6275.9
  $ grep -A 5 '^jobs ' page
  jobs                        messages    flits  packets   cycles    fluid  apart, %  worst, %
  one job of 64 nodes         all-to-all     16       16   4903.0   3544.0     -27.7     -27.7
  one job of 64 nodes         all-to-all    128      128  45622.0  24152.0     -47.1     -47.1
  one job of 64 nodes         all-to-all    128       16  31857.0  24152.0     -24.2     -24.2
  one job of 64 nodes         nbody          16       16   1026.0   1028.0       0.2       0.2
  one job of 64 nodes         nbody         128      128   5058.0   5060.0       0.0       0.0
  $ head -n 3 csv/flow.csv; wc -l < csv/flow.csv; head -n 2 csv/flow-flits.csv; wc -l < csv/flow-flits.csv
  speed,inject,load,arrivals,pattern,rounds,alloc,flow,wait,stretch,utilization,ranking,as_printed
  1/1,1.000000,,as it is,all-to-all,1,mc1x1,8073.655597,2765.491292,1.200092,0.430607,"hilbert-bf, mm, exact, mc1x1",0
  1/1,1.000000,,as it is,all-to-all,1,mm,8000.592314,2532.830187,1.244581,0.394303,"hilbert-bf, mm, exact, mc1x1",0
  81
  jobs,pattern,flits,packet,cycles,fluid,apart,worst
  one job of 64 nodes,all-to-all,16,16,4903.000000,3544.000000,-0.277177,-0.277177
  46
  $ tori paper flow --traces . --model lublin --limit 40 -j 1 | cmp - page
  $ tori paper flow --traces . --model lublin --limit 20 --json | python3 -c '
  > import json, sys
  > data = json.load (sys.stdin)
  > print (data["jobs_of"], data["jobs"], data["printed"], len (data["runs"]), len (data["flits"]))
  > print (*data["runs"][0])
  > print (*data["flits"][0])
  > print (all (run["stretch"] >= 1 for run in data["runs"]))'
  lublin 20 ['mc1x1', 'mm', 'exact'] 80 45
  speed inject load arrivals pattern rounds alloc flow wait stretch utilization ranking as_printed
  jobs pattern flits packet cycles fluid apart worst
  True

A log by that name is the one that is taken.

  $ awk 'BEGIN { print "; MaxProcs: 128"; for (i = 1; i <= 60; i++) print i, 7 * i, -1, 20 + i % 7 * 31, 1 + i * i % 123, -1, -1, -1, -1, -1, 1, 1, 1, -1, -1, -1, -1, -1 }' > NASA-iPSC-1993-3.1-cln.swf
  $ tori paper flow --traces . | sed -n 1,11p
  where      published value                                   printed      ours            verdict
  Section 6  a case in which greedy is not the best over time  1 log        17 of 20 cases  reproduced
  Section 6  flow time: mc1x1, mm, greedy                      1 log        7 of 20 cases   differs: mesh, pattern and amount of messages are not given
  Section 6  hilbert-bf worse than all three                   1 log, much  14 of 20 cases  differs: our curve has no break on 4x8

  Mean flow time of a job, in seconds, on a 4x8 mesh, first come, first served:
  NASA-iPSC-1993-3.1-cln.swf, 60 jobs, sizes / 4. A job ends when its messages
  are through (tori sim --network fluid). exact is the greedy placement of least
  pairwise distance at each step. Printed: mc1x1 was best, followed by mm, and
  then greedy; hilbert-bf was much worse than all three, in part due to
  difficulties using it on a nonsquare mesh.
  $ mkdir logs; mv NASA-iPSC-1993-3.1-cln.swf logs; tori paper flow --traces . --traces logs/NASA-iPSC-1993-3.1-cln.swf | sed -n 7p
  NASA-iPSC-1993-3.1-cln.swf, 60 jobs, sizes / 4. A job ends when its messages
