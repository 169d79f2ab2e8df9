The comparison that `make run` shows. The multi-torus does for tori what the
torus does for meshes.

  $ tori demo --jobs 1000
  Utilization by 1000 jobs of the model of Lublin and Feitelson, offered load 90 %:

  machine           jobs          fcfs  backfill    easy  wait under easy
  torus:8x8x8       all mesh    56.9 %    78.8 %  81.4 %            5.7 h
  torus:8x8x8       half torus  49.3 %    69.6 %  69.8 %            7.1 h
  torus:8x8x8       all torus   45.5 %    57.5 %  58.6 %           10.3 h
  multitorus:8x8x8  all torus   56.9 %    78.8 %  81.4 %            5.7 h
  $ tori demo --jobs 200 --load 1/2 --json | tr '}' '\n' | grep -c '"offered":0.5'
  12
  $ tori demo --jobs 0
  tori: --jobs: '0' is not a whole number from 1 to 2147483647
  [2]
  $ tori demo --load 0
  tori: --load: '0' is not above 0
  [2]
  $ tori demo > /dev/full
  tori: standard output: No space left on device
  [1]
