/*
 * The protocol by which a launch begins, is tried again, and ends, in every order that its parts can run in.
 * `npm run prove -- model` has spin check it, and has spin refute it broken in each of the ways that -D can break it.
 *
 * One step here is one remote call there: what lies between two calls is one process's own business.
 *
 *   here                        there
 *   status, generation          the launch's record; an atomic block that changes them is one conditional write
 *   execution                   the launch's execution, of which there is one, since it has the launch's name
 *   service, pod, token         of one name for each generation: the agent's name, core/launch/names.ts
 *   a Pod's uid                 its credential's id as well: each attempt to create a Pod makes a credential of its own
 *   Queued                      logic/lifecycle/request-launch.ts, requestLaunch
 *   Completed                   logic/lifecycle/end-launch.ts, endJob; DELETE is the same without the tombstone
 *   Machine                     statemachine/launch.asl.json: a label for each state, `goto failed` for its Catch
 *   createOnce                  logic/steps/create-once.ts, by CreateService and CreatePod
 *   publish                     functions/publish-token/publish.ts, adapters/aws/create-dynamo-tokens.ts
 *   awaitAgent                  functions/publish-token/await-agent.ts: the machine's PublishToken publishes, and then waits;
 *                               it is repeated as a whole. One repetition does all that more can do
 *   relaunch:                   functions/relaunch
 *   cleanUp, removeObjects      functions/clean-up, logic/steps/remove-objects.ts
 *   connected:                  the machine's IsConnected: the clean-up has left a connected launch alone
 *   CleanUp                     its asynchronous runs: asked for by whoever ends a launch (create-lambda-clean-ups.ts),
 *                               and by EventBridge's rule for executions that end otherwise than well and that davit
 *                               did not stop. An execution's failure, and the event of its end, leave what somebody else has
 *                               ended to that one. Here they may also leave what an earlier attempt has marked
 *   Agents                      functions/connect, markConnected in adapters/aws/create-dynamo-launches.ts
 *   Sweep                       functions/sweep: judgeObject, judgeLaunch
 *   Cluster, Others             Kubernetes; the people and programs in it that are not davit
 *
 * Left out:
 *   Time. A deadline passes whenever its step likes. A webhook comes whenever it likes, as often as it likes, or never.
 *   Looks that are too early. To poll, or to be answered 503, is to be blocked here. So no run goes in circles (spin
 *     proves that too), and what is asserted where runs come to rest is what every run leads to if only nobody stands
 *     still for ever: liveness under weak fairness.
 *   What the cluster can say of a Service or a Pod. All of it leads on, to `relaunch`, or to `failed`.
 *   Deaths that make no difference. Who dies between two calls has died, for all others, after the first of them; who
 *     dies after a read has died before it. So mayDie stands after the calls that change something.
 *   Third clean-ups. The state machine's and one more run at once, and that one again and again.
 *   Secrets (invariant 8): they are about data, not about order. Tests and simulation look for them.
 *
 * Two jobs. What a launch has is its own (record, execution, tokens), and in the cluster its names are no other's
 * (core/launch/names.ts). So no step of one launch reads or writes what a step of another does: any two such steps
 * may change places, and what holds of one launch holds of each of any number. Hence one is checked with all there is.
 * JOBS=2 does not rest on that: two launches under the same names in the cluster, the only place where they could meet.
 * That is checked with a crash and with a second generation, but not with both, and webhooks end only the first.
 */
#ifndef JOBS
#define JOBS 1
#endif
#ifndef GENERATIONS
#define GENERATIONS 2 /* 1: the profile's maxRelaunches is 0 */
#endif
#ifndef FAULTS
#define FAULTS 1 /* how often one of the faults happens, anywhere: see mayDie, giveUp, enter */
#endif

mtype:status = { NONE, LAUNCHING, CONNECTED, CLEANING, OVER };
mtype:execution = { UNSTARTED, RUNNING, ENDED };

typedef Object {
  byte uid;      /* 0: there is none */
  byte label;    /* davit.dev/launch-id */
  byte owner;    /* a Pod's: the uid of its Service */
  bool ready;    /* a Service's: it has its nodePort */
  bool ended;    /* a Pod's: it has succeeded or failed; an evicted one has */
  bool deleting; /* its deletionTimestamp */
  byte made      /* how many objects have had the name */
}
#define OURS 1 /* + j */
#define STRANGER 9

typedef Tokens { byte uid[2] } /* by generation: the uid of the Pod whose address it tells, 0 before it is published */
#define HALF 99

mtype:status status[JOBS] = NONE;
byte generation[JOBS];
mtype:execution execution[JOBS] = UNSTARTED;
bool requested[JOBS]; /* an asynchronous clean-up is */
bool atWork[JOBS];    /* one is at work */
bool sweeping;
Object service[2], pod[2];
Tokens token[JOBS];
byte faults = FAULTS;

/* Nothing but the properties reads these. */
bool died;         /* somebody has, or has given up */
bool done[JOBS];   /* a completed webhook was answered 2xx */
byte agent[JOBS];  /* who was answered 200 */

/* The number of the invariant in docs/invariants.md is for whoever reads what spin says; -DONLY=n looks at that one alone. */
#ifdef ONLY
#define hold(invariant, condition) assert(invariant != 0 && (invariant != ONLY || (condition)))
#else
#define hold(invariant, condition) assert(invariant != 0 && (condition))
#endif
#define EVERY_LAUNCH_ENDS 100

#define isLive(j) (status[j] == LAUNCHING || status[j] == CONNECTED)
#define isPresentAgent(j, g) (isLive(j) && generation[j] == g)
#define isOurs(object, j) (object.uid != 0 && object.label == OURS + j)
#define has(object, wanted) (object.uid == wanted && !object.deleting)

/* What -D breaks, and how it is while it is whole. */
#ifdef NO_PORT_POLL
#define isPortKnown(g) true
#else
#define isPortKnown(g) service[g].ready
#endif
#ifdef TOKEN_IN_TWO_WRITES
#define firstWrite(podUid) HALF
#define secondWrite(j, g, podUid) token[j].uid[g] = podUid
#else
#define firstWrite(podUid) podUid
#define secondWrite(j, g, podUid) true
#endif
#ifdef PENDING_IS_DEAD
#define isJudgedOver(g) true
#else
#define isJudgedOver(g) pod[g].ended
#endif
#ifdef NO_TOMBSTONE
#define tombstone NONE
#else
#define tombstone OVER
#endif
#ifdef CONNECT_WITHOUT_GENERATION
#define isLetIn(j, g) isLive(j)
#else
#define isLetIn(j, g) isPresentAgent(j, g)
#endif
#ifdef TOKEN_FOR_A_NAME
#define isTold(j, g, podUid) true
#else
#define isTold(j, g, podUid) (token[j].uid[g] == podUid)
#endif
#ifdef RELAUNCH_WITHOUT_CONDITION
#define mayRelaunch(j, g) (isLive(j) && generation[j] == g)
#else
#define mayRelaunch(j, g) (status[j] == LAUNCHING && generation[j] == g)
#endif
#ifdef REMOVE_BEFORE_MARK
#define markBefore(j, endsAgents) true
#define markAfter(j, endsAgents) mark(j, endsAgents)
#else
#define markBefore(j, endsAgents) mark(j, endsAgents)
#define markAfter(j, endsAgents) true
#endif
#ifdef CLEAN_UP_ENDS_CONNECTED
#define isLeftAlone(j) false
#else
#define isLeftAlone(j) (status[j] == CONNECTED)
#endif
#if defined(CREATE_WITHOUT_LOOK)
#define isKept(j, g) true
#elif defined(LOOK_WITHOUT_GENERATION)
#define isKept(j, g) isLive(j)
#else
#define isKept(j, g) isPresentAgent(j, g)
#endif
#ifdef NO_SWEEP
#define sweeps false
#else
#define sweeps true
#endif
#ifdef SWEEP_WITHOUT_CLAIM
#define isUnfinished(j) (status[j] == CLEANING)
#else
#define isUnfinished(j) (status[j] == CLEANING && !requested[j] && !atWork[j])
#endif
#ifdef ANSWER_BEFORE_START
#define answerEarly(j) answer2xx(j)
#else
#define answerEarly(j) true
#endif
#ifdef DELETE_BY_NAME
#define isMeant(object, wanted) (wanted != 0 && object.uid != 0)
#else
#define isMeant(object, wanted) (wanted != 0 && object.uid == wanted)
#endif
#ifdef ADOPT_WITHOUT_LABEL
#define isAdopted(object, j, itsOwner) (object.uid != 0)
#else
#define isAdopted(object, j, itsOwner) (isOurs(object, j) && object.owner == itsOwner)
#endif

/*
 * Macros where there are labels to be named, which no inline can be given.
 * A Lambda dies after a call and is run `again`; a cluster is away until a clean-up gives up.
 */
#define mayDie(again) \
  if \
  :: true \
  :: faults > 0 -> faults--; died = true; goto again \
  fi

#define giveUp(where) faults > 0 -> faults--; died = true; goto where

/* A webhook that was not answered is delivered again, or is not. */
#define mayDieUnanswered(again, over) \
  if \
  :: true \
  :: faults > 0 -> faults--; died = true; goto again \
  :: faults > 0 -> faults--; died = true; goto over \
  fi

inline forget(object) {
  d_step {
    object.uid = 0; object.label = 0; object.owner = 0; object.ready = false; object.ended = false;
    object.deleting = false
  }
}

inline make(object, itsLabel, itsOwner) {
  d_step { object.made++; object.uid = object.made; object.label = itsLabel; object.owner = itsOwner }
}

/* The uid that was read, with the label, is the precondition. */
inline delete(object, j, wanted) {
  if
  :: isMeant(object, wanted) ->
    hold(7, object.uid == wanted && object.label == OURS + j);
    object.deleting = true
  :: else
  fi
}

/* That a name is taken is told by one call, and by whom by the next: only what the next one says counts. */
#define createOnce(object, j, g, itsOwner, itsUid, again, deleted, refused) \
  atomic { \
    if \
    :: object.uid == 0 -> make(object, OURS + j, itsOwner) \
    :: isAdopted(object, j, itsOwner) -> \
      if \
      :: object.deleting -> goto deleted \
      :: else \
      fi \
    :: else -> goto refused \
    fi; \
    hold(1, itsOwner == 0 || service[g].uid != itsOwner || service[g].ready); \
    itsUid = object.uid; \
    mayDie(again) \
  }; \
  if \
  :: isKept(j, g) \
  :: else -> atomic { delete(object, j, itsUid); mayDie(again); goto refused } \
  fi

#define publish(j, g, podUid, again, refused) \
  atomic { \
    if \
    :: token[j].uid[g] == 0 -> token[j].uid[g] = firstWrite(podUid) \
    :: token[j].uid[g] == podUid \
    :: else -> goto refused \
    fi; \
    mayDie(again) \
  }; \
  secondWrite(j, g, podUid)

/* Nobody asks any more what a launch that is over was like: it is forgotten, so that spin has fewer states. */
inline mark(j, endsAgents) {
  if
  :: isLive(j) ->
    hold(9, endsAgents || status[j] != CONNECTED);
    status[j] = CLEANING; generation[j] = 0; agent[j] = 0; token[j].uid[0] = 0; token[j].uid[1] = 0
  :: else
  fi
}

inline markCleaned(j) {
  if
  :: status[j] == CLEANING -> status[j] = OVER
  :: else
  fi
}

#define oursOf(object, j) (isOurs(object, j) -> object.uid : 0)
#define list(object, j, uids) uids[0] = oursOf(object[0], j); uids[1] = oursOf(object[1], j)

/* By the launch's label, of any generation: its Services first, then its Pods, each in the order of a list: by name. */
#define removeObjects(j, uids, again) \
  atomic { list(service, j, uids) }; \
  do \
  :: atomic { uids[0] != 0 -> delete(service[0], j, uids[0]); uids[0] = 0; mayDie(again) } \
  :: atomic { uids[0] == 0 && uids[1] != 0 -> delete(service[1], j, uids[1]); uids[1] = 0; mayDie(again) } \
  :: atomic { uids[0] == 0 && uids[1] == 0 -> list(pod, j, uids); break } \
  od; \
  do \
  :: atomic { uids[0] != 0 -> delete(pod[0], j, uids[0]); uids[0] = 0; mayDie(again) } \
  :: atomic { uids[0] == 0 && uids[1] != 0 -> delete(pod[1], j, uids[1]); uids[1] = 0; mayDie(again) } \
  :: uids[0] == 0 && uids[1] == 0 -> break \
  od

#define isGoing(object, j) (isOurs(object, j) && object.deleting)
#define isNoneGoing(j) \
  (!isGoing(service[0], j) && !isGoing(service[1], j) && !isGoing(pod[0], j) && !isGoing(pod[1], j))

/* An execution's failure, or the event of its end, ends no launch whose agent has connected: one conditional write. */
#define cleanUp(j, uids, again, gaveUp, connected) \
  atomic { \
    if \
    :: isLeftAlone(j) -> goto connected \
    :: else \
    fi; \
    markBefore(j, false); \
    mayDie(again) \
  }; \
  removeObjects(j, uids, again); \
  if \
  :: atomic { isNoneGoing(j) -> markAfter(j, false); markCleaned(j); mayDie(again) } \
  :: atomic { giveUp(gaveUp) } \
  fi

/* Whoever is told 2xx need not come again: the launch has begun, or is over. */
#define answer2xx(j) hold(6, execution[j] != UNSTARTED || !isLive(j))

/*
 * Any number of deliveries, also at once: all that one can do, and another cannot have done, is to start what it has
 * seen asked for. One that comes later changes nothing, and is left out.
 */
proctype Queued(byte j) {
end:
  do
  :: atomic {
      execution[j] == UNSTARTED && (status[j] == NONE || status[j] == LAUNCHING) ->
      hold(4, status[j] == LAUNCHING || !done[j]);
      status[j] = LAUNCHING;
      mayDieUnanswered(end, over);
      answerEarly(j)
    };
    atomic {
      if
      :: execution[j] == UNSTARTED -> execution[j] = RUNNING
      :: else
      fi;
      mayDieUnanswered(end, over);
      answer2xx(j)
    }
  od;
over:
}

/* EventBridge tells the clean-up of it, which may leave what somebody else has ended to that one's clean-up. */
inline endExecution(j) {
  execution[j] = ENDED;
  if
  :: requested[j] = true
  :: status[j] == CLEANING || status[j] == OVER
  fi
}

/* EventBridge tells nobody: who stops it has asked for the clean-up before. */
inline stop(j) {
  if
  :: execution[j] == RUNNING -> execution[j] = ENDED
  :: else
  fi
}

proctype Completed(byte j) {
again:
  atomic {
    markBefore(j, true);
    if
    :: status[j] == NONE -> goto leaveTombstone
    :: status[j] == OVER -> done[j] = true; goto over
    :: else
    fi;
    mayDieUnanswered(again, over)
  }
  atomic { requested[j] = true; mayDieUnanswered(again, over) }
  atomic { stop(j); mayDieUnanswered(again, over); done[j] = true; goto over }
leaveTombstone:
  atomic {
    if
    :: status[j] == NONE -> status[j] = tombstone
    :: else -> goto again /* it was asked for in between */
    fi;
    mayDieUnanswered(again, over);
    done[j] = true
  }
over:
}

/* A step in flight goes on when its execution is stopped: only between steps is that heeded. */
#define isStopped(j) (execution[j] != RUNNING)

#define heedStop(j, over) \
  if \
  :: isStopped(j) -> goto over \
  :: else \
  fi

/* A step is run a second time while the first, that was given up, is still at work; an execution is begun again. */
#define enter(j, g, step, given, over) \
  atomic { \
    heedStop(j, over); \
    if \
    :: true \
    :: faults > 0 -> faults--; run Twin(j, g, step, given) \
    :: faults > 0 -> faults--; goto createService0 \
    fi \
  }

#define CREATE_SERVICE 1
#define CREATE_POD 2
#define PUBLISH_TOKEN 3

proctype Twin(byte j, g, step, given) {
  byte uid;
  if
  :: step == CREATE_SERVICE -> createOnce(service[g], j, g, 0, uid, over, over, over)
  :: step == CREATE_POD -> createOnce(pod[g], j, g, given, uid, over, over, over)
  :: step == PUBLISH_TOKEN -> publish(j, g, given, over, over)
  fi;
over:
}

proctype Machine(byte j) {
  byte g, serviceUid, podUid;
  byte uids[2];
  bool repeated;
end:
  execution[j] != UNSTARTED;

createService0:
  atomic { g = 0; serviceUid = 0; podUid = 0; repeated = false }
createService:
  enter(j, g, CREATE_SERVICE, 0, over);
  createOnce(service[g], j, g, 0, serviceUid, createService, relaunch, failed);

pollNodePort:
  if
  :: isStopped(j) -> goto over
  :: has(service[g], serviceUid) && isPortKnown(g)
  :: !has(service[g], serviceUid) -> goto relaunch
  :: true -> goto failed /* its deadline, here and below */
  fi;

createPod:
  enter(j, g, CREATE_POD, serviceUid, over);
  createOnce(pod[g], j, g, serviceUid, podUid, createPod, relaunch, failed);

pollHostIP:
  if
  :: isStopped(j) -> goto over
  :: has(pod[g], podUid) && !pod[g].ended
  :: has(pod[g], podUid) && isJudgedOver(g) -> goto relaunch
  :: !has(pod[g], podUid) -> goto relaunch
  :: true -> goto failed
  fi;

publishToken:
  enter(j, g, PUBLISH_TOKEN, podUid, over);
  publish(j, g, podUid, publishToken, failed);

awaitAgent:
  if
  :: isStopped(j) -> goto over
  :: atomic { status[j] == CONNECTED && !isStopped(j) -> execution[j] = ENDED; goto over }
  :: !isLive(j) -> goto failed
  :: atomic { !repeated -> repeated = true; goto publishToken }
  :: status[j] == LAUNCHING && has(pod[g], podUid) && isJudgedOver(g) -> goto relaunch
  :: status[j] == LAUNCHING && !has(pod[g], podUid) -> goto relaunch
  :: true -> goto failed
  fi;

relaunch:
  atomic {
    hold(3, podUid == 0 || pod[g].uid != podUid || pod[g].ended || pod[g].deleting);
    heedStop(j, over);
    if
    :: g + 1 == GENERATIONS -> goto failed
    :: else
    fi
  }
  atomic {
    if
    :: mayRelaunch(j, g) -> status[j] = LAUNCHING; generation[j] = g + 1
    :: status[j] == LAUNCHING && generation[j] == g + 1 /* an earlier attempt's doing */
    :: else -> goto failed
    fi;
    mayDie(relaunch)
  }
  atomic { uids[0] = oursOf(service[0], j) }
  atomic { delete(service[0], j, uids[0]); mayDie(relaunch) }
  atomic { uids[0] = oursOf(pod[0], j) }
  atomic { delete(pod[0], j, uids[0]); uids[0] = 0; g = 1; serviceUid = 0; podUid = 0; repeated = false }
  goto createService;

failed:
  atomic {
    heedStop(j, over);
    g = 0; serviceUid = 0; podUid = 0; repeated = false;
    if
    :: status[j] == CLEANING || status[j] == OVER -> goto ended /* left to whoever has ended it */
    :: true
    fi
  }
  cleanUp(j, uids, failed, ended, connected);
  goto ended;
connected:
  atomic {
    heedStop(j, over);
    execution[j] = ENDED; /* as SUCCEEDED, of which EventBridge tells nobody */
    goto over
  }
ended:
  atomic {
    heedStop(j, over);
    endExecution(j)
  }
over:
  atomic { g = 0; serviceUid = 0; podUid = 0; uids[0] = 0; uids[1] = 0; repeated = false }
}

/* Lambda runs it again when it fails. */
proctype CleanUp(byte j) {
  byte uids[2];
end:
  do
  :: atomic { requested[j] -> requested[j] = false; atWork[j] = true };
again:
    cleanUp(j, uids, again, idle, idle);
idle:
    atWork[j] = false
  od
}

#define agentOf(g, podUid) (2 * podUid + g)
#define mayConnect(j, g, podUid) \
  (token[j].uid[g] != 0 && agent[j] != agentOf(g, podUid) && isTold(j, g, podUid) && isLetIn(j, g))

inline connect(j, g, podUid) {
  hold(2, token[j].uid[g] != HALF && token[j].uid[g] == podUid);
  hold(4, agent[j] == 0);
  status[j] = CONNECTED;
  agent[j] = agentOf(g, podUid)
}

/*
 * The agents of both generations: whom the token is for, whatever has become of its Pod, and who is there under the
 * name. The token is read before the record is marked; as it does not change, that is as good as one step.
 */
proctype Agents(byte j) {
end:
  do
  :: atomic { mayConnect(j, 0, token[j].uid[0]) -> connect(j, 0, token[j].uid[0]) }
  :: atomic { mayConnect(j, 1, token[j].uid[1]) -> connect(j, 1, token[j].uid[1]) }
  :: atomic { isOurs(pod[0], j) && mayConnect(j, 0, pod[0].uid) -> connect(j, 0, pod[0].uid) }
  :: atomic { isOurs(pod[1], j) && mayConnect(j, 1, pod[1].uid) -> connect(j, 1, pod[1].uid) }
  od
}

#define isOwned(n) (pod[n].uid != 0 && pod[n].owner != 0 && pod[n].owner == service[n].uid)
#define isOrphan(n) (pod[n].uid != 0 && pod[n].owner != 0 && pod[n].owner != service[n].uid)

/* Ports and phases are looked at while a launch is under way; what becomes of them later makes no difference. */
#if JOBS == 1
#define isLookedAt (status[0] == LAUNCHING)
#else
#define isLookedAt (status[0] == LAUNCHING || status[1] == LAUNCHING)
#endif

/* One name's Service and Pod. A Service goes after its Pod (foreground), and takes it along; an orphan is collected. */
proctype Cluster(byte n) {
end:
  do
  :: atomic { isLookedAt && service[n].uid != 0 && !service[n].ready && !service[n].deleting -> service[n].ready = true }
  :: atomic { isLookedAt && pod[n].uid != 0 && !pod[n].ended && !pod[n].deleting -> pod[n].ended = true }
  :: atomic { service[n].deleting && isOwned(n) && !pod[n].deleting -> pod[n].deleting = true }
  :: atomic { service[n].deleting && !isOwned(n) -> forget(service[n]) }
  :: atomic { pod[n].deleting -> forget(pod[n]) }
  :: atomic { isOrphan(n) && !pod[n].deleting -> pod[n].deleting = true }
  od
}

/* Once, at any moment: a name is taken, an object of ours is deleted, the execution is aborted. */
proctype Others(byte j) {
end:
  if
  :: atomic { service[0].uid == 0 -> make(service[0], STRANGER, 0) }
  :: atomic { service[1].uid == 0 -> make(service[1], STRANGER, 0) }
  :: atomic { pod[0].uid == 0 -> make(pod[0], STRANGER, 0) }
  :: atomic { pod[1].uid == 0 -> make(pod[1], STRANGER, 0) }
  :: atomic { isOurs(service[0], j) -> service[0].deleting = true }
  :: atomic { isOurs(service[1], j) -> service[1].deleting = true }
  :: atomic { isOurs(pod[0], j) -> pod[0].deleting = true }
  :: atomic { isOurs(pod[1], j) -> pod[1].deleting = true }
  :: atomic { execution[j] == RUNNING -> endExecution(j) }
  fi
}

#define isStray(object, j, g) (isOurs(object, j) && !isPresentAgent(j, g))
#define isClean(j) \
  (!isStray(service[0], j, 0) && !isStray(service[1], j, 1) && !isStray(pod[0], j, 0) && !isStray(pod[1], j, 1))
#define isSwept(object, j, g) (sweeping && isStray(object, j, g) && !object.deleting)

/* Sweeps are some of these in some order: each reads again what was found, and acts if it still is as it was. */
proctype Sweep(byte j) {
end:
  do
  :: atomic { isSwept(service[0], j, 0) -> service[0].deleting = true }
  :: atomic { isSwept(service[1], j, 1) -> service[1].deleting = true }
  :: atomic { isSwept(pod[0], j, 0) -> pod[0].deleting = true }
  :: atomic { isSwept(pod[1], j, 1) -> pod[1].deleting = true }
  :: atomic { sweeping && status[j] == LAUNCHING && execution[j] == UNSTARTED -> execution[j] = RUNNING }
  :: atomic { sweeping && status[j] == LAUNCHING && execution[j] == ENDED -> mark(j, false) }
  :: atomic { sweeping && isUnfinished(j) -> requested[j] = true; stop(j) }
  od
}

/*
 * Sweeps come all the time, or not before all else has come to rest: `timeout` is when nothing can move any more. What
 * nobody died over needs no sweep; whatever else is left over, a sweep removes.
 */
proctype Rest() {
  byte j;
  if
  :: sweeping
  :: atomic {
      timeout ->
      for (j : 0 .. JOBS - 1) { hold(5, died || isClean(j)) }
      sweeping = sweeps
    }
  fi;
  atomic {
    timeout ->
    for (j : 0 .. JOBS - 1) {
      hold(5, isClean(j));
      hold(EVERY_LAUNCH_ENDS, status[j] == NONE || status[j] == CONNECTED || status[j] == OVER);
      hold(6, !done[j] || status[j] == OVER)
    }
  }
}

init {
  byte j;
  atomic {
    for (j : 0 .. JOBS - 1) {
      run Queued(j);
      if
      :: j == 0 -> run Completed(j)
      :: true /* it never comes */
      fi;
      run Machine(j); run CleanUp(j); run Agents(j); run Sweep(j)
    }
    run Cluster(0); run Cluster(1); run Rest();
#ifdef OTHERS
    run Others(0);
#endif
    if
#ifndef SWEPT_AT_REST
    :: sweeping = sweeps
#endif
    :: true
    fi
  }
}
