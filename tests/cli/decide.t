Two rows of five nodes, counted along the rows, and jobs small enough to follow
by hand. From second 10 on the nodes 4, 5, 6 and 8, 9 are free: first fit takes
4 and 5 for job 4, five hops apart, best fit 8 and 9. Job 5 gets the other two.

  $ cat > five.swf <<END
  > 1  0 -1 100 4 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 2  0 -1  10 3 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 3  0 -1 100 1 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 4 10 -1 100 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > 5 11 -1 100 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1
  > END
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff,row-bf
  five.swf on mesh:2x5: fcfs, submit order, 5 jobs run, 0 rejected
  mean sum of pairwise distances of a job
  rows: the allocator that places the jobs; columns: the allocator that is asked

  situation  row-ff  row-bf
  row-ff        5.2     4.4
  row-bf        6.0     5.2
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-bf,row-ff --json
  {"situation":{"row-bf":{"row-bf":5.2,"row-ff":6.0},"row-ff":{"row-bf":4.4,"row-ff":5.2}},"jobs":5,"rejected":0}
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff --json
  {"situation":{"row-ff":{"row-ff":5.2}},"jobs":5,"rejected":0}

The diagonal is what tori sim measures.

  $ for a in row-ff row-bf; do tori sim --machine mesh:2x5 --trace five.swf --sched fcfs --alloc $a --json; done | grep -o '"pairwise":[^,]*'
  "pairwise":5.2
  "pairwise":5.2

The number of threads is no matter, nor is where the log comes from.

  $ tori decide --machine torus:4x4x4 --jobs 300 --load 0.9 --allocs mm,mc1x1,row-bf -j 1 --json > 1
  $ tori decide --machine torus:4x4x4 --jobs 300 --load 0.9 --allocs mm,mc1x1,row-bf -j 3 --json | cmp - 1
  $ gzip -c five.swf | tori decide --machine mesh:2x5 --trace - --allocs row-ff --json
  {"situation":{"row-ff":{"row-ff":5.2}},"jobs":5,"rejected":0}

Options of the workload, as in tori sim.

  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff --limit 2 --json
  {"situation":{"row-ff":{"row-ff":10.0}},"jobs":2,"rejected":0}
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff --scale 3 --json
  {"situation":{"row-ff":{"row-ff":38.5}},"jobs":4,"rejected":1}
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff --procs-per-node 4 --json
  {"situation":{"row-ff":{"row-ff":0.0}},"jobs":5,"rejected":0}
  $ printf '0,0\n' > down; tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff --down down --limit 1 --json
  {"situation":{"row-ff":{"row-ff":10.0}},"jobs":1,"rejected":0}
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff,row-bf --sched easy --order largest | head -n 1
  five.swf on mesh:2x5: easy, largest order, 5 jobs run, 0 rejected
  $ : > empty.swf; tori decide --machine mesh:2x5 --trace empty.swf --allocs row-ff,row-bf --json
  tori: empty.swf: none of 0 jobs ran, so there is nothing to compare
  [2]

A table, whose times have fractions; --strict; boxes that are down, and may wrap
around; and a search of a block of the log.

  $ cat > jobs.csv <<END
  > submit,run_time,nodes
  > 0,60,8
  > 0.25,1m30s,4
  > 2,30,99
  > END
  $ tori decide --machine mesh:4x4 --trace jobs.csv --allocs mm,hilbert-bf
  jobs.csv on mesh:4x4: fcfs, submit order, 2 jobs run, 1 rejected
  mean sum of pairwise distances of a job
  rows: the allocator that places the jobs; columns: the allocator that is asked

  situation     mm  hilbert-bf
  mm          32.0        33.0
  hilbert-bf  31.0        32.0
  $ sed '2s/ 1 1 1/-4 u7 1/' five.swf > odd.swf; tori decide --machine mesh:2x5 --trace odd.swf --allocs mm --strict
  tori: odd.swf:2: ...
  [2]
  $ printf '# two\n\n 7/2 # nodes\r\n' > down; tori decide --machine torus:8 --jobs 20 --allocs mm --down down
  tori: down:3: box 7/2 wraps around; --wrap allows it
  [2]
  $ tori decide --machine torus:8 --jobs 20 --allocs mm --down down --wrap --json | bare > 1
  $ gzip -c down | tori decide --machine torus:8 --jobs 20 --allocs mm --down - --wrap --json | bare | cmp - 1
  $ printf '7\n0\n' > nodes; tori decide --machine torus:8 --jobs 20 --allocs mm --down nodes --json | bare | cmp - 1
  $ tori decide --machine torus:8 --jobs 20 --allocs mm --down none-such
  tori: none-such: No such file or directory
  [1]
  $ for t in 1d 86400 1-0 1-0:00 24:00:00; do tori decide --machine torus:4x4 --jobs 300 --load 1/3 --resample $t --allocs mm,row-ff --json | bare | md5sum; done | uniq | wc -l
  1

Shapes are for mc, which goes around a box of them; row-ff takes the count.

  $ tori decide --machine mesh:2x5 --trace five.swf --allocs mc,row-ff --shapes compact --json
  {"situation":{"mc":{"mc":...,"row-ff":...},"row-ff":{"mc":...,"row-ff":5.2}},"jobs":5,"rejected":0}
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs mm,row-ff --shapes compact
  tori: --shapes: mm takes no shape; mc does
  [2]

A decision that is given up is left out, and said; one that places ends its
row. exact never has a larger sum than row-ff, over the same jobs.

  $ tori decide --machine mesh:6x6 --jobs 30 --load 0.9 --allocs row-ff,exact --steps 200000
  lublin on mesh:6x6: fcfs, submit order, 30 jobs run, 0 rejected
  mean sum of pairwise distances of a job
  rows: the allocator that places the jobs; columns: the allocator that is asked

  situation  row-ff  exact
  row-ff       90.9  87.9*
  exact           -      -

  row-ff places: exact gave up 4 of 30 jobs
  exact places: job 8, of 8 nodes: exact gave up after 2e+05 steps, its limit:
    the best 8 of 35 points found have a sum of 54, and proved is at least 40;
    gen-alg always answers
  * only over the jobs it did not give up, so it does not compare with the others
  in its row. The table below does: it has the jobs of each row that every
  allocator decided.

  situation  jobs  row-ff  exact
  row-ff       26    95.5   87.9
  exact         0       -      -
  $ tori decide --machine mesh:6x6 --jobs 30 --load 0.9 --allocs row-ff,exact --steps 200000 --json | python3 -c '
  > import json, sys
  > d = json.load(sys.stdin)
  > left, common = d["left_out"]["row-ff"]["exact"], d["common"]
  > row = common["situation"]["row-ff"]
  > print(d["situation"]["exact"], list(d["ended"]), d["left_out"].keys())
  > print(0 < left < 30, common["jobs"]["row-ff"] == 30 - left)
  > print(row["exact"] <= row["row-ff"], row["exact"] == d["situation"]["row-ff"]["exact"])'
  {'row-ff': None, 'exact': None} ['exact'] dict_keys(['row-ff'])
  True True
  True True
  $ tori decide --machine mesh:100x100 --allocs row-ff,exact --jobs 5 -j 1 | grep 'row-ff places'
  row-ff places: exact gave up ... of 5 jobs
  $ tori decide --machine mesh:100x100 --allocs exact --jobs 5
  tori: exact places: job 2, of 16 nodes: exact is for small instances...
  [2]
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff,mm --steps 9
  tori: --steps: row-ff has no use for it
  [2]

Machines and lists that are wrong.

  $ tori decide --machine pod:4/4x4 --model lublin --jobs 5
  tori: mm does not place slices on a pod: cube-first and cube-best do, and row-ff, row-bf and row-ss take counts
  [2]

  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff,none-such
  tori: --allocs: 'none-such' is not one of first-fit...
  [2]
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff,
  tori: --allocs: '' is not one of first-fit...
  [2]
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs ''
  tori: --allocs: '' is not one of first-fit...
  [2]
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff,first-fit
  tori: --allocs: first-fit takes no count; see 'tori list allocators'
  [2]
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff,mm,row-ff
  tori: --allocs: row-ff is given twice
  [2]
  $ tori decide --trace five.swf --allocs row-ff
  tori: --machine KIND:SIZES is missing; see 'tori decide --help'
  [2]
  $ tori decide --machine mesh:2x5 --trace five.swf --jobs 10 --allocs row-ff
  tori: --jobs is for a model; a log has --limit
  [2]
  $ tori decide --machine mesh:2x5 --trace none-such --allocs row-ff
  tori: none-such: No such file or directory
  [1]
  $ tori decide --machine mesh:2x5 --trace five.swf --allocs row-ff,mm --epsilon 1
  tori: --epsilon: row-ff has no use for it
  [2]

What is offered is taken.

  $ tori decide --help | grep -A1 'sched NAME'
    --sched NAME            the scheduler: fcfs, backfill, easy, conservative
                            (default fcfs)
