import type { FunctionName } from '../../functions/manifest.ts';
import type { SigningSecrets } from '../../functions/ports/signing-secrets.ts';
import { createSigningSecrets } from '../../functions/signing/create-signing-secrets.ts';
import type { Invocation } from './invocation.ts';
import type { Random } from './random.ts';
import type { SimulatedSecretsManager } from './secrets-manager.ts';

/** As `createSecrets` keeps secrets. */
const maxAgeMs = 300_000;

/** What a process of Lambda's keeps from one invocation to the next; it has one at a time. */
class Process {
  invocation: Invocation;
  readonly signing: (id: string) => SigningSecrets;

  constructor(first: Invocation, manager: SimulatedSecretsManager) {
    this.invocation = first;
    this.signing = createSigningSecrets({
      current: (id) => this.invocation.reads('store', () => manager.current(id)),
      previous: (id) => this.invocation.reads('store', () => manager.previous(id)),
      maxAgeMs,
      nowEpochMs: () => this.invocation.nowEpochMs(),
    });
  }
}

/** Lambda's processes: an invocation goes to one that is idle, or to a new one; a run that dies takes its own along. */
export class Processes {
  readonly #random: Random;
  readonly #manager: SimulatedSecretsManager;
  readonly #idle = new Map<FunctionName, Process[]>();

  constructor(random: Random, manager: SimulatedSecretsManager) {
    this.#random = random;
    this.#manager = manager;
  }

  /** The secrets as the process of an invocation has them, which it takes when it first asks for one. */
  signingOf(invocation: Invocation): (id: string) => SigningSecrets {
    let taken: Process | undefined;
    return (id) => {
      taken ??= this.#take(invocation);
      return taken.signing(id);
    };
  }

  #take(invocation: Invocation): Process {
    const idle = this.#idle.get(invocation.functionName) ?? [];
    this.#idle.set(invocation.functionName, idle);
    const isNew = idle.length === 0 || this.#random.chance(0.1);
    const taken = isNew ? undefined : idle.splice(this.#random.whole(0, idle.length - 1), 1)[0];
    const process = taken ?? new Process(invocation, this.#manager);
    process.invocation = invocation;
    invocation.onFinish(() => idle.push(process));
    return process;
  }
}
