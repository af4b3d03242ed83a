/*
 * How davit has a job run again whose agent infrastructure took, while people run it again, too, in every order.
 *
 *   here                        there
 *   attempt, state, hasFailed   the CI system's job: its latest attempt
 *   lost, claim, settled        davit's record of the lost job, core/job/lost-job.ts
 *   Reconcile                   functions/reconcile/rerun-lost.ts; two may run at once
 *   its read of the job         ci/gitea/jobs-to-rerun.ts, as its adapter reads the jobs of a run
 *   People                      they run again what has failed
 *
 * Left out: runs of several jobs; GitHub, where each job of a run has its attempt; a claim that runs out. A re-run of
 * people that begins and ends between davit's read and its request: no CI system has a request with a condition.
 */
#define ATTEMPTS 4
#define NOBODY 255

mtype:state = { RUNNING, COMPLETED };
mtype:state state = RUNNING;
byte attempt = 1;
bool hasFailed;
byte lost; /* the attempt that davit knows as lost; 0 for none */
bool settled;
byte claim = NOBODY;
byte deciding; /* how many reconciles have read the job, and are about to ask */

/* Nothing but the properties reads it. */
bool asked;

#define hold(property, condition) assert(property != 0 && (condition))
#define RERUN_ONCE 104

#ifdef WHATEVER_ATTEMPT
#define isLatest (lost != 0)
#else
#define isLatest (attempt <= lost)
#endif
#ifdef NO_CLAIM
#define mayClaim(who) true
#else
#define mayClaim(who) (claim == NOBODY || claim == who)
#endif

inline begin() { attempt++; state = RUNNING; hasFailed = false }

/* An attempt ends well, or fails by itself, or loses its agent, which davit notes once. */
proctype Job() {
end:
  do
  :: atomic { state == RUNNING -> state = COMPLETED }
  :: atomic { state == RUNNING -> state = COMPLETED; hasFailed = true }
  :: atomic { state == RUNNING && lost == 0 -> lost = attempt; state = COMPLETED; hasFailed = true }
  od
}

proctype People() {
end:
  do
  :: atomic { state == COMPLETED && attempt < ATTEMPTS && deciding == 0 -> begin() }
  od
}

proctype Reconcile(byte who) {
end:
  do
  :: atomic {
      lost != 0 && !settled && mayClaim(who) -> claim = who
    };
    atomic {
      if
      :: settled || state == RUNNING -> goto release
      :: else
      fi;
      if
      :: isLatest && hasFailed -> deciding++
      :: else -> settled = true; goto release
      fi
    };
    /* It waits for the answer of the CI system, which refuses it while the run goes on. */
    atomic {
      deciding--;
      if
      :: state == RUNNING || attempt == ATTEMPTS -> goto release
      :: else
      fi;
      hold(RERUN_ONCE, !asked && attempt == lost);
      asked = true; begin()
    };
    atomic { settled = true };
release:
    atomic {
      if
      :: claim == who -> claim = NOBODY
      :: else
      fi
    }
  od
}

init {
  atomic { run Job(); run People(); run Reconcile(0); run Reconcile(1) }
}
