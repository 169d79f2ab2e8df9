Figures, and the scripts that draw them again; they need gnuplot.

  $ mkdir fig again; tori compare --machine torus:4x4x4 --sched fcfs,easy --jobs 100 --seeds 2 --load 0.5,0.9 --svg fig/a.svg --pdf fig/a.pdf > /dev/null; ls fig
  a.gp
  a.pdf
  a.svg
  $ cp fig/a.gp again; cd again; gnuplot a.gp; cmp a.svg ../fig/a.svg; grep -ac %PDF a.pdf; cd ..
  1
  $ sed -n '/^aside/,/^end/p; /^set o/p' fig/a.gp
  set offsets graph 0.03, graph 0.03, graph 0.03, 0
  aside = 0.4 # from one line to the next
  set key title 'Mean response, 95 % intervals of 2 seeds' noenhanced
  set xlabel 'offered load, %' noenhanced
  set ylabel 'response, h' noenhanced
  $data << end
  # x, y and half of the interval of fcfs, easy
  50 3.7866 2.96781 50 1.75402 0.315308
  90 7.42265 7.45 90 2.19843 0.294983
  end
  set output 'a.svg'
  set output 'a.pdf'
  set output
  $ tori compare --machine torus:4x4x4 --sched fcfs,easy --jobs 100 --seeds 1 --mtbf 100,200 --measure utilization --svg - | grep -oE '>(Utilization|mean time|utilization)[^<]*'
  >utilization, %
  >mean time to the next failure of a node, h
  >Utilization
  $ tori compare --machine torus:4x4x4 --sched fcfs,easy --jobs 100 --seeds 2 --load 0.5,0.9 --pdf - | head -c 5; echo
  %PDF-

Those of a sweep are of all of it, also if it is there already.

  $ tori sweep --machine torus:4x4x4 --jobs 50 --sched fcfs,easy --load 0.5,0.9 --out f > table
  $ tori sweep --machine torus:4x4x4 --jobs 50 --sched fcfs,easy --load 0.5,0.9 --out f --measure slowdown --pdf f/slowdown.pdf | cmp - table; ls f
  cells.csv
  cells.jsonl
  slowdown.gp
  slowdown.pdf
  sweep.json
  $ grep label f/slowdown.gp
  set xlabel 'offered load, %' noenhanced
  set ylabel 'bounded slowdown' noenhanced
