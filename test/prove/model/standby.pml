/*
 * How agents stand by for jobs that cross, in every order: three jobs, an agent for each, and a warm agent.
 *
 *   here                        there
 *   job, ranBy                  the CI system's own: it gives a job to any registered agent, or to somebody else's
 *   known                       davit's record of the job says that the job waits no more, and which launch's agent has it
 *   stands, summoned            the launch's record, core/launch/launch-record.ts
 *   Agent                       functions/connect/await-summons.ts
 *   Webhook                     logic/jobs/handle-registered-job.ts, whose events may be lost
 *
 * An agent that stood by is one that was launched for no job, from then on.
 *
 * Left out: reconciling, which repeats a summons; registrations and retirements, which queue.pml has; agents that fail.
 * Agent a was launched for job a. Agent WARM was launched for none.
 */
#define JOBS 3
#define WARM 3
#define AGENTS 4
#define FOREIGN 4
#define NOBODY 5

mtype:job = { QUEUED, RUNNING };
mtype:job job[JOBS] = QUEUED;
byte ranBy[JOBS] = NOBODY;
bool known[JOBS];
bool registered[AGENTS], used[AGENTS], stands[AGENTS], summoned[AGENTS];
bool isRival;         /* somebody else's runner takes one job, in some runs */
bool mayCancel[JOBS]; /* in some runs, somebody cancels it */

#define hold(property, condition) assert(property != 0 && (condition))
#define NONE_WAITS 105

#ifdef OWN_JOB_ALONE
#define isNext(a) false
#else
#define isNext(a) (a < JOBS && !stands[a])
#endif

proctype Agent(byte a) {
  byte j = a;
  if
  :: a == WARM -> goto standBy
  :: else
  fi;
look:
  atomic {
    if
    :: !known[j] || ranBy[j] == FOREIGN -> goto begin
    :: known[j] && isNext(ranBy[j]) -> j = ranBy[j]; goto look
    :: else -> goto standBy
    fi
  };
standBy:
  stands[a] = true;
#ifdef NO_SUMMONS
end:
  false;
#else
end:
  summoned[a];
#endif
begin:
  registered[a] = true
}

#define isFree(a) (registered[a] && !used[a])

/* The queue gives a job to any runner; or it is cancelled. */
proctype HandOut(byte j) {
end:
  if
  :: atomic { isFree(0) && job[j] == QUEUED -> used[0] = true; ranBy[j] = 0; job[j] = RUNNING }
  :: atomic { isFree(1) && job[j] == QUEUED -> used[1] = true; ranBy[j] = 1; job[j] = RUNNING }
  :: atomic { isFree(2) && job[j] == QUEUED -> used[2] = true; ranBy[j] = 2; job[j] = RUNNING }
  :: atomic { isFree(3) && job[j] == QUEUED -> used[3] = true; ranBy[j] = WARM; job[j] = RUNNING }
  :: atomic { isRival && job[j] == QUEUED -> isRival = false; ranBy[j] = FOREIGN; job[j] = RUNNING }
  :: atomic { mayCancel[j] && job[j] == QUEUED -> job[j] = RUNNING }
  fi
}

/* `queued` summons an agent that stands by, at any moment; the others are noted. Twice is as once. */
proctype Webhook(byte j) {
  byte a;
end:
  do
  :: atomic { job[j] == RUNNING && !known[j] -> known[j] = true }
  :: atomic {
      job[j] == QUEUED && (stands[0] || stands[1] || stands[2] || stands[WARM]) ->
      if
      :: stands[WARM] -> summoned[WARM] = true
      :: !stands[WARM] && stands[0] -> summoned[0] = true
      :: !stands[WARM] && !stands[0] && stands[1] -> summoned[1] = true
      :: else -> summoned[2] = true
      fi;
      break
    }
  od;
end1:
  atomic { job[j] == RUNNING && !known[j] -> known[j] = true }
}

/* `timeout` is when nothing can move any more. */
proctype Rest() {
  byte j;
  atomic {
    timeout ->
    for (j : 0 .. JOBS - 1) { hold(NONE_WAITS, job[j] == RUNNING) };
    for (j : 0 .. AGENTS - 1) { hold(NONE_WAITS, !stands[j] || !registered[j] || summoned[j]) }
  }
}

init {
  byte i;
  atomic {
    for (i : 0 .. AGENTS - 1) { run Agent(i) };
    if
    :: isRival = true
    :: true
    fi;
    for (i : 0 .. JOBS - 1) {
      run HandOut(i);
      if
      :: mayCancel[i] = true
      :: true
      fi;
      if
      :: run Webhook(i)
      :: true
      fi
    };
    run Rest()
  }
}
