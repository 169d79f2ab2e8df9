All papers, some of them at the same time, in the order of the list.

  $ tori paper all --limit 2 --seeds 2 --traces none -j 4 > all
  tori: paper multitoroidal: neither ... is in none; the Parallel Workloads Archive ...
  tori: paper flow: NASA-iPSC-1993-3.1-cln.swf, plain or .gz, is not in none; ...
  tori: 2 of 17 papers are incomplete
  [1]
  $ tori paper list | grep '^[a-z]' > names; grep -x -F -f names all | cmp - names
