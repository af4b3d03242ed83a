/*
 * How connect answers an agent that asks while its launch goes on, or ends, in every order.
 *
 *   here                        there
 *   status                      the launch's record
 *   published                   its token; DynamoDB removes it some time after the launch is over
 *   Connect                     functions/connect/connect.ts: it waits for the token, reads the record, and answers
 *   Launch                      publish-token; whoever ends the launch
 *
 * Left out: generations and names, which launch.pml has; the registration, which queue.pml has.
 */
mtype:status = { LAUNCHING, CONNECTED, OVER };
mtype:status status = LAUNCHING;
bool published;

#define hold(property, condition) assert(property != 0 && (condition))
#define SENT_AWAY 101

#define isLive (status != OVER)

/* How often the agent asks. */
#define QUESTIONS 3

proctype Launch() {
end:
  do
  :: atomic { status == LAUNCHING && !published -> published = true }
  :: atomic { isLive -> status = OVER }
  :: atomic { status == OVER && published -> published = false }
  od
}

#define readToken(token) atomic { token = published }
/* The wait for the token is over: it is there, or it has lasted long enough. */
#define readRecord(live) atomic { live = isLive }

proctype Connect() {
  byte asked;
  bool token, live;
end:
  do
  :: asked == QUESTIONS -> break
  :: asked < QUESTIONS ->
    asked++;
#ifdef RECORD_FIRST
    readRecord(live);
    atomic {
      token = published;
      if
      :: !live -> goto away
      :: live && !token -> hold(SENT_AWAY, isLive); goto again
      :: else
      fi
    };
#else
    readToken(token);
    atomic {
      live = isLive;
      if
      :: !live -> goto away
      :: live && !token -> hold(SENT_AWAY, isLive); goto again
      :: else
      fi
    };
#endif
    /* One conditional write. */
    atomic {
      if
      :: isLive -> hold(2, token); status = CONNECTED; goto in
      :: else -> goto away
      fi
    };
again:
    atomic { token = false; live = false }
  od;
in:
away:
  atomic { token = false; live = false }
}

init {
  atomic { run Launch(); run Connect() }
}
