import * as z from 'zod';
import { labelKeys } from '../../core/launch/names.ts';
import type { PodView } from '../../core/pod/kubernetes-objects.ts';
import type { Manifest } from '../../core/pod/manifest.ts';
import { secretVariable } from './ci-port.ts';
import type { CiServer } from './ci-server.ts';
import type { Core } from './core.ts';
import type { Gateway } from './gateway.ts';
import type { AgentProcess } from './node.ts';
import type { Scheduled } from './scheduler.ts';
import { isWarmLaunch } from './warm.ts';

/** The time in which `curl --retry 120` asks an API that answers `Retry-After: 1`, with the time of the answers. */
const patienceMs = 180_000;

/** How long an answer takes for which connect waits, in milliseconds. */
const askMs = 800;

const AgentSpec = z.object({
  containers: z.array(z.object({ env: z.array(z.object({ name: z.string(), value: z.string() })).default([]) })).min(1),
});

const Refused = z.object({ type: z.string().optional(), credential: z.string().optional() });

const Connected = z.object({ environment: z.record(z.string(), z.string()).default({}) });

/** A build agent: asks for its token from its start on, until it gets its address or a 410. */
export class SimulatedAgent implements AgentProcess {
  /** Its output: a careless agent may print its environment. */
  readonly log: string;
  readonly #core: Core;
  readonly #gateway: Gateway;
  readonly #ci: CiServer;
  readonly #podUid: string;
  readonly #launchId: string;
  readonly #name: string;
  #credential: string;
  /** Its present credential, and its earlier ones. */
  readonly #credentials = new Set<string>();
  readonly #exit: (code: number) => void;
  readonly #isEager: boolean;
  #leavesAtEpochMs: number;
  #next: Scheduled | undefined;
  #alive = true;
  #told = 0;
  #registration: string | undefined;

  constructor(
    core: Core,
    { gateway, ci }: { gateway: Gateway; ci: CiServer },
    pod: PodView,
    manifest: Manifest,
    exit: (code: number) => void,
  ) {
    this.#core = core;
    this.#gateway = gateway;
    this.#ci = ci;
    this.#podUid = pod.metadata.uid;
    this.#launchId = manifest.metadata.labels[labelKeys.launchId] ?? '';
    const env = new Map(
      AgentSpec.parse(manifest.spec).containers.flatMap((container) =>
        container.env.map(({ name, value }) => [name, value] as const),
      ),
    );
    this.log = [...env].map(([name, value]) => `${name}=${value}`).join('\n');
    this.#name = env.get('DAVIT_AGENT_NAME') ?? '';
    this.#credential = env.get('DAVIT_CREDENTIAL') ?? '';
    this.#exit = exit;
    core.history.add({ kind: 'agentStarted', ...this.#whose() });
    this.#leavesAtEpochMs = this.#patientUntilEpochMs;
    this.#isEager = core.faults.hits('agentEager', this.#launchId);
    this.#credentials.add(this.#credential);
    gateway.credentials.add(this.#credential);
    if (core.faults.hits('agentNever', this.#launchId)) return;
    if (core.faults.hits('agentSlow', this.#launchId)) this.#askLater(500, 60_000);
    else this.#askLater(1, 500);
  }

  kill(): void {
    if (!this.#alive) return;
    this.#alive = false;
    this.#next?.cancel();
    this.#core.history.add({ kind: 'agentEnded', ...this.#whose() });
    if (this.#registration !== undefined) this.#ci.goOffline(this.#registration);
  }

  failJob(): void {
    if (this.#registration !== undefined) this.#ci.failJob(this.#registration);
  }

  #askLater(fromMs: number, toMs: number): void {
    this.#next = this.#core.scheduler.after(this.#core.random.between(fromMs, toMs), () => this.#ask());
  }

  #ask(): void {
    if (this.#core.faults.hits('agentForeign', this.#launchId)) this.#askAsAnother();
    if (this.#core.faults.hits('credentialForged', this.#launchId)) this.#askWith(this.#forged());
    if (this.#core.faults.hits('deletedJustThen', this.#launchId)) {
      this.#core.later(0, askMs, () => this.#gateway.deleteLaunch(this.#launchId));
    }
    const asked = { ...this.#whose(), ownCredential: true, askedAtEpochMs: this.#core.scheduler.nowEpochMs() };
    this.#gateway.connect(this.#name, this.#credential, (statusCode, body) => {
      if (!this.#alive) return;
      if (this.#core.faults.hits('agentDeaf', this.#launchId)) return this.#again();
      this.#core.history.add({ kind: 'answered', ...asked, statusCode, body });
      if (statusCode === 200) return this.#connected(Connected.parse(JSON.parse(body)));
      const { type, credential } = refusedIn(body);
      if (type === 'standing-by') return this.#standBy(credential);
      if (statusCode === 410 || this.#core.scheduler.nowEpochMs() > this.#leavesAtEpochMs) return this.#leave();
      this.#again();
    });
  }

  #again(): void {
    if (this.#isEager) this.#askLater(1, 150);
    else this.#askLater(900, 1100);
  }

  /** It asks for as long as it lives. */
  #standBy(renewed = this.#credential): void {
    this.#credential = renewed;
    this.#credentials.add(renewed);
    this.#gateway.credentials.add(renewed);
    if (isWarmLaunch(this.#launchId) && this.#core.faults.hits('warmLeaves', this.#launchId)) return this.#leaveSoon();
    this.#leavesAtEpochMs = this.#patientUntilEpochMs;
    this.#again();
  }

  get #patientUntilEpochMs(): number {
    return this.#core.scheduler.nowEpochMs() + patienceMs;
  }

  #connected({ environment }: z.infer<typeof Connected>): void {
    this.#told += 1;
    const registration = environment[secretVariable];
    if (registration !== undefined) return this.#join(registration);
    if (this.#core.faults.hits('agentFinishes', this.#launchId)) return this.#finishLater();
    if (this.#told < 3 && this.#core.faults.hits('agentTwice', this.#launchId)) this.#askLater(1, 20_000);
  }

  /** Starts the runner, unless its answer was lost on the way to the program that does so. */
  #join(registration: string): void {
    if (this.#told < 3 && this.#core.faults.hits('agentTwice', this.#launchId)) {
      return this.#askLater(1, this.#core.random.pick([20_000, 200_000]));
    }
    const isKnown = this.#ci.comeOnline(registration, { jobOver: () => this.#jobOver() });
    // Like a runner whose registration was removed: it prints an error, and exits.
    if (!isKnown) return this.#leaveSoon();
    this.#registration = registration;
    this.#ci.imitate(registration);
    if (isWarmLaunch(this.#launchId) && this.#core.faults.hits('warmLeaves', this.#launchId)) return this.#leaveSoon();
    if (this.#core.faults.hits('agentFinishes', this.#launchId)) this.#finishLater();
  }

  #jobOver(): void {
    if (this.#core.faults.hits('jobAsksAgain', this.#launchId)) this.#askForAnotherJob();
    this.#leaveSoon();
  }

  /** The job's code asks with its agent's credential, and starts a runner of its own with what it gets. */
  #askForAnotherJob(): void {
    const asked = { ...this.#whose(), ownCredential: true, askedAtEpochMs: this.#core.scheduler.nowEpochMs() };
    this.#gateway.connect(this.#name, this.#credential, (statusCode, body) => {
      if (!this.#alive) return;
      this.#core.history.add({ kind: 'answered', ...asked, statusCode, body });
      const registration =
        statusCode === 200 ? Connected.parse(JSON.parse(body)).environment[secretVariable] : undefined;
      if (registration !== undefined) this.#ci.comeOnline(registration, { jobOver: () => undefined });
    });
  }

  #leaveSoon(): void {
    this.#next = this.#core.scheduler.after(this.#core.random.between(10, 3000), () => this.#leave(0));
  }

  #finishLater(): void {
    this.#next = this.#core.scheduler.after(this.#core.random.between(10, 300_000), () => this.#leave(0));
  }

  #leave(exitCode = 1): void {
    if (!this.#alive) return;
    this.kill();
    this.#exit(exitCode);
  }

  #askAsAnother(): void {
    const others = [...this.#gateway.credentials].filter((credential) => !this.#credentials.has(credential));
    if (others.length > 0) this.#askWith(this.#core.random.pick(others));
  }

  #askWith(credential: string): void {
    const asked = { ...this.#whose(), ownCredential: false, askedAtEpochMs: this.#core.scheduler.nowEpochMs() };
    this.#gateway.connect(this.#name, credential, (statusCode, body) => {
      this.#core.history.add({ kind: 'answered', ...asked, statusCode, body });
    });
  }

  /** The agent's own credential, signed by a foreign key, under an existing version's name or none. */
  #forged(): string {
    const [mark = '', said = ''] = this.#credential.split('.');
    const keyId = this.#core.random.pick(['v1', 'v2', 'v9']);
    return [mark, said.replace(/^[^_]*/, keyId), 'a-key-of-their-own'].join('.');
  }

  #whose() {
    return { launchId: this.#launchId, agentName: this.#name, podUid: this.#podUid };
  }
}

/** Reads a problem; nothing of another answer, or none. */
function refusedIn(body: string): z.infer<typeof Refused> {
  return body === '' ? {} : Refused.parse(JSON.parse(body));
}
