A sweep as a page.

  $ tori sweep --machine torus:4x4x4 --jobs 200 --sched fcfs,easy --load 0.5:0.9:0.4 --seeds 2 --out d | tail -1
  8 cells in d: cells.csv, cells.jsonl
  $ tori report nowhere
  tori: nowhere/sweep.json: No such file or directory; expected a folder of 'tori sweep'
  [2]
  $ tori report d --cell 9
  tori: --cell: there are 8 cells
  [2]
  $ mkdir half; cp d/sweep.json half; head -3 d/cells.jsonl > half/done.jsonl; tori report half
  tori: half: 5 of 8 cells are missing; run the sweep again, it goes on where it was
  [2]
  $ tori report d && grep -c '<title>tori report' d/report.html
  d/report.html
  1
  $ tori report d --cell 3 --out x.html --json
  {"report":"x.html","replayed":{"machine":"torus:4x4x4","strict":false,"model":"lublin","jobs":200,"sched":"easy","order":"submit","alloc":"first-fit","hypercube":"buddy","noncubic":"round-up","wiring":"none","shapes":"first-match","estimates":"exact","procs_per_node":1,"load":0.5,"seed":1,"no_rotate":false,"wrap":false,"moves":false,"network":"none","no_distance":false}}
