/*
 * A launch that may use two clusters, in every order: its cluster is away and comes back, requests to it take effect
 * late or never, the launch moves, and what it left behind is removed.
 *
 *   here                        there
 *   status, generation, at      the launch's record: its status, its present agent, and each generation's cluster
 *   away                        a cluster does not answer davit; its agents work on, and still reach davit
 *   pod[g], a uid               a Pod of generation g's name in that generation's cluster; its credential's id as well
 *   latePod, lateToken          a request that timed out, and has not taken effect yet: nobody looks afterwards
 *   Machine                     statemachine/launch.asl.json, without the Service
 *   publishToken, awaitAgent    one state, PublishToken, which is repeated as a whole: launch.pml
 *   elsewhere, relaunch         logic/steps/move-elsewhere.ts, functions/relaunch: one conditional write
 *   cleanUp                     functions/clean-up/remove-everywhere.ts: waits for no cluster that is away
 *   Agents                      functions/connect
 *   Sweep, isListed             functions/sweep: judgeObject, judgeLaunch, namespacesOf, drainedNamespaces
 *   Deployment                  with -DDROPPED, a davit.yaml whose profiles no longer name the first cluster
 *
 * Left out:
 *   What launch.pml has: webhooks, the start, the Service and its port, other people's objects, deletions by uid. A Pod
 *     without a Service has no owner, so nothing in its cluster removes it but davit: the harder case.
 *   Time, as there. Hence why a launch moves: it may at any step, also when its cluster is well but full.
 *   Deletions that are late: whatever davit deletes, it may delete for ever.
 *   Sweeps that ask for a clean-up while a cluster of the launch is away: that clean-up removes no more than a sweep.
 *   A davit.yaml whose clusters do not have the first one either: nobody looks there, and the records say so (ADR 27).
 */
#ifndef GENERATIONS
#define GENERATIONS 3 /* a move and a relaunch, in either order; 2: a move */
#endif
#ifndef FAULTS
#define FAULTS 1 /* how often a request takes effect late, a function dies, or an execution is aborted */
#endif
#ifndef OUTAGES
#define OUTAGES 2
#endif
#define RELAUNCHES (GENERATIONS - 2)

mtype:status = { LAUNCHING, CONNECTED, CLEANING, OVER };
mtype:status status = LAUNCHING;
byte generation;
byte at[GENERATIONS];
bool running = true;  /* the execution is */
bool requested, atWork; /* an asynchronous clean-up is */
bool away[2], configured[2] = true;
byte pod[GENERATIONS], made[GENERATIONS], token[GENERATIONS], lateToken[GENERATIONS];
bool latePod[GENERATIONS];
byte faults = FAULTS, outages = OUTAGES;

/* Nothing but the properties reads these. */
byte agent; /* who was answered 200 */
bool done;  /* a completed webhook was answered 2xx */

#ifdef ONLY
#define hold(invariant, condition) assert(invariant != 0 && (invariant != ONLY || (condition)))
#else
#define hold(invariant, condition) assert(invariant != 0 && (condition))
#endif
#define EVERY_LAUNCH_ENDS 100

#define isLive (status == LAUNCHING || status == CONNECTED)
#define isPresentAgent(g) (isLive && generation == g)
#define agentOf(g, uid) (GENERATIONS * uid + g)

/* What -D breaks, and how it is while it is whole. */
#ifdef MOVE_WITHOUT_CONDITION
#define mayBegin(g) isPresentAgent(g)
#else
#define mayBegin(g) (status == LAUNCHING && generation == g)
#endif
#ifdef CONNECT_WITHOUT_GENERATION
#define isLetIn(g) isLive
#else
#define isLetIn(g) isPresentAgent(g)
#endif
#ifdef TOKEN_FOR_A_NAME
#define isTold(g, uid) true
#else
#define isTold(g, uid) (token[g] == uid)
#endif
#ifdef PLACES_OF_CONFIG
#define isListed(c) configured[c]
#elif defined(PLACES_OF_LAUNCHES)
#define isListed(c) (configured[c] || (status != OVER && (c == 0 || isUsed1)))
#else
#define isListed(c) true /* the clusters' records have every namespace that was used there */
#endif
#ifdef SWEEP_WITHOUT_GENERATION
#define isStray(g) (pod[g] != 0 && !isLive)
#else
#define isStray(g) (pod[g] != 0 && !isPresentAgent(g))
#endif
#ifdef NO_SWEEP
#define sweeps false
#else
#define sweeps true
#endif

#if GENERATIONS == 3
#define isUsed1 (at[1] == 1 || at[2] == 1)
#define eachGeneration(command) command(0); command(1); command(2)
#else
#define isUsed1 (at[1] == 1)
#define eachGeneration(command) command(0); command(1)
#endif

#define mayDie(again) \
  if \
  :: true \
  :: faults > 0 -> faults--; goto again \
  fi

#define heedStop(over) \
  if \
  :: !running -> goto over \
  :: else \
  fi

#define remove(g) \
  hold(9, pod[g] == 0 || status != CONNECTED || agent != agentOf(g, pod[g])); \
  pod[g] = 0

/* Nobody asks any more what a launch that is over was like: it is forgotten, so that spin has fewer states. */
inline mark(endsAgents) {
  if
  :: isLive ->
    hold(9, endsAgents || status != CONNECTED);
    status = CLEANING; agent = 0;
    for (i : 0 .. GENERATIONS - 1) { token[i] = 0 }
    i = 0
  :: else
  fi
}

#define removeIn(c, g) \
  if \
  :: at[g] == c -> remove(g) \
  :: else \
  fi
#define removeIn0(g) removeIn(0, g)
#define removeIn1(g) removeIn(1, g)

/* Both clusters at once there, one after the other in either order here. What it removes is gone when it is looked for. */
#define cleanUp(left, again, gaveUp, connected) \
  atomic { \
    left = false; \
    if \
    :: status == CONNECTED -> goto connected \
    :: else \
    fi; \
    mark(false); \
    mayDie(again) \
  }; \
  atomic { \
    if \
    :: !away[0] -> eachGeneration(removeIn0) \
    :: away[0] -> left = true \
    fi; \
    mayDie(again) \
  }; \
  atomic { \
    if \
    :: !away[1] -> eachGeneration(removeIn1) \
    :: away[1] && isUsed1 -> left = true \
    :: away[1] && !isUsed1 \
    fi; \
    mayDie(again) \
  }; \
  atomic { \
    if \
    :: !left && status == CLEANING -> status = OVER \
    :: else \
    fi; \
    left = false; \
    if \
    :: true \
    :: faults > 0 -> faults--; goto gaveUp \
    fi \
  }

/* The event's clean-up may leave what somebody else has ended to that one's clean-up. */
inline endExecution() {
  running = false;
  if
  :: requested = true
  :: status == CLEANING || status == OVER
  fi
}

proctype Completed() {
  byte i;
end:
  atomic { true -> mark(true) };
  atomic { requested = true };
  atomic { running = false; done = true }
}

proctype Machine() {
  byte g, uid, next, i;
  bool left, repeated;

createPod:
  atomic {
    heedStop(over);
    if
    :: !away[at[g]] && pod[g] == 0 -> made[g]++; pod[g] = made[g]; uid = pod[g]
    :: !away[at[g]] && pod[g] != 0 -> uid = pod[g]
    :: faults > 0 && !latePod[g] -> faults--; latePod[g] = true; goto createPod
    :: true -> goto elsewhere
    :: true -> goto failed /* its deadline, here and below */
    fi
  }
  atomic {
    if
    :: isPresentAgent(g)
    :: !isPresentAgent(g) && !away[at[g]] && pod[g] == uid -> remove(g); goto failed
    :: !isPresentAgent(g) && (away[at[g]] || pod[g] != uid) -> goto failed
    fi
  }

pollHostIP:
  if
  :: !running -> goto over
  :: !away[at[g]] && pod[g] == uid
  :: !away[at[g]] && pod[g] != uid -> goto relaunch
  :: true -> goto elsewhere
  :: true -> goto failed
  fi;

publishToken:
  atomic {
    heedStop(over);
    if
    :: token[g] == 0 && isLive -> token[g] = uid
    :: token[g] == 0 && !isLive /* nobody reads it */
    :: token[g] == uid
    :: token[g] != 0 && token[g] != uid -> goto failed
    :: faults > 0 && lateToken[g] == 0 -> faults--; lateToken[g] = uid; goto publishToken
    fi
  }

awaitAgent:
  if
  :: !running -> goto over
  :: atomic { status == CONNECTED && running -> running = false; goto over }
  :: !isLive -> goto failed
  :: atomic { !repeated -> repeated = true; goto publishToken }
  :: status == LAUNCHING && !away[at[g]] && pod[g] != uid -> goto relaunch
  :: status == LAUNCHING -> goto elsewhere
  :: true -> goto failed
  fi;

elsewhere:
  atomic {
    heedStop(over);
    if
    :: at[g] == 1 -> goto failed
    :: else -> next = 1; goto begin
    fi
  }
relaunch:
  atomic {
    heedStop(over);
    if
    :: g - at[g] == RELAUNCHES -> goto failed
    :: else -> next = at[g]
    fi
  }
begin:
  atomic {
    if
    :: mayBegin(g) -> status = LAUNCHING; generation = g + 1; at[g + 1] = next
    :: status == LAUNCHING && generation == g + 1 /* an earlier attempt's doing */
    :: else -> goto failed
    fi;
    mayDie(begin)
  }
  atomic {
    if
    :: !away[at[g]] -> remove(g)
    :: true
    fi;
    g++; uid = 0; next = 0; repeated = false
  }
  goto createPod;

failed:
  atomic {
    heedStop(over);
    g = 0; uid = 0; next = 0; repeated = false;
    if
    :: status == CLEANING || status == OVER -> goto ended /* left to whoever has ended it */
    :: true
    fi
  }
  cleanUp(left, failed, ended, connected);
  goto ended;
connected:
  atomic { heedStop(over); running = false; goto over }
ended:
  atomic { heedStop(over); endExecution() }
over:
  atomic { g = 0; uid = 0; next = 0; left = false; repeated = false }
}

/* Lambda runs it again when it fails. */
proctype CleanUp() {
  byte i;
  bool left;
end:
  do
  :: atomic { requested -> requested = false; atWork = true };
again:
    cleanUp(left, again, idle, idle);
idle:
    atomic { atWork = false; left = false }
  od
}

#define mayConnect(g, uid) (token[g] != 0 && agent != agentOf(g, uid) && isTold(g, uid) && isLetIn(g))

inline connect(g, uid) {
  hold(2, token[g] == uid);
  hold(4, agent == 0);
  status = CONNECTED;
  agent = agentOf(g, uid)
}

/* Whom the token is for, whatever has become of its Pod, and who is there under the name. */
proctype Agents(byte g) {
end:
  do
  :: atomic { mayConnect(g, token[g]) -> connect(g, token[g]) }
  :: atomic { pod[g] != 0 && mayConnect(g, pod[g]) -> connect(g, pod[g]) }
  od
}

/* A late request finds its name taken, or makes a Pod. A node is lost while somebody looks; later it makes no difference. */
proctype Late(byte g) {
end:
  do
  :: atomic { latePod[g] && pod[g] == 0 -> latePod[g] = false; made[g]++; pod[g] = made[g] }
  :: atomic { latePod[g] && pod[g] != 0 -> latePod[g] = false }
  :: atomic {
      lateToken[g] != 0 ->
      if
      :: token[g] == 0 && isLive -> token[g] = lateToken[g]
      :: else
      fi;
      lateToken[g] = 0
    }
  :: atomic { pod[g] != 0 && status == LAUNCHING && generation == g -> pod[g] = 0 }
  od
}

proctype Cluster(byte c) {
end:
  do
  :: atomic { outages > 0 && !away[c] -> outages--; away[c] = true }
  :: away[c] -> away[c] = false
  od
}

#define isSwept(g) (sweeps && isStray(g) && isListed(at[g]) && !away[at[g]])

proctype Sweep() {
  byte i;
end:
  do
  :: atomic { isSwept(0) -> remove(0) }
  :: atomic { isSwept(1) -> remove(1) }
#if GENERATIONS == 3
  :: atomic { isSwept(2) -> remove(2) }
#endif
  :: atomic { sweeps && status == LAUNCHING && !running -> mark(false) }
  :: atomic {
      sweeps && status == CLEANING && !requested && !atWork && !away[0] && (!isUsed1 || !away[1]) ->
      requested = true; running = false
    }
  od
}

/* Once, at any moment. */
proctype Abort() {
end:
  atomic { faults > 0 && running -> faults--; endExecution() }
}

proctype Deployment() {
end:
  configured[0] = false
}

/* `timeout` is when nothing can move any more: then both clusters are back, and every request has taken effect. */
proctype Rest() {
  byte g;
  atomic {
    timeout ->
    for (g : 0 .. GENERATIONS - 1) { hold(5, pod[g] == 0 || isPresentAgent(g)) }
    hold(EVERY_LAUNCH_ENDS, status == CONNECTED || status == OVER);
    hold(6, !done || status == OVER)
  }
}

init {
  byte g;
  atomic {
    run Machine(); run CleanUp(); run Sweep(); run Cluster(0); run Cluster(1); run Abort(); run Rest();
    for (g : 0 .. GENERATIONS - 1) { run Agents(g); run Late(g) }
#ifdef DROPPED
    run Deployment();
#endif
    if
    :: run Completed()
    :: true /* it never comes */
    fi
  }
}
