/** A service that davit's tests cannot use, and its stand-in there. */
export interface StandIn {
  what: string;
  why: string;
  standIn: string;
  /** The questions that the stand-in leaves open. */
  open: string;
}

/** Every stand-in. */
export const standIns: readonly StandIn[] = [
  {
    what: 'GitHub, and GitHub Enterprise Server',
    why: 'no network reaches one',
    standIn:
      "`local/github`, whose every request and answer is held to GitHub's OpenAPI description. The contract suite that it passes also passes on a real Gitea",
    open: 'when GitHub gives a runner its job, how it orders its webhooks, and its limits of rates',
  },
  {
    what: "GitHub's webhooks",
    why: 'as above',
    standIn: "GitHub's own examples (`@octokit/webhooks-examples`), with real signatures",
    open: 'fields that GitHub adds or leaves out',
  },
  {
    what: "GitHub's runner (`actions/runner`)",
    why: 'its image cannot be had',
    standIn:
      "the reference agent, which speaks a protocol of `local/github`'s own; the preset's script runs in a shell, with a program in the place of `run.sh`",
    open: "that `run.sh` takes the registration's files from its directory: read from its source",
  },
  {
    what: "Gitea's runner (`act_runner`)",
    why: 'its image cannot be had',
    standIn:
      "`test/prove/ci/gitea/act-runner`: it speaks the runner's protocol with a real Gitea, and really runs each step. The preset's script starts it by the same command line and the same `.runner` pipe",
    open: 'what `act_runner` does beside that: containers of its own, caches, its answer to SIGTERM',
  },
  {
    what: 'AWS',
    why: 'no account',
    standIn: 'local servers that speak the protocols of AWS: see `docs/compatibility.md`',
    open: "quotas, latencies, and IAM's last word",
  },
];
