What 'tori gang run', 'submit' and 'pipe' take. Processes run in gang_run.py.

  $ for command in run submit pipe status stop; do tori help gang $command | sed -n '1p; 3p'; done
  Usage: tori gang run [OPTION]...
  Run real processes, time-shared in gangs, under mpirun.
  Usage: tori gang submit [OPTION]... JOB...
  Submit a job to a listening run.
  Usage: tori gang pipe [OPTION]... JOB...
  Submit programs connected by pipes.
  Usage: tori gang status [OPTION]...
  Show the state of a listening run.
  Usage: tori gang stop [OPTION]...
  End a listening run.
  $ tori gang status --socket nowhere --json
  tori: nowhere: No such file or directory
  [1]
  $ tori gang stop --socket nowhere
  tori: nowhere: No such file or directory
  [1]
  $ tori gang run
  tori: one of --jobs and --listen is needed
  [2]
  $ tori gang run --jobs jobs --slot 0.0009
  tori: --slot: '0.0009' is not from 1ms to 3600s
  [2]
  $ tori gang run --jobs jobs --slot 3601
  tori: --slot: '3601' is not from 1ms to 3600s
  [2]
  $ tori gang run --jobs jobs --report -
  tori: --report: the jobs print to standard output; expected a file
  [2]
  $ tori gang run --jobs jobs --slot 1us
  tori: --slot: '1us' is not from 1ms to 3600s
  [2]
  $ tori gang run --jobs jobs --slot 2h
  tori: --slot: '2h' is not from 1ms to 3600s
  [2]
  $ tori gang run --jobs jobs --freeze thaw
  tori: --freeze: 'thaw' is not one of auto, cgroup, signal
  [2]
  $ tori gang run --jobs jobs --branch heaviest
  tori: --branch: 'heaviest' is not one of lightest, lowest, round-robin
  [2]

Everything behind the first word that is no option belongs to the job.

  $ tori gang submit --socket nowhere -n 2 -- true --socket x
  tori: nowhere: No such file or directory
  [1]
  $ tori gang submit --socket nowhere echo --help
  tori: nowhere: No such file or directory
  [1]
  $ tori gang submit --sock nowhere echo
  tori: unknown option '--sock'; see 'tori gang submit --help'
  [2]
  $ TORI_GANG_SOCKET= tori gang submit true
  tori: --socket PATH is missing, and TORI_GANG_SOCKET is not set
  [2]
  $ tori gang submit --socket nowhere -n 0 true
  tori: -n: '0' is not a whole number from 1 to 1048576
  [2]
  $ tori gang submit --socket nowhere -n 2
  tori: a job without a program: expected -n COUNT PROGRAM [ARGUMENT...]
  [2]
  $ tori gang submit --socket nowhere -m 2 true
  tori: unknown option '-m' of a job; see 'tori help gang submit'
  [2]
  $ tori gang submit --socket nowhere
  tori: JOB is missing; see 'tori gang submit --help'
  [2]
  $ tori gang pipe --socket nowhere -n 4 yes \| -n 2
  tori: a job without a program: expected -n COUNT PROGRAM [ARGUMENT...]
  [2]
  $ tori gang pipe --socket nowhere -n 4 yes \| -t 2 cat
  tori: -t belongs in front of the first program
  [2]
  $ tori gang pipe --socket nowhere -n 4 yes \| -n 2 cat
  tori: nowhere: No such file or directory
  [1]

A bar is a word of submit's, and none of pipe's; a job has to know where it is.

  $ tori gang submit --socket nowhere '|'
  tori: nowhere: No such file or directory
  [1]
  $ tori gang pipe --socket nowhere '|'
  tori: a job without a program: expected -n COUNT PROGRAM [ARGUMENT...]
  [2]
  $ tori gang pipe --socket nowhere '\|'
  tori: nowhere: No such file or directory
  [1]
  $ mkdir gone && cd gone && rmdir ../gone && tori gang submit --socket nowhere pwd
  tori: the current directory, where the job is to run: No such file or directory
  [1]
