/** How to run the runners of one kind of CI system, unless a profile says otherwise. */
export interface RunnerPreset {
  /** The container's image. */
  image: string;
  /**
   * The image's program that runs the agent. The sandbox, which has no images, runs it if this machine has it. @default the
   * sandbox cannot run it
   */
  program?: string;
  /** Starts the image's runner: lines for a POSIX shell that has the registration's environment as its variables. */
  start: string;
}

/**
 * Makes the command of a runner's container: it asks davit until davit answers, reads the runner's registration into
 * shell variables, and goes on with `start`. It needs a POSIX shell, and curl or wget.
 *
 * No part of the answer is on disk, on a command line or in the environment of a process, unless `start` puts it there.
 * Removes davit's own credential from the runner's environment.
 *
 * | answer | what happens |
 * |---|---|
 * | 200 and davit's complete assignments | it evaluates them and runs `start` |
 * | 410 | the launch is over: exit 0 |
 * | 401 | the credential is not accepted: exit 1 |
 * | 202 | no job waits: it takes over the new credential, if there is one, and asks again; davit holds each request |
 * | anything else, or none | it asks again after `Retry-After`, or after 2 s |
 *
 * Makes curl and wget print the same: first the head of the answer, or an error, then the body. A busybox wget shows
 * neither `Retry-After` nor the body of an error, so this script asks for a 202 where others get a 503.
 *
 * @param start lines for a POSIX shell; the last one replaces the shell by the runner
 */
export function connectScript(start: string): string {
  return `${ask}${start}`;
}

const ask = `trap 'exit 143' TERM
trap 'exit 130' INT
begin='# davit: begin'
end='# davit: end'
split='# davit: split'
renewal='# davit: credential '
newline='
'
ask() {
  if command -v curl >/dev/null; then
    curl --silent --show-error --include --suppress-connect-headers --max-time 35 --request POST \\
      --header "Authorization: Bearer $DAVIT_CREDENTIAL" --header 'Accept: text/x-shellscript; standby=202' \\
      "$DAVIT_CONNECT_URL" 2>&1
  else
    both=$({
      head=$(wget -S -O - -T 35 -t 1 --header "Authorization: Bearer $DAVIT_CREDENTIAL" \\
        --header 'Accept: text/x-shellscript; standby=202' --post-data '' "$DAVIT_CONNECT_URL" 2>&1 >&3)
      printf '%s%s' "$split" "$head"
    } 3>&1)
    printf '%s\\n\\n%s' "\${both##*"$split"}" "\${both%"$split"*}"
  fi
}
if ! command -v curl >/dev/null && ! command -v wget >/dev/null; then
  echo 'davit: the image has neither curl nor wget' >&2
  exit 127
fi
said=
while :; do
  answer=$(ask)
  case $answer in *"$begin"*"$end"*) break ;; esac
  case $answer in
    *"$renewal"*' .'*)
      renewed=\${answer##*"$renewal"}; renewed=\${renewed%% *}
      case $renewed in *[!A-Za-z0-9._-]*) ;; *) DAVIT_CREDENTIAL=$renewed ;; esac
      ;;
  esac
  case $answer in
    *HTTP/*) status=\${answer#*HTTP/}; status=\${status#* }; status=\${status%"\${status#???}"} ;;
    *) status= ;;
  esac
  case $status in
    410) echo 'davit: the launch is over' >&2; exit 0 ;;
    401) echo 'davit: the credential is not accepted' >&2; exit 1 ;;
    [1-5][0-9][0-9]) ;;
    *) status="no answer: \${answer##*"$newline"}" ;;
  esac
  [ "$status" = "$said" ] || echo "davit: not yet: $status" >&2
  said=$status
  pause=\${answer#*[Rr]etry-[Aa]fter: }
  pause=\${pause%%[!0-9]*}
  case $pause in [1-9] | [1-5][0-9]) ;; *) pause=2 ;; esac
  sleep "$pause" & wait $!
done
answer=\${answer#*"$begin"}
eval "\${answer%"$end"*}"
unset DAVIT_CREDENTIAL DAVIT_CONNECT_URL answer
trap - TERM INT
`;
