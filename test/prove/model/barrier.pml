/*
 * How davit retires an agent whose CI system gives out jobs by itself, in every order: barrier, wait, look by id, remove.
 * The CI system reads whether a runner may have a job, and hands one out after any delay of less than TAKES ticks, without
 * another look. Registrations, and a launch that a person ends, are queue.pml's.
 *
 *   here                        there
 *   the kinds, and the barrier of each:
 *     -DGITHUB                  its delete refuses a busy runner, and a runner that is gone gets no job, however late
 *     (none)                    a Gitea: `disabled`, and 15 s; a tick is 5 s
 *     -DJENKINS                 `changeOfflineCause`: it reads the flag and hands out under one lock, so at once
 *     -DGITLAB                  `paused`, and 60 s from the moment in the maintenance note; a tick is 15 s
 *   HandOut                     a request for a job; a server may be at two of one runner, of which one was given up
 *   live, retiring, deregistered, runs     the launch's record, core/launch/launch-record.ts
 *   Retire                      functions/retire-runner: asked for twice, and again by whoever asked when it died or was busy
 *   Follow                      davit hears of a job, from webhooks or logic/polling/follow-job.ts: it binds the job, and ends
 *                               the launch when the job is over; a runner that does not end with its job is removed before
 *   barrier                     logic/lifecycle/stop-runner.ts, and stopAssigning of ci/<system>
 *   lookAndRemove               removeIfIdle of ci/<system>
 *   Person                      brings a runner back that davit has stopped, once
 *   Clock                       time, which does not go on while a hand-out is at its bound
 *
 * Left out: other agents and runners, to which a job is lost as by a cancellation. A request that takes effect after its
 * sender has died. A person who brings a runner back between davit's look and its removal, or between GitLab's pause and its
 * note: each is two requests, and no CI system has one for both. A person at a Gitea, which keeps no moment: davit waits
 * from its own request. The queue of Jenkins, in which a pipeline may wait for its node.
 */
#ifdef GITHUB
#define TAKES 0 /* any time: see mayAssign */
#define WAITS 0
#endif
#ifdef JENKINS
#define TAKES 0
#define WAITS 0
#endif
#ifdef GITLAB
#ifndef TAKES
#define TAKES 4
#endif
#ifndef WAITS
#define WAITS 4
#endif
#endif
#ifndef TAKES
#define TAKES 3
#endif
#ifndef WAITS
#define WAITS 3
#endif
#ifndef FAULTS
#define FAULTS 2 /* how often a retirement dies */
#endif
#define NEVER 255
#define MOST WAITS
#define RUNS 4 /* of retirements, and of Follow */

mtype:job = { QUEUED, RUNNING, DONE };
mtype:job job[2] = QUEUED;
bool ran[2]; /* on the runner: a job that is DONE without it was cancelled */

/* The runner, as its CI system has it. */
bool registered = true;
bool stopped;
bool used; /* it was given a job; single-use, or by an agent that asks for one only */
byte noted = NEVER; /* ticks since the moment in the note */

bool asking[2]; /* a hand-out has read the flag */
byte asked[2];  /* how many ticks ago */

bool live = true, online = true, retiring, deregistered;
byte runs; /* the job's number, and 1 */

byte left[RUNS];          /* how many ticks it goes on to wait */
byte stamp[RUNS] = NEVER; /* ticks since the moment that it is about to note */
bool uninterrupted[RUNS]; /* between two requests that no person comes between */
byte faults = FAULTS;

#define hold(invariant, condition) assert(invariant != 0 && (condition))

#define isRunning ((job[0] == RUNNING && ran[0]) || (job[1] == RUNNING && ran[1]))

/* The kinds. */
#ifdef JENKINS
#define isFree !isRunning
#else
#define isFree !used
#endif
#if defined(JENKINS) || defined(GITLAB)
#define endsWithJob false
#else
#define endsWithJob true
#endif
#ifdef GITHUB
#define mayAssign registered
#else
#define mayAssign true
#endif
#ifdef GITLAB
#define isSince (noted != NEVER)
#else
#define isSince true
#endif

/* What -D breaks, and how it is while it is whole. */
#ifdef DELETE_DOES_NOT_REFUSE
#define isRefused false
#else
#define isRefused isRunning
#endif
#ifdef NO_WAIT
#define wait 0
#else
#define wait WAITS
#endif
#define remaining (noted >= wait -> 0 : wait - noted)
#ifdef BROUGHT_BACK_UNSEEN
#define isStillStopped true
#else
#if defined(GITLAB) && !defined(AGE_UNSEEN)
#define isStillStopped (stopped && isSince && noted >= wait)
#else
#define isStillStopped stopped
#endif
#endif

#define forget(me) left[me] = 0; stamp[me] = NEVER; uninterrupted[me] = false

#ifdef NO_REPEAT
#define after(again) over
#else
#define after(again) again
#endif
#define mayDie(me, again) \
  if \
  :: true \
  :: faults > 0 -> faults--; forget(me); goto after(again) \
  fi

inline give(j) {
  hold(9, registered && live);
  job[j] = RUNNING; ran[j] = true; used = true
}

inline assign(n) {
  if
  :: mayAssign && isFree && job[0] == QUEUED -> give(0)
  :: mayAssign && isFree && job[1] == QUEUED -> give(1)
  :: else
  fi;
  asking[n] = false; asked[n] = 0
}

#define mayAsk(n) \
  (registered && online && !stopped && isFree && !asking[n] && (job[0] == QUEUED || job[1] == QUEUED))

proctype HandOut(byte n) {
end:
  do
#ifdef JENKINS
  :: atomic { mayAsk(n) -> assign(n) }
#else
  :: atomic { mayAsk(n) -> asking[n] = true };
    atomic { assign(n) }
#endif
  od
}

/* Once its launch is over, the agent is gone sooner or later. */
proctype Agent() {
end:
  atomic { !live -> online = false }
}

/* A job comes to its end, or is cancelled in the queue. */
proctype Job(byte j) {
end:
  if
  :: atomic { job[j] == RUNNING -> job[j] = DONE; registered = (registered && !endsWithJob) }
  :: atomic { job[j] == QUEUED -> job[j] = DONE }
  fi
}

#define endLaunch() hold(9, !isRunning); live = false

/*
 * barrier: once it is over, no hand-out begins. GitLab's second request says since when: the first one takes effect
 * some time after it was sent.
 */
#define waitAll(me) left[me] = wait
#ifdef GITLAB
#define isKnown (stopped && isSince)
#ifdef NOTE_WITH_PAUSE
#define pause(me, again) \
  atomic { stamp[me] = 0; mayDie(me, again) }; \
  atomic { stopped = true; noted = stamp[me]; stamp[me] = NEVER; waitAll(me); mayDie(me, again) }
#else
#define pause(me, again) \
  atomic { stopped = true; noted = NEVER; uninterrupted[me] = true; mayDie(me, again) }; \
  atomic { stamp[me] = 0; mayDie(me, again) }; \
  atomic { noted = stamp[me]; stamp[me] = NEVER; uninterrupted[me] = false; waitAll(me); mayDie(me, again) }
#endif
#define barrier(me, again) \
  if \
  :: atomic { !registered || isKnown -> left[me] = (registered -> remaining : 0) } \
  :: atomic { registered && !isKnown -> mayDie(me, again) }; \
    pause(me, again) \
  fi
#endif
#ifdef JENKINS
#ifdef TOGGLE
#define set() stopped = !stopped
#else
#define set() stopped = true
#endif
#define barrier(me, again) \
  if \
  :: stopped \
  :: atomic { !stopped -> mayDie(me, again) }; \
    atomic { set(); mayDie(me, again) } \
  fi
#endif
#ifdef GITHUB
#define barrier(me, again) skip
#endif
#ifndef barrier
#define barrier(me, again) atomic { stopped = true; waitAll(me); mayDie(me, again) }
#endif

/* A runner that is gone is success. */
#ifdef GITHUB
#define lookAndRemove(me, busy, again) \
  atomic { \
    if \
    :: registered && isRefused -> goto busy \
    :: else -> hold(9, !isRunning); registered = false \
    fi; \
    mayDie(me, again) \
  }
#else
#define lookAndRemove(me, busy, again) \
  atomic { \
    if \
    :: registered && (isRunning || !isStillStopped) -> goto busy \
    :: else -> uninterrupted[me] = true \
    fi; \
    mayDie(me, again) \
  }; \
  atomic { hold(9, !isRunning); registered = false; uninterrupted[me] = false; mayDie(me, again) }
#endif

proctype Retire(byte me) {
again:
  atomic {
    if
    :: live && runs != 0 -> goto over
    :: live && runs == 0 -> retiring = true
    :: !live
    fi;
    mayDie(me, again);
    if
    :: deregistered -> goto finish
    :: else
    fi
  };
  barrier(me, again);
  left[me] == 0;
  atomic {
    if
    :: live && runs != 0 -> goto over
    :: else
    fi
  };
  lookAndRemove(me, busy, again);
  atomic { deregistered = true; mayDie(me, again) };
finish:
  atomic {
    if
    :: live && runs == 0 -> endLaunch()
    :: else
    fi;
    goto over
  };
busy:
  atomic { !isRunning -> goto again };
over:
  atomic { forget(me) }
}

proctype Follow(byte j, me) {
end:
  atomic {
    ran[j] ->
    if
    :: runs == 0 -> runs = j + 1
    :: else
    fi
  };
#if defined(JENKINS) || defined(GITLAB)
  if
  :: true /* this part of a pipeline does not tell, or a look comes too late */
  :: barrier(me, again)
  fi;
again:
  atomic { job[j] == DONE && !isRunning -> forget(me) };
  barrier(me, again);
  left[me] == 0;
  lookAndRemove(me, again, again);
  atomic { deregistered = true };
over:
#else
  job[j] == DONE;
#endif
  atomic {
    if
    :: live && runs == j + 1 -> endLaunch()
    :: else
    fi
  }
}

#ifdef PERSON
proctype Person() {
end:
  atomic {
    stopped && !uninterrupted[0] && !uninterrupted[1] && !uninterrupted[2] && !uninterrupted[3] -> stopped = false
  }
}
#endif

#define canWait(n) (!asking[n] || asked[n] + 1 < TAKES)
#define later(ticks) (ticks < MOST -> ticks + 1 : ticks)

/* Only where somebody waits, or a moment is not long ago. */
#define isTicking \
  (left[0] + left[1] + left[2] + left[3] > 0 || noted < MOST || \
    stamp[0] < MOST || stamp[1] < MOST || stamp[2] < MOST || stamp[3] < MOST)

proctype Clock() {
  byte n;
end:
  do
  :: atomic {
      isTicking && canWait(0) && canWait(1) ->
      for (n : 0 .. 1) {
        if
        :: asking[n] -> asked[n]++
        :: else
        fi
      };
      for (n : 0 .. RUNS - 1) {
        stamp[n] = later(stamp[n]);
        left[n] = (left[n] > 0 -> left[n] - 1 : 0)
      };
      noted = later(noted); n = 0
    }
  od
}

/* `timeout` is when nothing can move any more. */
proctype Rest() {
  atomic {
    timeout ->
    hold(6, !live || !used);
    hold(10, live || !registered);
    hold(10, !live || !retiring || used)
  }
}

init {
  atomic {
    run Agent(); run HandOut(0);
#ifndef JENKINS
    run HandOut(1);
#endif
    run Job(0); run Job(1); run Follow(0, 2); run Follow(1, 3); run Retire(0); run Retire(1); run Clock();
#ifdef PERSON
    run Person();
#endif
    run Rest()
  }
}
