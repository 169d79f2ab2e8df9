What 'tori gang run', 'submit' and 'pipe' take. Processes run in gang_run.py.

  $ tori help gang run
  Usage: tori gang run [OPTION]...

  Run real processes, time-shared in gangs, under mpirun.

  mpirun must be that of MPICH. Where Open MPI's is the default, MPICH's is
  called mpirun.mpich or mpiexec.hydra. Each rank is a processor and hosts the
  nodes of the tree whose partitions begin with it. The processes of a job are
  stopped and continued together. Processes that a job leaves behind are killed
  when it ends, or by the next run if the whole run was killed. A process finds
  TORI_JOB_ID, TORI_RANK, TORI_SIZE and TORI_PARTITION in its environment. Output
  is passed on in whole lines; a line longer than 1 MiB is split. See
  doc/gang.md.

  An interrupt (SIGINT or SIGTERM, to mpirun or to a rank) kills the jobs and
  ends the run in order. If a host is lost, mpirun returns 255, but other jobs of
  a file go on. tori-gang.out then has what they print and, at the end, their
  status and that of the run.

  The report is an object with the ranks, the slot, the jobs and the switches (in
  microseconds: skew between processors, delay after the due time, cost of one
  switch). Each job has its id, program, number of processes and partition; in
  seconds since the start of the run submit, start (when it was placed),
  first_turn (when it first ran) and finish; turns (slots it got), cpu (seconds
  of processor time), sleeps (how often it left its queue) and status.

  Options:
    --jobs FILE             one job per line: [-n COUNT] [-t DURATION] [--]
                            PROGRAM [ARGUMENT...] ['|' [-n COUNT] PROGRAM ...];
                            COUNT processes (1 if not given), submitted DURATION
                            after the start of the run; - is standard input
    --listen PATH           listen on a socket for 'tori gang submit', until
                            'tori gang stop' or an interrupt
    --slot DURATION         how long a turn is, such as 100ms or 0.1s; a plain
                            number is seconds (default 100ms)
    --machine KIND:SIZES    how the processors are arranged, one per rank; a line
                            if not given
    --degree N              how many parts a partition is split into (default 2)
    --branch NAME           which branch a new job goes to: lightest, lowest,
                            round-robin (default lightest)
    --freeze HOW            how processes are stopped: by a control group per
                            job, or by signals; auto falls back to signals where
                            control groups cannot be created, cgroup fails there:
                            auto, cgroup, signal (default auto)
    --turns WHEN            gang: all processors of a job switch together; for
                            comparison, local: each processor switches on its
                            own; none: nothing is stopped: gang, local, none
                            (default gang)
    --sleepers WHAT         leave: a job whose processes all sleep leaves its
                            queue until one wakes up; keep: it keeps its turns:
                            leave, keep (default leave)
    --label                 prefix every line of output with JOB.PROCESS
    --report FILE           write a JSON report of the jobs and the switches at
                            the end of the run; an old report is removed before
                            the first job starts; - is standard output (not with
                            --jobs)
    -h, --help              print this help

  Exit status:
    0  every job of the file ended with 0, or there was no file
    1  a job of the file failed, or it or the run was killed
    2  bad usage or bad input
    4  a job is larger than the machine

  Examples:
    mpirun -n 8 tori gang run --slot 100ms --jobs jobs.txt
    mpirun -n 8 tori gang run --listen gang.sock
  $ tori help gang submit
  Usage: tori gang submit [OPTION]... JOB...

  Submit a job to a listening run.

  Prints what the job prints and returns its exit status: the first that is not
  0. Standard input goes to the job's first process. The job runs in the current
  directory and environment. Interrupting this command kills the job. Status 126
  is a program that cannot be run, 127 one that is not found, 128+n a process
  killed by signal n; 137 also means that the run was stopped or lost a rank of
  the job. If the status is this command's own, standard error tells why in a
  line that begins with 'tori: '. See also --own-status (bad options are always
  2).

  Operands:
    JOB                     [-n COUNT] [-t DURATION] [OPTION]... [--] PROGRAM
                            [ARGUMENT...]; COUNT processes (1 if not given),
                            submitted after DURATION (0 if not given); options of
                            the job may stand here, too

  Options:
    --socket PATH           where the run listens; $TORI_GANG_SOCKET if not given
    --own-status N          return N where this command itself would return 1, 2
                            or 4, to tell that from the job's own status; 125 is
                            customary
    --detach                print the job's number and return; the job prints to
                            tori-gang-%j.out unless --output says otherwise
    --output PATTERN        print to a file, not here; %j is the number of the
                            job, %r that of the process, each of which then has a
                            file of its own, %% a percent sign; a directory is
                            the same as DIRECTORY/%j.%r
    --shares N              give the job N turns for each turn of a job without
                            this option; 1 if not given
    --restart N             if a rank of the run dies, start the job again
                            elsewhere, up to N times; a job with this option has
                            empty input
    --pin                   each process stays on one core, the first rank of a
                            host on the first core that it may use, and so on
    --mpi KIND              what the program was built with, mpich, openmpi or
                            none, if it does not show that itself, as a script
                            does not; an MPI program that a script starts without
                            this option runs as processes that do not know of
                            each other
    --pty                   a terminal for an interactive program of one process;
                            every key is passed on, Ctrl-C as well; not with
                            --detach, --output or --restart
    -h, --help              print this help

  Exit status:
    0  the job ended with 0; any status may be the job's own
    1  no run listens there, or it accepts no jobs or has died
    2  bad usage or bad input
    4  larger than the machine, or what is left of it

  Examples:
    tori gang submit --socket gang.sock -n 4 -- ./program 100
    tori gang submit --socket gang.sock --pty -- bash
  $ tori help gang pipe
  Usage: tori gang pipe [OPTION]... JOB...

  Submit programs connected by pipes.

  The programs are one job: they share a partition, each in a part of its own,
  and all run at the same time. The output of a program goes, line by line, to
  the first process of the next program; standard input goes to the first process
  of the first. To pass a bar to a program as a word, write '\|': this command
  removes one backslash from a word of backslashes and a bar. Exit statuses are
  those of submit.

  Operands:
    JOB                     [-n COUNT] [-t DURATION] [--] PROGRAM [ARGUMENT...]
                            '|' [-n COUNT] PROGRAM ...; as for submit

  Options:
    --socket PATH           where the run listens; $TORI_GANG_SOCKET if not given
    --own-status N          return N where this command itself would return 1, 2
                            or 4, to tell that from the job's own status; 125 is
                            customary
    --detach                print the job's number and return; the job prints to
                            tori-gang-%j.out unless --output says otherwise
    --output PATTERN        print to a file, not here; %j is the number of the
                            job, %r that of the process, each of which then has a
                            file of its own, %% a percent sign; a directory is
                            the same as DIRECTORY/%j.%r
    --shares N              give the job N turns for each turn of a job without
                            this option; 1 if not given
    --restart N             if a rank of the run dies, start the job again
                            elsewhere, up to N times; a job with this option has
                            empty input
    --pin                   each process stays on one core, the first rank of a
                            host on the first core that it may use, and so on
    --mpi KIND              what the program was built with, mpich, openmpi or
                            none, if it does not show that itself, as a script
                            does not; an MPI program that a script starts without
                            this option runs as processes that do not know of
                            each other
    -h, --help              print this help

  Exit status:
    0  the job ended with 0; any status may be the job's own
    1  no run listens there, or it accepts no jobs or has died
    2  bad usage or bad input
    4  larger than the machine, or what is left of it

  Examples:
    tori gang pipe --socket gang.sock -n 4 ./produce \| -n 2 ./consume
  $ tori help gang status
  Usage: tori gang status [OPTION]...

  Show the state of a listening run.

  First one line for the machine: its processors, those that are dead, those that
  do not answer (silent), the slot, the time within which every job that does not
  sleep has a turn, and how processes are stopped (--freeze of 'tori gang run').
  Then one row per job that has not ended: its number, its state and for how
  long, its age, how long it waited for its first turn, turns so far, processor
  time, processes, partition, command, and why it does not run now. A job is
  waiting (has no partition), ready (in its queue), running, asleep (out of its
  queue), ending, or unknown (the rank that knows does not answer), and with
  --all perhaps ended. With --json, times are in seconds since the start of the
  run. See doc/gang.md.

  Options:
    --socket PATH           where the run listens; $TORI_GANG_SOCKET if not given
    --all                   jobs that have ended as well, with their status
    --json                  print JSON
    -h, --help              print this help

  Exit status:
    0  the run has answered
    1  no run listens there, or it does not answer
    2  bad usage or bad input

  Examples:
    tori gang status --socket gang.sock
    tori gang status --socket gang.sock --json
  $ tori help gang stop
  Usage: tori gang stop [OPTION]...

  End a listening run.

  The run accepts no more jobs and ends after the last one it has, including
  those that -t delays. This command returns when the run has ended: its socket
  is gone and its report is written. If this command is interrupted, the run goes
  on stopping; a second one with --now kills the jobs.

  Options:
    --socket PATH           where the run listens; $TORI_GANG_SOCKET if not given
    --now                   kill the jobs instead of waiting for them
    -h, --help              print this help

  Exit status:
    0  the run has ended
    1  no run listens there, or it was killed
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
