Options that contradict each other.

  $ echo '1 0 -1 10 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' > one.swf
  $ tori sim
  tori: --machine KIND:SIZES is missing; see 'tori sim --help'
  [2]
  $ tori sim --machine mesh:4 --trace one.swf --model lublin
  tori: --trace and --model exclude each other
  [2]
  $ tori sim --machine mesh:4 --trace one.swf --jobs 5
  tori: --jobs is for a model; a log has --limit
  [2]
  $ tori sim --machine mesh:4 --torus-fraction 1/2
  tori: --torus-fraction is for --wiring torus
  [2]
  $ tori sim --machine mesh:4 --alloc row-ff --wiring mesh
  tori: --wiring is for boxes, and these jobs are counts
  [2]
  $ tori sim --machine mesh:4 --alloc row-ff --shapes fat
  tori: --shapes fat: allocator row-ff takes no shape
  [2]
  $ tori sim --machine mesh:4 --alloc first-fit --shapes count
  tori: --shapes count: allocator first-fit takes no count
  [2]
  $ tori sim --machine mesh:4x4 --model cubic --alloc isomorphic --no-rotate
  tori: --no-rotate: a shape that is folded cannot be fixed
  [2]
  $ tori sim --machine mesh:4 --log - --json
  tori: only one of --log, --out-swf and --json can go to standard output
  [2]

Names that are not known.

  $ tori sim --machine mesh:4 --sched gang-of-four
  tori: --sched: 'gang-of-four' is not one of fcfs, backfill, easy, conservative...
  [2]
  $ tori sim --machine mesh:4 --order random
  tori: --order: 'random' is not one of submit, shortest, smallest, largest
  [2]
  $ tori sim --machine mesh:4 --model none-such
  tori: --model: 'none-such' is not one of ...lublin...
  [2]
  $ tori sim --machine mesh:4 --shapes round
  tori: --shapes: 'round' (did you mean 'count'?) is not one of count, first-match, fat, compact, as-given, none
  [2]
  $ tori sim --machine 4x4
  tori: unknown machine '4x4': expected mesh:, torus: or multitorus: and sizes such as 8x8x8 or 8^3, or pod:64/4x4x4
  [2]

Numbers out of range.

  $ tori sim --machine mesh:4 --jobs 0
  tori: --jobs: '0' is not a whole number from 1 to 2147483647
  [2]
  $ tori sim --machine mesh:4 --seed -1
  tori: --seed: '-1' is not a whole number from 0 to 9223372036854775807
  [2]
  $ tori sim --machine mesh:4 --scale 0
  tori: --scale: '0' is not above 0
  [2]
  $ tori sim --machine mesh:4 --procs-per-node 0
  tori: --procs-per-node: '0' is not a whole number from 1 to 2147483647
  [2]
  $ tori sim --machine mesh:4 --trace one.swf --limit 0
  tori: --limit: '0' is not a whole number from 1 to 9223372036854775807
  [2]
  $ tori sim --machine mesh:4 --trace one.swf --scale 9999999999999999999
  tori: --scale: '9999999999999999999' is not a number such as 2.5 or 5/2
  [2]

Logs that cannot be read.

  $ tori sim --machine mesh:4 --trace none-such.swf
  tori: none-such.swf: No such file or directory
  [1]
  $ mkdir folder; tori sim --machine mesh:4 --trace folder
  tori: folder: Is a directory
  [1]
  $ seq 1 2000 | gzip > text.gz
  $ tori sim --machine mesh:4 --trace text.gz
  tori: text.gz:1: expected 18 fields, found 1
  [2]
  $ for i in $(seq 500); do echo "$i 0 -1 10 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1"; done | gzip > many.gz
  $ head -c 500 many.gz > cut.gz; tori sim --machine mesh:4 --trace cut.gz
  tori: cut.gz: truncated gzip data
  [2]

Lines that are wrong.

  $ echo '1 0 -1 10 2' > f; tori sim --machine mesh:4 --trace f
  tori: f:1: expected 18 fields, found 5
  [2]
  $ (cat one.swf; echo '2 x -1 10 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1') > f; tori sim --machine mesh:4 --trace f
  tori: f:2: field 2 (submit time): expected -1 or a number from 0 to 9007199254740991, found 'x'
  [2]
  $ echo '1 -5 -1 10 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' > f; tori sim --machine mesh:4 --trace f
  tori: f:1: field 2 (submit time): expected -1 or a number from 0 to 9007199254740991, found '-5'
  [2]
  $ echo '1 0 -1 1e400 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1' > f; tori sim --machine mesh:4 --trace f
  tori: f:1: field 4 (run time): expected -1 or a number from 0 to 9007199254740991, found '1e400'
  [2]

What no job is made of may be anything, such as a status of -4, and there may be
more at the end of a line: but not strictly.

  $ printf '%s\n' '1 0 -1 10 2 -1 -1 -1 -1 -1 -4 u7 1 -1 -1 -1 -1 -1' '2 0 -5 10 2 -1 -1 -1 -1 -1 1 1 1 -1 -1 -1 -1 -1 7 x' > odd.swf
  $ tori sim --machine mesh:4 --trace odd.swf | grep jobs
  jobs run                 2
  jobs rejected            0
  jobs that can be placed  100.00 %
  $ tori sim --machine mesh:4 --trace odd.swf --strict
  tori: odd.swf:1: field 11 (status): expected -1 or a whole number from 0 to 9223372036854775807, found '-4'
  [2]
  $ sed 1d odd.swf | sed 's/-5/5/' | tori sim --machine mesh:4 --trace - --strict
  tori: -:1: expected 18 fields, found 20
  [2]
  $ tori sim --machine mesh:4 --trace one.swf --strict | grep jobs
  jobs run                 1
  jobs rejected            0
  jobs that can be placed  100.00 %
  $ tori sim --machine mesh:4 --model lublin --strict
  tori: --strict has no effect without --trace or --jobs-csv
  [2]

Lines without an end.

  $ (echo 1; yes 1 | tr -d '\n' | head -c 1000000000) | tori sim --machine mesh:4 --trace -
  tori: -:1: expected 18 fields, found 1
  [2]
  $ (cat one.swf; yes 1 | tr -d '\n' | head -c 1000000000) | tori sim --machine mesh:4 --trace -
  tori: -:2: line longer than 65536 bytes
  [2]

Outputs that cannot be written: told before the replay, or at the latest when
the disk is full, and nothing is left half-written.

  $ tori sim --machine mesh:4 --jobs 10 --log none/such
  tori: none/such: No such file or directory
  [1]
  $ tori sim --machine mesh:4 --jobs 10 --out-swf none/such
  tori: none/such: No such file or directory
  [1]
  $ tori sim --machine mesh:4 --jobs 10 --log folder
  tori: folder: Is a directory
  [1]
  $ tori sim --machine mesh:4 --jobs 10 --log ''
  tori: : No such file or directory
  [1]
  $ tori sim --machine mesh:4 --jobs 10000 --log /dev/full
  tori: /dev/full: No space left on device
  [1]
  $ tori sim --machine mesh:4 --jobs 10000 --out-swf /dev/full
  tori: /dev/full: No space left on device
  [1]
  $ tori sim --machine mesh:4 --jobs 10000 --log - > /dev/full
  tori: standard output: No space left on device
  [1]
  $ tori sim --machine mesh:4 --jobs 10 --json > /dev/full
  tori: standard output: No space left on device
  [1]
  $ echo before > log
  $ (ulimit -f 64; trap '' XFSZ; tori sim --machine mesh:4 --jobs 10000 --log log)
  tori: log: File too large
  [1]
  $ cat log; ls -a
  before
  .
  ..
  cut.gz
  f
  folder
  log
  many.gz
  odd.swf
  one.swf
  text.gz

Messages need a network.

  $ tori sim --machine mesh:4 --trace one.swf --pattern ring
  tori: --pattern, --rounds and --inject are for --network fluid
  [2]
  $ tori sim --machine mesh:4 --network fluid --inject 3/2
  tori: --inject: '3/2' is above 1
  [2]
  $ tori sim --machine mesh:4 --network fluid --inject 0.12345678901
  tori: --inject: the fraction needs numbers above 2^32
  [2]
  $ tori sim --machine mesh:4x4 --seeds 1
  tori: --seeds: '1' is not a whole number from 2 to 1000
  [2]
  $ tori sim --machine mesh:4x4 --seeds 2 --log -
  tori: --seeds: --log, --out-swf, --snapshot, --from and --timing are for one simulation
  [2]
  $ tori sim --machine mesh:4x4 -j 2
  tori: --workers is for --seeds
  [2]
  $ echo '1 0 0 1 1 -1 -1 1 1 -1 1 1 1 -1 -1 -1 -1 -1' > one.swf
  $ tori sim --machine mesh:4x4 --trace one.swf --seeds 2
  tori: --seeds: nothing in a log is random without --resample, --torus-fraction, --count-fraction, --network, --mtbf or --urgent
  [2]

A load of 90 is nearly always one of 90 %.

  $ tori sim --machine mesh:4x4 --load 90
  tori: --load: 90 is a load of 9000 %, and the most is 5; 90 % is 0.9
  [2]
  $ tori sim --machine mesh:4x4 --trace one.swf --load 11/2
  tori: --load: 5.5 is a load of 550 %, and the most is 5; 5.5 % is 0.055
  [2]
  $ tori decide --machine mesh:4x4 --allocs mm --load 80
  tori: --load: 80 is a load of 8000 %, and the most is 5; 80 % is 0.8
  [2]
  $ tori sim --machine mesh:4x4 --model lublin --jobs 50 --load 1.2 --json | bare | grep -o '"jobs":[0-9]*'
  "jobs":50
  $ tori sim --machine mesh:4x4 --model lublin --jobs 50 --load 5 --json | bare | grep -o '"jobs":[0-9]*'
  "jobs":50

A search that gives up ends a simulation, and the line names the job.

  $ (echo '7 0 -1 10 1 -1 -1 1 10 -1 1 1 1 -1 -1 -1 -1 -1'; echo '8 1 -1 10 20 -1 -1 20 10 -1 1 1 1 -1 -1 -1 -1 -1') > two.swf
  $ tori sim --machine mesh:8x8 --alloc exact --steps 1000 --trace two.swf
  tori: job 8, of 20 nodes: exact ...; gen-alg always answers; raise --steps
  [2]
  $ tori sim --machine mesh:8x8 --alloc exact --steps 1000 --trace two.swf --json 2>/dev/null
  {"reason":"gave-up","job":8,"nodes":20,"detail":"exact is for ..."}
  [2]
  $ tori sim --machine mesh:8x8 --alloc exact --steps 1000000 --trace two.swf --json
  {"reason":"gave-up","job":8,"nodes":20,"detail":"exact gave up after 1e+06 steps, its limit: ..."}
  tori: job 8, of 20 nodes: exact gave up after 1e+06 steps, ...; raise --steps
  [2]
  $ tori sim --machine mesh:8x8 --alloc exact --steps 1000 --model lublin --jobs 100 --seeds 2 --json
  tori: job ..., of ... nodes: exact ...; raise --steps
  [2]

A picture needs a terminal, and one simulation that has one.

  $ tori sim --machine mesh:4 --watch
  tori: --watch needs a terminal, for input and output
  [2]
  $ tori sim --machine mesh:4 --watch --seeds 2
  tori: --watch is for one simulation, not --seeds
  [2]
  $ tori sim --machine mesh:4 --watch --sched gang
  tori: --watch: jobs of gang have no nodes of their own
  [2]
  $ tori sim --machine mesh:4 --watch --log -
  tori: --watch draws on standard output: --log and --out-swf need a file
  [2]
  $ tori sim --machine mesh:4 --speed 1h
  tori: --speed has no effect without --watch
  [2]
  $ tori sim --machine mesh:4 --watch --speed 0
  tori: --speed: expected a time above 0, such as 1h, not '0'
  [2]
  $ tori sim --machine mesh:4 --watch --speed fast
  tori: --speed: 'fast' is not a time such as 90s, 1h20m, 1:20:30 or 2-12:00:00
  [2]

What cannot be folded.

  $ tori sim --machine mesh:4x4 --model cubic --jobs 10 --fold rings --no-rotate
  tori: --no-rotate: a shape that is folded cannot be fixed
  [2]
  $ tori sim --machine mesh:4x4 --model cubic --jobs 10 --fold rings --alloc etc
  tori: --fold: this allocator does not fold rings
  [2]
  $ tori sim --machine mesh:4x4 --model cubic --jobs 10 --fold rings --network fluid
  tori: --network fluid does not know where nodes of a folded job are
  [2]
  $ tori sim --machine mesh:4x4 --model cubic --jobs 10 --fold rings --sched gang
  tori: --fold: gang does not fold
  [2]
