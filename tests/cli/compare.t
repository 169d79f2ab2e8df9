Policies on the same jobs. The first is what the others are compared with.

  $ tori compare --machine torus:4x4x4 --jobs 300 --sched fcfs,easy --load 0.5,0.9
  scene     policy   response, s  vs the first, %       wait, s         slowdown  utilization, %    distance
  load 0.5  fcfs    50159 ±26205         0.0 ±0.0  46239 ±25994  1367.93 ±818.92       36.5 ±6.5  1.56 ±0.02
  load 0.5  easy      6695 ±1029       -84.6 ±7.8    2775 ±1133     67.70 ±39.99       43.3 ±3.4  1.56 ±0.02
  load 0.9  fcfs    92178 ±21819         0.0 ±0.0  88258 ±21490  2618.33 ±739.37       39.2 ±6.8  1.56 ±0.02
  load 0.9  easy     11795 ±6465       -87.5 ±4.4    7875 ±6517   191.29 ±229.37       56.2 ±6.3  1.56 ±0.02

  shortest response at load 0.5: easy, 84.6 % ± 7.8 % shorter than fcfs
  shortest response at load 0.9: easy, 87.5 % ± 4.4 % shorter than fcfs

  shortest wait at load 0.5: easy, 93.1 % ± 3.6 % shorter than fcfs
  shortest wait at load 0.9: easy, 91.4 % ± 5.2 % shorter than fcfs

  lowest bounded slowdown at load 0.5: easy, 94.5 % ± 2.7 % lower than fcfs
  lowest bounded slowdown at load 0.9: easy, 93.5 % ± 5.9 % lower than fcfs

  highest utilization at load 0.5: easy, 19.8 % ± 12.8 % higher than fcfs
  highest utilization at load 0.9: easy, 44.3 % ± 12.6 % higher than fcfs

  shortest distances at load 0.5: no clear difference
  shortest distances at load 0.9: no clear difference

  11 of 20 simulations are saturated: the queue grew over the run or was never short again, so waits tell how long the run is
    load 0.5 fcfs: 3 of 5
    load 0.9 fcfs: 5 of 5
    load 0.9 easy: 3 of 5
  $ tori compare --machine torus:4x4x4 --jobs 300 --sched fcfs,easy --load 0.9 --seeds 2 --json
  {"cells":4,"left_out":0,"standings":[{"scene":"","policy":"fcfs","seeds":2,"jobs_run":600,"saturated":2,"rejected":0,"killed":0,"compared":600,"accepted":0.900000000001705,"response":{"mean":91894.66288169,"half_interval":133753.48097517,"difference":0.0,"difference_half":0.0},"wait":{"mean":87423.402730805,"half_interval":128276.637139341,"difference":0.0,"difference_half":0.0},"bounded_slowdown":{"mean":2533.79585046846,"half_interval":2428.92819491036,"difference":0.0,"difference_half":0.0},"utilization":{"mean":0.415471896936034,"half_interval":0.759437688921045,"difference":0.0,"difference_half":0.0},"average":{"mean":1.56343319047118,"half_interval":0.183317553617999,"difference":0.0,"difference_half":0.0}},{"scene":"","policy":"easy","seeds":2,"jobs_run":600,"saturated":2,"rejected":0,"killed":0,"compared":600,"accepted":0.900000000001705,"response":{"mean":10462.9241626583,"half_interval":14419.6953551121,"difference":-0.88319484034674,"difference_half":0.326926408046948},"wait":{"mean":5991.66401177334,"half_interval":19896.5391909414,"difference":-0.928441156839896,"difference_half":0.332586767854734},"bounded_slowdown":{"mean":111.350858845299,"half_interval":113.102100051394,"difference":-0.955535612427678,"difference_half":0.0872615308192056},"utilization":{"mean":0.583974028121324,"half_interval":0.77333552833386,"difference":0.413752008389572,"difference_half":0.722843185880367},"average":{"mean":1.56343319047118,"half_interval":0.183317553617999,"difference":0.0,"difference_half":0.0}}]}

One policy, one seed: a table without intervals.

  $ tori compare --machine mesh:8x8 --jobs 200 --seeds 1
  response, s  wait, s  slowdown  utilization, %  distance
         9165     4587     64.30            52.5      2.23

  1 of 1 simulations are saturated: the queue grew over the run or was never short again, so waits tell how long the run is

What makes no sense together is left out; what makes none alone is refused.

  $ tori compare --machine torus:4x4x4 --jobs 100 --wiring torus --alloc first-fit,mm --seeds 1
  tori: left out: mm: --wiring is for boxes, and these jobs are counts
  policy     response, s  vs the first, %  wait, s  slowdown  utilization, %  distance
  first-fit         6956              0.0     2007     25.99            40.9      1.55


  1 of 1 simulations are saturated: the queue grew over the run or was never short again, so waits tell how long the run is

  left out: mm: --wiring is for boxes, and these jobs are counts
  $ tori compare --machine torus:4x4x4 --jobs 100 --sched fcfs,easy --depth 2,4 --seeds 1
  tori: left out: fcfs depth 2 and 1 more: fcfs plans no starts: it has no depth
  policy        response, s  vs the first, %  wait, s  slowdown  utilization, %  distance
  easy depth 2         6783              0.0     1834     27.91            40.9      1.55
  easy depth 4         6817              0.5     1868     27.92            40.9      1.55

  shortest response: easy depth 2, 0.5 % (no interval) shorter than easy depth 4
  shortest wait: easy depth 2, 1.8 % (no interval) shorter than easy depth 4
  lowest bounded slowdown: no difference
  highest utilization: no difference
  shortest distances: no difference

  one simulation of each: verdicts have no interval, so differences may be chance; --seeds 5 has intervals

  2 of 2 simulations are saturated: the queue grew over the run or was never short again, so waits tell how long the run is
    easy depth 2: 1 of 1
    easy depth 4: 1 of 1

  left out: fcfs depth 2 and 1 more: fcfs plans no starts: it has no depth
  $ tori compare --machine torus:4x4x4 --jobs 100 --alloc first-fit,mm,gen-alg,mc1x1,hilbert-bf,snake-bf,row-bf --seeds 1 | grep wait:
  shortest wait: mm, 27.8 % (no interval) shorter than first-fit; the same: gen-alg, mc1x1, hilbert-bf, snake-bf and 1 more
  $ tori compare --machine torus:8x8x6 --alloc first-fit,cube-best,mm --jobs 20 --seeds 1 | grep -v : | grep .
  tori: left out: cube-best: cube-best places slices on a pod, and this machine is not a pod
  policy     response, s  vs the first, %  wait, s  slowdown  utilization, %  distance
  first-fit         5526              0.0        0      1.00            43.3      2.86
  mm                5526              0.0        0      1.00            43.3      2.74
  $ tori compare --machine torus:8x8x6 --alloc cube-best,cube-first
  tori: cube-best places slices on a pod, and this machine is not a pod
  [2]
  $ tori compare --machine torus:4x4x4 --alloc first-fit,fist-fit 2>&1 | cut -c 1-60
  tori: --alloc: 'fist-fit' (did you mean 'first-fit'?) is not
  $ tori compare --machine torus:4x4x4 --options --help
  tori: --options: --help is for 'tori sim' itself
  [2]
  $ tori compare --machine torus:4x4x4 --jobs 100 --wiring torus --alloc mm
  tori: --wiring is for boxes, and these jobs are counts
  [2]
  $ tori compare --machine torus:4x4x4 --sched fcfs,esay
  tori: --sched: 'esay' (did you mean 'easy'?) is not one of fcfs, backfill, easy, conservative, gang
  [2]
  $ tori compare --machine torus:4x4x4 --sched fcfs,fcfs
  tori: --sched: 'fcfs' is given twice
  [2]
  $ tori compare --machine torus:4x4x4 --sched fcfs,
  tori: --sched: expected values with commas between them
  [2]
  $ tori compare --machine torus:4x4x4 --load 0.9:0.5:0.1
  tori: --load: expected FROM:TO:STEP, such as 0.2:1.0:0.1
  [2]
  $ tori compare --machine '' --sched fcfs
  tori: --machine: expected values with commas between them
  [2]
  $ tori compare --jobs 20 --sched fcfs,easy --load 0.9 --json | grep -o '"machine":"[^"]*"' | sort -u
  "machine":"torus:8x8x8"
  $ tori compare --machine torus:4x4x4 --options '--log x'
  tori: --options: --log, --out-swf, --snapshot, --from, --timing, --watch, --seeds, --workers and --json are for one simulation
  [2]
  $ tori compare --machine torus:4x4x4 --options '--nonsense'
  tori: unknown option '--nonsense'; see 'tori sim --help'
  [2]
  $ tori compare --machine torus:4x4x4 --sched fcfs,easy --jobs 100 --svg x.svg
  tori: --svg and --pdf draw over the load or another number: they need several values of one, and a single value of everything else that is not a policy
  [2]
  $ tori compare --machine torus:4x4x4 --load 0.5,0.9 --jobs 100 --measure wait
  tori: --measure has no effect without --svg or --pdf
  [2]

A log has nothing random. It is not overwritten.

  $ printf '; MaxProcs: 64\n1 0 -1 100 8 -1 -1 8 100 -1 1 1 1 -1 1 -1 -1 -1\n2 5 -1 50 60 -1 -1 60 60 -1 1 1 1 -1 1 -1 -1 -1\n' > log.swf
  $ tori compare --machine torus:4x4x4 --trace log.swf --sched fcfs,easy
  policy  response, s  vs the first, %  wait, s  slowdown  utilization, %  distance
  fcfs            122              0.0       48      1.95            39.6      2.38
  easy            122              0.0       48      1.95            39.6      2.38

  shortest response: no difference
  shortest wait: no difference
  lowest bounded slowdown: no difference
  highest utilization: no difference
  shortest distances: no difference

  one simulation of each: verdicts have no interval, so differences may be chance; --resample 7d has intervals
  $ tori compare --machine torus:4x4x4 --trace log.swf --seeds 3
  tori: --seeds: nothing in a log is random without --resample, --torus-fraction, --count-fraction, --network, --mtbf or --urgent
  [2]
  $ ln -s log.swf x.svg; tori compare --machine torus:4x4x4 --trace log.swf --load 0.5,0.9 --svg x.svg
  tori: --svg and --trace are the same file, which would be overwritten
  [2]
  $ tori compare --machine torus:4x4x4 --trace log.swf --csv log.swf
  tori: --trace and --csv are the same file, which would be overwritten
  [2]
  $ tori compare --machine torus:4x4x4 --trace - --sched fcfs,easy < log.swf
  tori: --trace: every simulation reads the log, and standard input can be read only once
  [2]
  $ tori compare --machine torus:4x4x4 --trace log.swf >> log.swf
  tori: --trace and standard output are the same file, which would be overwritten
  [2]
  $ tori sweep --machine torus:4x4x4 --trace log.swf --out d >> log.swf
  tori: --trace and standard output are the same file, which would be overwritten
  [2]
  $ tori compare --machine torus:4x4x4 --trace log.swf --alloc first-fit,mm --csv - --json
  tori: only one of --csv, --svg, --pdf, --html and --json can go to standard output
  [2]
  $ tori compare --machine torus:4x4x4 --trace log.swf --alloc first-fit,mm --csv cells.csv > /dev/null
  $ cut -d, -f 1-8 cells.csv
  machine,trace,strict,sched,order,alloc,hypercube,noncubic
  torus:4x4x4,log.swf,false,easy,submit,first-fit,buddy,round-up
  torus:4x4x4,log.swf,false,easy,submit,mm,buddy,round-up

Jobs that have a shape in a table keep it, or not.

  $ printf '%s\n' submit,run_time,estimate,shape,count 0,10,10,1x4, 1,10,10,,4 2,10,10,,5 3,10,10,2x2, > both.csv
  $ tori compare --machine mesh:4x4 --trace both.csv --alloc first-fit,mm | grep 'a shape'
  2 of 4 jobs have a shape in the log, and ask for a number of nodes; '--shapes as-given' keeps the shapes
  $ echo 4,10,10,9x9, >> both.csv; tori compare --machine mesh:4x4 --trace both.csv --sched fcfs,easy | head -3
  policy  response, s  vs the first, %  wait, s  slowdown  utilization, %  distance  jobs run  rejected  compared
  fcfs             12              0.0        2      1.20            50.6      1.52         4         1         4
  easy             12              0.0        2      1.20            50.6      1.52         4         1         4

Other options are those of a simulation.

  $ tori compare --machine mesh:8x8 --load 0.9 --or none,boxes --patience 1h --jobs 60 --seeds 2 2>&1 | sed -n '1,3s/  .*//p'
  policy
  or none
  or boxes
  $ tori compare --machine torus:4x4x4 --jobs 300 --load 0.9 --seeds 2 --shapes compact --or none,boxes,both --json | grep -o '"policy":"[^"]*"' | sort -u
  "policy":"or both"
  "policy":"or boxes"
  "policy":"or none"
  $ tori compare --machine mesh:4 --options --watch
  tori: --options: --log, --out-swf, --snapshot, --from, --timing, --watch, --seeds, --workers and --json are for one simulation
  [2]
  $ tori compare --machine mesh:8x8 --jobs 300 --sched fcfs,easy --load 0.3,1.2 --seeds 2 --csv cells.csv --json | grep -oE '"(scene|policy|saturated)":[^,]*'
  "scene":"load 0.3"
  "policy":"fcfs"
  "saturated":1
  "scene":"load 0.3"
  "policy":"easy"
  "scene":"load 1.2"
  "policy":"fcfs"
  "saturated":2
  "scene":"load 1.2"
  "policy":"easy"
  "saturated":2
  $ head -1 cells.csv | tr , '\n' | grep -n saturated
  58:saturated

A wait of a group that is missing has a reason.

  $ printf '1 0 -1 10 2 -1 -1 2 10 -1 1 1 1 -1 1 -1 -1 -1\n2 0 -1 10 32 -1 -1 32 10 -1 1 2 1 -1 1 -1 -1 -1\n' > two.swf
  $ tori compare --machine mesh:4x4 --trace two.swf --sched fcfs,easy --by user | sed -n '/jobs of/,/missing/p'
  jobs of  policy  jobs run  rejected  wait, s  vs the first, s  vs the first, %  slowdown
  1        fcfs           1         0        0                0              0.0      1.00
  1        easy           1         0        0                0              0.0      1.00
  2        fcfs           0         1
  2        easy           0         1

  a wait is missing where no jobs of the group ran to their end, or none that all policies ran
