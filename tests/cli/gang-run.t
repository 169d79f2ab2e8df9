What 'tori gang run', 'submit' and 'pipe' take. Processes run in gang_run.py.

  $ tori help gang run
  Usage: tori gang run [OPTION]...

  Run real processes, time-shared in gangs, under mpirun.

  Each rank is a processor and hosts the nodes of the tree whose partitions begin
  with it. The processes of a job are stopped and continued together, and what a
  job leaves behind is killed when it ends, or by the next run if all of a run
  were killed at once. A process finds TORI_JOB, TORI_RANK, TORI_SIZE and
  TORI_PARTITION in its environment. What processes print comes in whole lines;
  one of more than 1 MiB comes in parts of that size, between which there may be
  others. An interrupt (SIGINT or SIGTERM, of mpirun or of a rank) kills the jobs
  and ends the run in order. The report is an object with the ranks, the slot,
  the jobs, the switches and how well they went (microseconds: skew between
  processors, late after they were due, cost of one). Of a job it says id,
  program, count of processes, partition, and in seconds since the start of the
  run submit (it came), start (it was placed), first_turn (it first ran) and
  finish; further turns (slots it was given), cpu (seconds of processor time),
  sleeps (how often it left its queue) and status. See doc/gang.md.

  Options:
    --jobs FILE             a job a line: [-n COUNT] [-t SECONDS] [--] PROGRAM
                            [ARGUMENT...] ['|' [-n COUNT] PROGRAM ...]; COUNT
                            processes, 1 if not given, that come SECONDS after
                            the start of the run; - is standard input
    --listen PATH           a socket for 'tori gang submit'; the run goes on
                            until 'tori gang stop' or an interrupt ends it
    --slot TIME             how long a turn is, such as 100ms or 0.1s; a plain
                            number is seconds (default 100ms)
    --machine KIND:SIZES    how the processors are arranged, one a rank; a line
                            if not given
    --degree N              how many parts a partition is split into (default 2)
    --branch NAME           which branch a new job goes to: lightest, lowest,
                            round-robin (default lightest)
    --freeze HOW            how processes are stopped: by a control group of
                            their own, or by signals; auto takes signals where
                            groups cannot be made, cgroup fails there: auto,
                            cgroup, signal (default auto)
    --turns WHEN            gang: all processors of a job switch together; for
                            comparison, local: each at a time of its own; none:
                            nobody is stopped: gang, local, none (default gang)
    --sleepers WHAT         leave: a job whose processes all sleep leaves its
                            queue, and comes back when one wakes up; keep: it has
                            its turns: leave, keep (default leave)
    --label                 JOB.PROCESS in front of every line that is printed
    --report FILE           what became of the jobs, and how well they were
                            switched, as JSON; an old one is removed before the
                            first job begins, the new one appears at the end; -
                            is standard output, but not with --jobs, whose output
                            is there
    -h, --help              print this help

  Exit status:
    0  every job of the file ended with 0, or there was no file
    1  a job of the file failed or was killed, or the run was
    2  bad usage or bad input
    4  a job is larger than the machine

  Examples:
    mpirun -n 8 tori gang run --slot 100ms --jobs jobs.txt
    mpirun -n 8 tori gang run --listen gang.sock
  $ tori help gang submit
  Usage: tori gang submit [OPTION]... JOB...

  Have a job run by a run that listens.

  Prints what the job prints and returns its exit status: the first that is not
  0, 128 and the signal for a process that was killed. What it reads goes to the
  job's first process. The job runs in the present directory and environment.
  Interrupting it kills the job. Of a job 126 is a program that cannot be run,
  127 one that is not found, 128 and n a process killed by signal n; 137 also if
  the run was stopped or lost a rank of the job. If a status is this command's
  own, standard error says why in a line that begins with 'tori: ', or see
  --own-status (bad options are 2 in any case).

  Operands:
    JOB                     [-n COUNT] [-t SECONDS] [--] PROGRAM [ARGUMENT...];
                            COUNT processes, 1 if not given, that come in
                            SECONDS, at once if not given

  Options:
    --socket PATH           where the run listens; $TORI_GANG_SOCKET if not given
    --own-status N          return N where this command itself would return 1, 2
                            or 4, to tell that from the job's own status; 125 is
                            customary
    -h, --help              print this help

  Exit status:
    0  the job ended with 0; any status may be the job's own
    1  nobody listens, the run takes no jobs or has died
    2  bad usage or bad input
    4  larger than the machine, or what is left of it

  Examples:
    tori gang submit --socket gang.sock -n 4 -- ./program 100
  $ tori help gang pipe
  Usage: tori gang pipe [OPTION]... JOB...

  Have piped programs run side by side.

  The programs are one job: they share a partition, each in a part of its own,
  and all run at the same time. What the processes of a program print goes, line
  by line, into the first process of the next; what this command reads, into that
  of the first. A bar that a program is to have as a word is '\|', as this
  command gets it: of words that are backslashes and a bar, one backslash is
  taken away. Exit statuses are as of submit.

  Operands:
    JOB                     [-n COUNT] [-t SECONDS] [--] PROGRAM [ARGUMENT...]
                            '|' [-n COUNT] PROGRAM ...; as for submit

  Options:
    --socket PATH           where the run listens; $TORI_GANG_SOCKET if not given
    --own-status N          return N where this command itself would return 1, 2
                            or 4, to tell that from the job's own status; 125 is
                            customary
    -h, --help              print this help

  Exit status:
    0  the job ended with 0; any status may be the job's own
    1  nobody listens, the run takes no jobs or has died
    2  bad usage or bad input
    4  larger than the machine, or what is left of it

  Examples:
    tori gang pipe --socket gang.sock -n 4 ./produce \| -n 2 ./consume
  $ tori help gang status
  Usage: tori gang status [OPTION]...

  Tell what a run that listens does.

  A line for the machine: its processors, those that are dead, those that do not
  answer (silent), the slot, and within what time every job that does not sleep
  has a turn. Then a row a job that has not ended: its number, its state and for
  how long, its age since it came, how long it waited for its first turn, turns
  so far, processes, partition, command, and why it does not run now. It is
  waiting without a partition, ready in its queue, running in its turn, asleep
  out of its queue, ending, or unknown if the rank does not answer that would
  know. With --json an object with all of it, times in seconds since the start of
  the run; its members are in doc/gang.md.

  Options:
    --socket PATH           where the run listens; $TORI_GANG_SOCKET if not given
    --json                  print JSON
    -h, --help              print this help

  Exit status:
    0  the run has answered
    1  nobody listens, or the run does not answer
    2  bad usage or bad input

  Examples:
    tori gang status --socket gang.sock
    tori gang status --socket gang.sock --json
  $ tori help gang stop
  Usage: tori gang stop [OPTION]...

  End a run that listens.

  The run takes no more jobs and ends with the last that it has, those included
  that are yet to come by their -t. This command returns when it has ended: its
  socket is gone and its report written. Interrupting this command leaves the run
  stopping; a second one with --now does not wait for the jobs any longer.

  Options:
    --socket PATH           where the run listens; $TORI_GANG_SOCKET if not given
    --now                   kill the jobs instead of waiting for them
    -h, --help              print this help

  Exit status:
    0  the run has ended
    1  nobody listens, or the run was killed
    2  bad usage or bad input

  Examples:
    tori gang stop --socket gang.sock
    tori gang stop --socket gang.sock --now
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
  tori: --report: standard output has what the jobs print; expected a file
  [2]
  $ tori gang run --jobs jobs --slot 1us
  tori: --slot: '1us' is not from 1ms to 3600s
  [2]
  $ tori gang run --jobs jobs --slot 2h
  tori: --slot: '2h' is not a time such as 100ms or 0.1s
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
  tori: unknown option '-m' of a job: expected -n COUNT or -t SECONDS, then the program
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
  tori: the present directory, where the job is to run: No such file or directory
  [1]
