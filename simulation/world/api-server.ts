import { TerminalError } from '../../functions/domain/errors.ts';
import { NodeList } from './node-list.ts';

/** The API server of one cluster: what its namespaces share, and whether it can be reached. */
export class ApiServer {
  readonly name: string;
  /** Tells the clusters' addresses apart. */
  readonly number: number;
  readonly nodes: NodeList;
  /** Until when nobody reaches it. */
  outageUntilEpochMs = 0;
  #version = 0;
  #port = 30_000;

  constructor(name: string, number: number) {
    this.name = name;
    this.number = number;
    this.nodes = new NodeList(number);
  }

  /** @returns the next resourceVersion */
  readonly nextVersion = (): number => (this.#version += 1);

  /** @returns a uid that nothing else has, in whichever cluster */
  newUid(kind: string): string {
    return `${kind}-${this.name}-${this.#version + 1}`;
  }

  /** @returns the next nodePort */
  newPort(): number {
    this.#port += 1;
    return this.#port;
  }
}

/** Finds what has a name. @throws TerminalError ProfileUnknown, as `openClusters` does of a cluster that is not there */
export function named<Thing>(things: ReadonlyMap<string, Thing>, name: string): Thing {
  const thing = things.get(name);
  if (thing === undefined) throw new TerminalError('ProfileUnknown', `there is no ${name}`);
  return thing;
}
