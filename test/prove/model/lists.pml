/*
 * How davit reads a CI system's list page by page, while things of the list go, in every order.
 *
 *   here                        there
 *   there                       the list: runners, or jobs of a status, in their order
 *   MOST                        the longest page that the server gives, whatever is asked for: Gitea's MAX_RESPONSE_ITEMS
 *   Reader                      ci/overlapping-pages.ts, readOverlapping
 *   OVERLAP                     overlapItems there
 *
 * Left out: that pages begin at multiples of their length, so that the next one may overlap by more. New things, which
 * come at the end of a list.
 */
#ifndef THINGS
#define THINGS 6
#endif
#ifndef MOST
#define MOST 3
#endif
#ifndef ASKED
#define ASKED 4 /* how many davit asks for first */
#endif
#ifndef GOES
#define GOES 2 /* how many go */
#endif
#define READINGS 3
#define OVERLAP 1
#define NONE 255

byte there = (1 << THINGS) - 1;
byte goes = GOES;

#define hold(property, condition) assert(property != 0 && (condition))
#define LISTS 103

#define isThere(n) ((there >> (n)) & 1)
#define isKnown(n) ((known >> (n)) & 1)

#ifdef SHORT_PAGE_ENDS
#define isLast (length < limit || covered >= total)
#else
#define isLast (length == 0 || covered >= total)
#endif
#ifdef PAGES_WITHOUT_OVERLAP
#define nextOffset covered
#define isGap false
#else
#define nextOffset (covered - OVERLAP)
#define isGap (offset > 0 && (first == NONE || !((knownBefore >> first) & 1)))
#endif

/* One request: a page of the list as it is now, and the list's length. */
inline read() {
  knownBefore = known; length = 0; total = 0; first = NONE;
  for (i : 0 .. THINGS - 1) {
    if
    :: isThere(i) ->
      if
      :: total >= offset && length < limit && length < MOST ->
        if
        :: first == NONE -> first = i
        :: else
        fi;
        known = known | (1 << i); length++
      :: else
      fi;
      total++
    :: else
    fi
  };
  i = 0; covered = offset + length
}

proctype Reader() {
  byte known, knownBefore, offset, limit, length, total, covered, first, readings, i;
reading:
  atomic {
    if
    :: readings == READINGS -> goto incomplete /* it says so */
    :: else -> readings++; known = 0; offset = 0; limit = ASKED
    fi
  };
page:
  atomic {
    read();
    if
    :: isGap -> goto reading
    :: else
    fi;
    if
    :: isLast ->
      hold(LISTS, (there & ~known) == 0);
      goto whole
    :: else
    fi;
    if
    :: known == knownBefore -> goto reading
    :: else -> offset = nextOffset; limit = (limit > MOST -> MOST : limit); goto page
    fi
  };
incomplete:
whole:
  skip
}

proctype Others() {
  byte n;
end:
  do
  :: atomic {
      goes > 0 ->
      goes--;
      select (n : 0 .. THINGS - 1);
      there = there & ~(1 << n); n = 0
    }
  od
}

init {
  atomic { run Others(); run Reader() }
}
