import * as z from 'zod';
import type { PodView } from '../../functions/domain/kubernetes-objects.ts';
import type { Manifest } from '../../functions/domain/manifest.ts';
import { labelKeys } from '../../functions/domain/names.ts';
import type { Core } from './core.ts';
import type { Gateway } from './gateway.ts';
import type { AgentProcess } from './node.ts';
import type { Scheduled } from './scheduler.ts';

/** As long as `curl --retry 120` asks an API that says `Retry-After: 1`, and its answers' time. */
const patienceMs = 180_000;

const AgentSpec = z.object({
  containers: z.array(z.object({ env: z.array(z.object({ name: z.string(), value: z.string() })).default([]) })).min(1),
});

/** A build agent: asks for its token from its first moment on, until it is told its address or that it is over. */
export class SimulatedAgent implements AgentProcess {
  /** What it says: an agent may be so careless as to print its environment. */
  readonly log: string;
  readonly #core: Core;
  readonly #gateway: Gateway;
  readonly #podUid: string;
  readonly #launchId: string;
  readonly #name: string;
  readonly #credential: string;
  readonly #exit: (code: number) => void;
  readonly #isEager: boolean;
  readonly #leavesAtEpochMs: number;
  #next: Scheduled | undefined;
  #alive = true;
  #told = 0;

  constructor(core: Core, gateway: Gateway, pod: PodView, manifest: Manifest, exit: (code: number) => void) {
    this.#core = core;
    this.#gateway = gateway;
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
    this.#leavesAtEpochMs = core.scheduler.nowEpochMs() + patienceMs;
    this.#isEager = core.faults.hits('agentEager', this.#launchId);
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
  }

  #askLater(fromMs: number, toMs: number): void {
    this.#next = this.#core.scheduler.after(this.#core.random.between(fromMs, toMs), () => this.#ask());
  }

  #ask(): void {
    if (this.#core.faults.hits('agentForeign', this.#launchId)) this.#askAsAnother();
    if (this.#core.faults.hits('credentialForged', this.#launchId)) this.#askWith(this.#forged());
    const asked = { ...this.#whose(), ownCredential: true, askedAtEpochMs: this.#core.scheduler.nowEpochMs() };
    this.#gateway.connect(this.#name, this.#credential, (statusCode, body) => {
      if (!this.#alive) return;
      if (this.#core.faults.hits('agentDeaf', this.#launchId)) return this.#again();
      this.#core.history.add({ kind: 'answered', ...asked, statusCode, body });
      if (statusCode === 200) return this.#connected();
      if (statusCode === 410 || this.#core.scheduler.nowEpochMs() > this.#leavesAtEpochMs) return this.#leave();
      this.#again();
    });
  }

  #again(): void {
    if (this.#isEager) this.#askLater(1, 150);
    else this.#askLater(900, 1100);
  }

  #connected(): void {
    this.#told += 1;
    if (this.#core.faults.hits('agentFinishes', this.#launchId)) return this.#finishLater();
    if (this.#told < 3 && this.#core.faults.hits('agentTwice', this.#launchId)) this.#askLater(1, 20_000);
  }

  #finishLater(): void {
    this.#next = this.#core.scheduler.after(this.#core.random.between(10, 300_000), () => this.#leave(0));
  }

  #leave(exitCode = 1): void {
    this.kill();
    this.#exit(exitCode);
  }

  #askAsAnother(): void {
    const others = [...this.#gateway.credentials].filter((credential) => credential !== this.#credential);
    if (others.length > 0) this.#askWith(this.#core.random.pick(others));
  }

  #askWith(credential: string): void {
    const asked = { ...this.#whose(), ownCredential: false, askedAtEpochMs: this.#core.scheduler.nowEpochMs() };
    this.#gateway.connect(this.#name, credential, (statusCode, body) => {
      this.#core.history.add({ kind: 'answered', ...asked, statusCode, body });
    });
  }

  /** The agent's own credential, by a key of somebody else's: of a version that there is, or of none. */
  #forged(): string {
    const [mark = '', said = ''] = this.#credential.split('.');
    const keyId = this.#core.random.pick(['v1', 'v2', 'v9']);
    return [mark, said.replace(/^[^_]*/, keyId), 'a-key-of-their-own'].join('.');
  }

  #whose() {
    return { launchId: this.#launchId, agentName: this.#name, podUid: this.#podUid };
  }
}
