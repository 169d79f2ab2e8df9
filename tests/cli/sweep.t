Every combination is a cell, and is kept.

  $ tori sweep --machine torus:4x4x4 --jobs 200 --sched fcfs,easy --load 0.5:0.9:0.4 --seeds 2 --out d
  scene     policy    response, s  vs the first, %        wait, s          slowdown  utilization, %    distance
  load 0.5  fcfs    29666 ±169883         0.0 ±0.0  25065 ±169594   653.97 ±4263.87       39.3 ±5.5  1.58 ±0.07
  load 0.5  easy        6518 ±306     -72.4 ±159.2      1917 ±594      31.16 ±52.31      44.3 ±47.0  1.58 ±0.07
  load 0.9  fcfs    56326 ±159895         0.0 ±0.0  51725 ±159606  1360.43 ±3760.70       44.4 ±6.4  1.58 ±0.07
  load 0.9  easy       9387 ±8894      -82.2 ±66.4     4786 ±9182     73.06 ±282.81      58.7 ±59.0  1.58 ±0.07

  shortest response at load 0.5: no clear difference
  shortest response at load 0.9: easy, 82.2 % ± 66.4 % shorter than fcfs

  shortest wait at load 0.5: easy, 89.2 % ± 75.5 % shorter than fcfs
  shortest wait at load 0.9: easy, 89.8 % ± 49.2 % shorter than fcfs

  lowest bounded slowdown at load 0.5: easy, 93.1 % ± 53.0 % lower than fcfs
  lowest bounded slowdown at load 0.9: easy, 94.0 % ± 37.4 % lower than fcfs

  highest utilization at load 0.5: no clear difference
  highest utilization at load 0.9: no clear difference

  shortest distances at load 0.5: no clear difference
  shortest distances at load 0.9: no clear difference

  5 of 8 simulations are saturated: the queue grew over the run or was never short again, so waits tell how long the run is
    load 0.5 fcfs: 2 of 2
    load 0.9 fcfs: 2 of 2
    load 0.9 easy: 1 of 2

  8 cells in d: cells.csv, cells.jsonl
  $ ls d
  cells.csv
  cells.jsonl
  sweep.json
  $ wc -l < d/cells.csv
  9
  $ cut -d, -f 1,3-5,13,14 d/cells.csv | head -4
  machine,model,jobs,sched,procs_per_node,load
  torus:4x4x4,lublin,200,fcfs,1,0.5
  torus:4x4x4,lublin,200,fcfs,1,0.5
  torus:4x4x4,lublin,200,easy,1,0.5
  $ tori sweep --machine torus:4x4x4 --jobs 200 --sched fcfs,easy --load 0.5:0.9:0.4 --seeds 2 --out d --json | tr '{' '\n' | grep -c '"scene"'
  4

  $ tori sweep --machine torus:4x4x4 --jobs 200 --out p --part 2/3 --seeds 4
  part 2 of 3: 1 of 4 cells are done
  $ tori sweep --machine torus:4x4x4 --jobs 200 --out p --part 2/3 --seeds 4 --json
  {"cells":1,"left_out":0}
  $ tori sweep --machine torus:4x4x4 --jobs 200 --out q --merge p --seeds 4
  tori: --merge: 3 of 4 cells are missing; the first: seed 1
  [2]
  $ tori sweep --machine torus:4x4x4 --jobs 200 --out p --part 4/3
  tori: --part: expected I/N with I from 1 to N, such as 3/8, not '4/3'
  [2]
  $ tori sweep --machine torus:4x4x4 --jobs 200
  tori: --out DIR is missing; see 'tori sweep --help'
  [2]
  $ tori sweep --machine torus:4x4x4 --out /dev/null/x
  tori: /dev/null/x: Not a directory
  [1]
  $ tori sweep --machine torus:4x4x4 --load 0.1:0.9:0.000000001 --out x
  tori: --load: more than 10000 values
  [2]
  $ tori sweep --machine torus:4x4x4 --model lublin --options "--wrap --moves" --sched fcfs,easy --out "it's" --slurm 8
  #!/bin/sh
  #SBATCH --job-name=tori-sweep
  #SBATCH --array=1-8
  #SBATCH --cpus-per-task=1
  # sbatch SCRIPT runs the parts. When they have ended, sh SCRIPT writes
  # cells.jsonl and cells.csv, and prints the table. If some were killed,
  # either runs what is missing.
  part=${SLURM_ARRAY_TASK_ID:+$SLURM_ARRAY_TASK_ID/8}
  exec tori sweep \
      --model 'lublin' \
      --machine 'torus:4x4x4' \
      --sched 'fcfs,easy' \
      --options '--wrap --moves' \
      --out 'it'\''s' \
      --seed 1 --seeds 1 \
      ${part:+--part "$part"} -j "${SLURM_CPUS_PER_TASK:-1}"

Figures are drawn of the whole sweep (figures.t).

  $ tori sweep --machine torus:4x4x4 --jobs 50 --sched fcfs,easy --load 0.5,0.9 --out f > table
  $ tori sweep --machine torus:4x4x4 --jobs 50 --load 0.5,0.9 --out f --part 1/2 --pdf f/x.pdf
  tori: --svg and --pdf draw the whole sweep, and --part and --slurm run parts of it
  [2]
  $ tori sweep --machine torus:4x4x4 --jobs 50 --load 0.5,0.9 --out f --svg - --json
  tori: only one of --svg, --pdf and --json can go to standard output
  [2]
  $ tori sweep --machine torus:4x4x4,mesh:4x4x4 --load 0.5,0.9 --out f --svg f/x.svg
  tori: --svg and --pdf draw over the load or another number: they need several values of one, and a single value of everything else that is not a policy
  [2]

Simulations run elsewhere; python.py has MPI and Dask.

  $ tori sweep --machine torus:4x4x4 --jobs 50 --out f --executor slurm -j 3 | grep array
  #SBATCH --array=1-3
  $ tori sweep --machine torus:4x4x4 --jobs 50 --out f --executor slurm --part 1/2
  tori: --executor slurm has no effect with --part or --merge
  [2]
  $ tori sweep --machine torus:4x4x4 --jobs 50 --out f --executor dask
  tori: --executor: 'dask' is not one of processes, mpi, dask:ADDRESS, slurm
  [2]
  $ tori sweep --machine torus:4x4x4 --jobs 50 --seeds 2 --out g --executor processes | tail -1
  2 cells in g: cells.csv, cells.jsonl
