/*
 * What davit says of a cluster's connection, while calls to the cluster are answered, or fail after a wait, in every order.
 *
 *   here                        there
 *   frozen                      the API server does not answer
 *   Caller                      a probe's looks (functions/probe/probe-cluster.ts), and the calls of launches
 *                               (logic/cluster-reports/report-calls.ts)
 *   report                      core/cluster/connection.ts, afterOutcome: one conditional write
 *   observed, row, away         the cluster's record: observedAtEpochMs, failures, connected
 *
 * Moments are numbers that only grow. Left out: how long failures last, and that several are needed in less than so many
 * seconds: here FAILURES in a row are enough. Namespaces, each of which has such a connection of its own.
 */
#define CALLERS 2
#define CALLS 3    /* of each caller */
#define FREEZES 2
#define FAILURES 2

bool frozen;
byte now = 1;
byte freezes = FREEZES;

byte observed;
byte row;
bool away;

/* Nothing but the properties reads it: the latest answer that davit's record knows. */
byte answered;

#define hold(property, condition) assert(property != 0 && (condition))
#define AWAY_BY_LATER_CALLS 102

/* When a failed call says what it says. */
#ifdef FAILS_FROM_ITS_END
#define momentOf(began, ended) ended
#else
#define momentOf(began, ended) began
#endif

inline reportFailure(began, ended) {
  if
  :: momentOf(began, ended) >= observed ->
    observed = momentOf(began, ended);
    if
    :: row < FAILURES -> row++
    :: else
    fi;
    hold(AWAY_BY_LATER_CALLS, answered < began);
    if
    :: row == FAILURES -> away = true
    :: else
    fi
  :: else
  fi
}

inline reportAnswer(ended) {
  if
  :: ended >= observed -> observed = ended; row = 0; away = false; answered = ended
  :: else
  fi
}

proctype Caller() {
  byte calls, began, ended;
  bool isLost;
  do
  :: calls == CALLS -> break
  :: calls < CALLS ->
    atomic { calls++; now++; began = now; isLost = frozen };
    atomic { now++; ended = now; isLost = (isLost || frozen) };
    atomic {
      if
      :: isLost -> reportFailure(began, ended)
      :: else -> reportAnswer(ended)
      fi;
      began = 0; ended = 0; isLost = false
    }
  od
}

proctype Cluster() {
end:
  do
  :: atomic { freezes > 0 && !frozen -> freezes--; frozen = true }
  :: frozen -> frozen = false
  od
}

init {
  byte i;
  atomic {
    run Cluster();
    for (i : 1 .. CALLERS) { run Caller() }
  }
}
