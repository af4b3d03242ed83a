/** A stack as CloudFormation describes it. */
export interface StackState {
  /** Its ARN: unlike its name, it stays valid after the deletion. */
  id: string;
  status: string;
  reason?: string;
  outputs: Readonly<Record<string, string>>;
}

/** One event of a stack. */
export interface StackEvent {
  id: string;
  atEpochMs: number;
  logicalId: string;
  physicalId?: string;
  type: string;
  status: string;
  reason?: string;
}

/** One change of a change set. */
export interface StackChange {
  action: string;
  logicalId: string;
  type: string;
  /** `True`, `False` or `Conditional`; absent for an addition. */
  replacement?: string;
  properties: readonly string[];
  /** What happens to the resource itself when it leaves the stack: `Retain`. */
  policy?: string;
}

/** A change set when CloudFormation has made it, or failed to. */
export interface ChangeSet {
  id: string;
  status: string;
  reason?: string;
  changes: readonly StackChange[];
}

/** The stack of a deployment, in CloudFormation. Each method throws a CliError if AWS refuses or does not answer. */
export interface StackPort {
  /** @param id its ARN @default the stack of the deployment's name, which a deleted stack has no more */
  describe(id?: string): Promise<StackState | undefined>;
  /** The events, newest first. */
  events(id: string): AsyncIterable<StackEvent>;
  /** @returns the change set's id; CloudFormation makes it in the background */
  createChangeSet(type: 'CREATE' | 'UPDATE', templateUrl: string): Promise<string>;
  describeChangeSet(id: string): Promise<ChangeSet>;
  deleteChangeSet(id: string): Promise<void>;
  executeChangeSet(id: string): Promise<void>;
  delete(id: string): Promise<void>;
  template(): Promise<string>;
  /** The physical names of the resources, by their logical ids. */
  resources(id: string): Promise<ReadonlyMap<string, string>>;
}
