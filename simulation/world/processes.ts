import type { SigningSecrets } from '../../ports/secrets.ts';
import type { FunctionName } from '../../runtime/function-settings.ts';
import { createSigningSecrets } from '../../runtime/signing/create-signing-secrets.ts';
import type { Invocation } from './invocation.ts';
import type { Random } from './random.ts';
import type { SimulatedSecretsManager } from './secrets-manager.ts';

/** The caching time of `createSecrets`. */
const maxAgeMs = 300_000;

/** The state of a Lambda process between its invocations; it has one invocation at a time. */
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

/** Lambda's processes: an invocation goes to an idle or a new process; a run that dies ends its process. */
export class Processes {
  readonly #random: Random;
  readonly #manager: SimulatedSecretsManager;
  readonly #idle = new Map<FunctionName, Process[]>();

  constructor(random: Random, manager: SimulatedSecretsManager) {
    this.#random = random;
    this.#manager = manager;
  }

  /** The secrets of an invocation's process, chosen when the invocation first reads one. */
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
