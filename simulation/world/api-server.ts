import { TerminalError } from '../../core/errors/errors.ts';
import { NodeList } from './node-list.ts';

/** The API server of one cluster: the state that its namespaces share, and whether it is reachable. */
export class ApiServer {
  readonly name: string;
  /** Tells the clusters' addresses apart. */
  readonly number: number;
  readonly nodes: NodeList;
  outageUntilEpochMs = 0;
  #version = 1;
  #port = 30_000;

  constructor(name: string, number: number) {
    this.name = name;
    this.number = number;
    this.nodes = new NodeList(number);
  }

  get version(): number {
    return this.#version;
  }

  readonly nextVersion = (): number => (this.#version += 1);

  /** @returns a uid that no other object has, in any cluster */
  newUid(kind: string): string {
    return `${kind}-${this.name}-${this.#version + 1}`;
  }

  newPort(): number {
    this.#port += 1;
    return this.#port;
  }
}

/** Finds an entry by name. @throws TerminalError ProfileUnknown, as `openClusters` does for an unknown cluster */
export function named<Thing>(things: ReadonlyMap<string, Thing>, name: string): Thing {
  const thing = things.get(name);
  if (thing === undefined) throw new TerminalError('ProfileUnknown', `there is no ${name}`);
  return thing;
}
