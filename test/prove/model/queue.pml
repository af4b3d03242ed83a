/*
 * How agents join a CI system whose queue gives each job to any of them, and how they are retired: two agents, two jobs
 * that may cross, in every order. The launch around it is launch.pml's: here a launch is live, and then over.
 *
 *   here                        there
 *   runner, job                 the CI system's own; a Gitea, or with -DGITHUB a GitHub
 *   HandOut                     the queue: a Gitea looks at a runner in one step and gives it a job in a later one
 *   live, retiring, nonce, recorded, deregistered, runs    the launch's record, core/launch/launch-record.ts
 *   Agent                       an agent that connects; it asks once more when an answer was lost
 *   Register                    functions/connect, functions/register-runner
 *   Webhook                     logic/jobs/handle-registered-job.ts, and reconcile's list of running jobs
 *   Retire                      functions/retire-runner: asked for by reconcile, at any moment, or after a person's DELETE
 *   Ghosts                      functions/reconcile/orphans.ts, which leaves alone what may be under way: it stops a
 *                               runner, waits, looks, and takes it out
 *
 * Left out: time, as in launch.pml; replacements, which the simulation has; a death of Retire, which Lambda repeats.
 *
 * An agent's question is one registration, which two runs of register-runner may work on. Runner 2a + n is what question
 * n of agent a makes; with -DTWICE, which is for one agent, runner 2n + k is what run k of question n makes. Runner
 * STRANGER is somebody else's with the name of agent 0.
 */
#ifndef AGENTS
#define AGENTS 2 /* and as many jobs */
#endif
#ifndef REGISTRATIONS
#define REGISTRATIONS 1 /* of each agent: how often it asks */
#endif
#ifndef FAULTS
#define FAULTS 0 /* how often a registration dies */
#endif
#define STRANGER 4
#ifdef TWICE
#define nameOf(r) 0
#define runnerOf(a, n, k) (2 * n + k)
#define questionOf(r) (r / 2)
#define ofAgent(property, a) (property(0) || property(1) || property(2) || property(3))
#define isRunTwice true
#define isMade(r) true
#else
#define nameOf(r) (r == STRANGER -> 0 : r / 2)
#define runnerOf(a, n, k) (2 * a + n)
#define questionOf(r) (r % 2)
#define ofAgent(property, a) (property(2 * a) || property(2 * a + 1))
#define isRunTwice false
#define isMade(r) (nameOf(r) < AGENTS && questionOf(r) < REGISTRATIONS)
#endif

mtype:job = { QUEUED, RUNNING, DONE };
mtype:job job[2] = QUEUED;
byte ranBy[2]; /* the runner, and 1 */

typedef Runner {
  bool registered;
  bool stopped; /* disabled, where that can be done */
  bool online;
  bool asking;  /* it was looked at, and is about to be given a job */
  bool used     /* it was given one: it is good for no other */
}
Runner runner[5];

bool live[2] = true, retiring[2], deregistered[2];
byte nonce[2];
byte recorded[2], runs[2]; /* of runner and job: the number, and 1 */
byte told[2];              /* the runner's number, and 1, in an answer */
bool interrupted[2];                 /* by a person, who may */
bool ghosts;
byte faults = FAULTS;

#ifdef ONLY
#define hold(invariant, condition) assert(invariant != 0 && (invariant != ONLY || (condition)))
#else
#define hold(invariant, condition) assert(invariant != 0 && (condition))
#endif

#define isRunning(r) \
  ((job[0] == RUNNING && ranBy[0] == (r) + 1) || (job[1] == RUNNING && ranBy[1] == (r) + 1))
#define isUsed(r) runner[r].used
#define isRegistered(r) runner[r].registered
#define isAtWork(a) ofAgent(isRunning, a)
#define hadJob(a) ofAgent(isUsed, a)
#define isJoinable(a) (live[a] && !retiring[a] && runs[a] == 0)

/* What -D breaks, and how it is while it is whole. */
#ifdef NONCE_UNCHECKED
#define isLatest(a, own) true
#else
#define isLatest(a, own) (nonce[a] == own)
#endif
#ifdef ONE_NONCE
#define ownNonce(n, k) begunNonce(n)
#else
#define ownNonce(n, k) (3 * n + 2 + k)
#endif
#define begunNonce(n) (3 * n + 1)
#ifdef LATE_QUESTION
#define isInOrder(a, n) true
#else
#define isInOrder(a, n) (nonce[a] <= begunNonce(n))
#endif
#ifdef COMPLETE_WHILE_RETIRING
#define mayComplete(a) live[a]
#else
#define mayComplete(a) isJoinable(a)
#endif
#ifdef GHOSTS_WITHOUT_STOP
#define ghostsStop false
#else
#define ghostsStop canStop
#endif
#ifdef BIND_BY_NAME
#define isSame(a, r) (recorded[a] != 0)
#else
#define isSame(a, r) (recorded[a] == r)
#endif
#ifdef LOOK_TOO_EARLY
#define isSettled(r) true
#else
#define isSettled(r) !runner[r].asking
#endif
#ifdef RETIRE_WITHOUT_LOOK
#define isBusy(r) false
#else
#define isBusy(r) isRunning(r)
#endif
#ifdef GITHUB
#define isGiven(r) runner[r].registered
#define canStop false
#else
#define isGiven(r) true
#define canStop true
#endif

#define mayDie(over) \
  if \
  :: true \
  :: faults > 0 -> faults--; goto over \
  fi

inline endLaunch(a) {
  if
  :: live[a] -> hold(9, !isAtWork(a)); live[a] = false
  :: else
  fi
}

/* By the id in the record, or by the name. Its agent was never answered, or has asked again. */
inline leave(r) {
  hold(9, !runner[r].online);
  runner[r].registered = false
}

#define isListed(r) ((listed >> (r)) & 1)
#define list(r) (runner[r].registered << (r))

proctype Register(byte a, n, k) {
  byte r, own, earlier, listed;
  if
  :: k == 0 ->
    atomic {
      if
      :: isJoinable(a) && isInOrder(a, n) -> nonce[a] = begunNonce(n)
      :: else -> goto over
      fi;
      if
      :: isRunTwice -> run Register(a, n, 1)
      :: true
      fi
    }
  :: k == 1
  fi;
  atomic {
    own = ownNonce(n, k); r = runnerOf(a, n, k);
    if
    :: isJoinable(a) && nonce[a] == begunNonce(n) -> nonce[a] = own
    :: else -> goto over
    fi;
    if
    :: recorded[a] != 0 && !deregistered[a] -> earlier = recorded[a]
    :: else
    fi;
    mayDie(over)
  };
  if
  :: earlier == 0
  :: earlier != 0 ->
    atomic {
      if
      :: isRunning(earlier - 1) -> goto over
      :: else -> leave(earlier - 1)
      fi;
      mayDie(over)
    };
    atomic {
      if
      :: recorded[a] == earlier -> deregistered[a] = true
      :: else
      fi;
      earlier = 0
    }
  fi;
  if
  :: n == 0
  :: n == 1 ->
    atomic { listed = list(0) + list(1) + list(2) + list(3) };
    /* What is on the list is of an earlier registration, if the nonce still is this one. */
    atomic {
      if
      :: isLatest(a, own) && isJoinable(a)
      :: else -> goto over
      fi
    };
    atomic {
      for (k : 0 .. 3) {
        if
        :: isListed(k) && nameOf(k) == a -> leave(k)
        :: else
        fi
      };
      k = 0; listed = 0;
      mayDie(over)
    }
  fi;
  atomic { runner[r].registered = true; mayDie(over) };
  atomic {
    if
    :: mayComplete(a) && isLatest(a, own) && (recorded[a] == 0 || deregistered[a]) ->
      hold(9, runner[r].registered);
      recorded[a] = r + 1; deregistered[a] = false; told[a] = r + 1;
      goto over
    :: else
    fi
  };
  atomic { runner[r].registered = false };
over:
  atomic { r = 0; own = 0; earlier = 0; listed = 0 }
}

#define isTold(a, n) (told[a] != 0 && questionOf((told[a] - 1)) == n)

proctype Agent(byte a) {
  byte r;
end:
  run Register(a, 0, 0);
end1:
  if
  :: atomic { isTold(a, 0) -> r = told[a] - 1 }
  :: REGISTRATIONS > 1 -> run Register(a, 1, 0); /* the answer is lost, or late */
end2:
    atomic { isTold(a, 1) -> r = told[a] - 1 }
  fi;
end3:
  atomic { runner[r].registered && live[a] -> runner[r].online = true }
}

/* Once its launch is over, an agent is gone sooner or later. */
#define isOnline(r) runner[r].online
proctype Cluster(byte a) {
  byte r;
end:
  atomic {
    !live[a] && ofAgent(isOnline, a) ->
    for (r : 0 .. 3) {
      if
      :: nameOf(r) == a -> runner[r].online = false
      :: else
      fi
    }
  }
  goto end
}

inline give(r, j) {
  hold(9, r == STRANGER || live[nameOf(r)] || interrupted[nameOf(r)]);
  hold(9, r == STRANGER || runner[r].registered);
  job[j] = RUNNING; ranBy[j] = r + 1; runner[r].used = true
}

proctype HandOut(byte r) {
end:
  do
  :: atomic {
      runner[r].registered && runner[r].online && !runner[r].stopped && !runner[r].used &&
      (job[0] == QUEUED || job[1] == QUEUED) -> runner[r].asking = true
    };
    atomic {
      if
      :: runner[r].online && isGiven(r) && job[0] == QUEUED -> give(r, 0)
      :: runner[r].online && isGiven(r) && job[1] == QUEUED -> give(r, 1)
      :: else
      fi;
      runner[r].asking = false
    }
  od
}

/* A job comes to its end, and takes its runner along; or it is cancelled in the queue. */
proctype Job(byte j) {
end:
  if
  :: atomic { job[j] == RUNNING -> job[j] = DONE; runner[ranBy[j] - 1].registered = false }
  :: atomic { job[j] == QUEUED -> job[j] = DONE }
  fi
}

#define itsAgent(j) nameOf((ranBy[j] - 1))

/* Twice is as once, and never is not to run. */
proctype Webhook(byte j) {
end:
  do
  :: atomic {
      ranBy[j] != 0 && isSame(itsAgent(j), ranBy[j]) && runs[itsAgent(j)] == 0 -> runs[itsAgent(j)] = j + 1
    }
#ifdef BIND_BY_JOB
  :: atomic { job[j] == DONE && ranBy[j] != 0 && live[j] -> endLaunch(j) }
#else
  :: atomic {
      job[j] == DONE && ranBy[j] != 0 && runs[itsAgent(j)] == j + 1 && live[itsAgent(j)] ->
      hold(9, ranBy[j] != STRANGER + 1);
      endLaunch(itsAgent(j))
    }
#endif
  od
}

#ifdef GITHUB
#define lookAndRemove(r, busy) \
  atomic { \
    if \
    :: isBusy(r) -> goto busy \
    :: else -> runner[r].registered = false \
    fi \
  }
#else
#define lookAndRemove(r, busy) \
  atomic { \
    if \
    :: isBusy(r) -> goto busy \
    :: else \
    fi \
  }; \
  atomic { runner[r].registered = false }
#endif

proctype Retire(byte a) {
  byte r;
end:
  atomic {
    if
    :: live[a] && runs[a] != 0 -> goto over
    :: live[a] && runs[a] == 0 -> retiring[a] = true
    :: !live[a]
    fi;
#ifdef END_BEFORE_RETIRE
    endLaunch(a);
#endif
    if
    :: recorded[a] == 0 || deregistered[a] -> goto finish
    :: else -> r = recorded[a] - 1
    fi
  };
  atomic { runner[r].stopped = canStop };
  isSettled(r);
  atomic {
    if
    :: live[a] && runs[a] != 0 -> goto over
    :: else
    fi
  };
  lookAndRemove(r, over);
  atomic { deregistered[a] = true };
finish:
  atomic {
    if
    :: live[a] && runs[a] == 0 -> endLaunch(a)
    :: else
    fi
  };
over:
}

proctype Person() {
end:
  atomic { live[0] -> interrupted[0] = true; live[0] = false };
  run Retire(0)
}

/*
 * A runner that no record has may be one of a registration under way, until all is at rest. With -DORPHANS, the runners of
 * a launch that is over are taken out at any moment, too: its agent may still be there.
 */
#ifdef ORPHANS
#define mayBeOrphan(r) (ghosts || !live[nameOf(r)])
#else
#define mayBeOrphan(r) ghosts
#endif
#define isGhost(r) \
  (mayBeOrphan(r) && runner[r].registered && !isRunning(r) && (!live[nameOf(r)] || recorded[nameOf(r)] != r + 1))

#define takeOut(g, left) \
  atomic { isGhost(g) -> runner[g].stopped = (runner[g].stopped || ghostsStop) }; \
  isSettled(g); \
  lookAndRemove(g, left)

proctype Ghosts(byte r) {
end:
  do
  :: takeOut(r, busy)
busy:
  od
}

/* `timeout` is when nothing can move any more. */
proctype Rest() {
  byte a;
  atomic {
    timeout ->
#ifndef NO_GHOSTS
    ghosts = true
#endif
  };
  atomic {
    timeout ->
    for (a : 0 .. AGENTS - 1) {
      hold(10, live[a] || !ofAgent(isRegistered, a));
      hold(10, !live[a] || !retiring[a] || hadJob(a))
    }
  }
}

init {
  byte i;
  atomic {
#ifdef IMPOSTOR
    runner[STRANGER].registered = true; runner[STRANGER].online = true;
    run HandOut(STRANGER);
#endif
    for (i : 0 .. AGENTS - 1) {
      run Agent(i); run Cluster(i); run Job(i); run HandOut(runnerOf(i, 0, 0));
#ifdef TWICE
      run HandOut(runnerOf(i, 0, 1));
#endif
#if REGISTRATIONS > 1
      run HandOut(runnerOf(i, 1, 0));
#ifdef TWICE
      run HandOut(runnerOf(i, 1, 1));
#endif
#endif
      if
      :: run Webhook(i)
      :: true
      fi;
      if
      :: run Retire(i)
      :: true
      fi
    }
#ifdef PERSON
    run Person();
#endif
    if
    :: AGENTS == 1 -> job[1] = DONE
    :: else
    fi;
    for (i : 0 .. 3) {
      if
      :: isMade(i) -> run Ghosts(i)
      :: else
      fi
    }
    run Rest()
  }
}
