Figures; they need matplotlib.

  $ mkdir fig; tori compare --machine torus:4x4x4 --sched fcfs,easy --jobs 100 --seeds 2 --load 0.5,0.9 --svg fig/a.svg --pdf fig/a.pdf > /dev/null; ls fig
  a.pdf
  a.svg
  $ tori compare --machine torus:4x4x4 --sched fcfs,easy --jobs 100 --seeds 2 --load 0.5,0.9 --svg - -j 1 | cmp - fig/a.svg; grep -ac %PDF fig/a.pdf
  1
  $ grep -oE '>(Mean|offered|response|fcfs|easy)[^<]*' fig/a.svg
  >offered load, %
  >response, h
  >Mean response, 95 % intervals of 2 seeds
  >fcfs
  >easy
  $ tori compare --machine torus:4x4x4 --sched fcfs,easy --jobs 100 --seeds 1 --mtbf 100,200 --measure utilization --svg - | grep -oE '>(Utilization|mean time|utilization)[^<]*'
  >mean time to the next failure of a node, h
  >utilization, %
  >Utilization
  $ tori compare --machine torus:4x4x4 --sched fcfs,easy --jobs 100 --seeds 2 --load 0.5,0.9 --pdf - | head -c 5; echo
  %PDF-

Without it, that is said before anything is simulated.

  $ mkdir -p none/matplotlib; echo 'raise ImportError' > none/matplotlib/__init__.py
  $ PYTHONPATH=none tori compare --machine torus:4x4x4 --load 0.5,0.9 --jobs 100000000 --pdf b.pdf
  tori: matplotlib is missing (Debian: python3-matplotlib)
  [1]

Those of a sweep are of all of it, also if it is there already.

  $ tori sweep --machine torus:4x4x4 --jobs 50 --sched fcfs,easy --load 0.5,0.9 --out f > table
  $ tori sweep --machine torus:4x4x4 --jobs 50 --sched fcfs,easy --load 0.5,0.9 --out f --measure slowdown --svg f/slowdown.svg | cmp - table; ls f
  cells.csv
  cells.jsonl
  slowdown.svg
  sweep.json
  $ grep -oE '>(offered|bounded)[^<]*' f/slowdown.svg
  >offered load, %
  >bounded slowdown
