import { TerminalError, TransientError } from '../../core/errors/errors.ts';
import type * as z from '../../core/zod.ts';
import { type CiConnection, type CiRequest, callCi, parseAnswer } from '../ci-http.ts';
import {
  Build,
  buildTree,
  itemTree,
  type JenkinsNode,
  KnownItem,
  Nodes,
  nodesTree,
  Queue,
  type QueueItem,
  queueTree,
} from './answers.ts';
import { nodeForm } from './node-form.ts';
import { pathInJenkins } from './project.ts';
import { SessionWatch } from './session-watch.ts';

/** Every request that davit makes to a Jenkins. Each method may throw what `callCi` throws. */
export class JenkinsApi {
  readonly #connection: CiConnection;
  /** Notices a restart of Jenkins from its answers. */
  readonly session: SessionWatch;

  constructor(connection: CiConnection, nowEpochMs: () => number) {
    this.#connection = connection;
    this.session = new SessionWatch(nowEpochMs);
  }

  /** Reads the queue, with each reason in English. */
  async queue(): Promise<QueueItem[]> {
    return (await this.#ask({ method: 'GET', path: `/queue/api/json?tree=${queueTree}` }, Queue)).items;
  }

  /** Reads one item. @returns undefined five minutes after it has left the queue */
  async item(id: number): Promise<KnownItem | undefined> {
    return this.#askUnlessGone({ method: 'GET', path: `/queue/item/${id}/api/json?tree=${itemTree}` }, KnownItem);
  }

  /** Reads every node. The list is complete, and shows one moment. */
  async nodes(): Promise<JenkinsNode[]> {
    return (await this.#ask({ method: 'GET', path: `/computer/api/json?tree=${nodesTree}` }, Nodes)).computer;
  }

  /** Reads a build by its URL, see `pathInJenkins`. */
  async build(url: string): Promise<Build | undefined> {
    const path = `${pathInJenkins(url)}/api/json?tree=${buildTree}`;
    return this.#askUnlessGone({ method: 'GET', path }, Build);
  }

  /** Makes a node for an inbound agent. @throws TransientError WriteConflict when there is a node of this name */
  async createNode(name: string, labels: readonly string[]): Promise<void> {
    if (!this.session.isKnown) await this.#call({ method: 'GET', path: '/api/json?tree=nodeName' });
    const form = nodeForm(name, labels, this.session.mark);
    const query = new URLSearchParams({ name, type: 'hudson.slaves.DumbSlave' });
    const path = `/computer/doCreateItem?${query.toString()}`;
    const { status, headers, text } = await this.#call({ method: 'POST', path, form, expect: [302, 400] });
    if (status !== 400) return;
    const words = wordsOf(headers, text) ?? '400';
    const detail = `${this.#connection.name}: no node ${name} was made: ${words}`;
    if (/already exists/.test(`${words} ${text}`)) throw new TransientError('WriteConflict', detail);
    throw new TerminalError('CiRefused', detail);
  }

  /** Reads the secret with which the agent of a node connects. */
  async secretOf(name: string): Promise<string> {
    const path = `${pathOf(name)}/jenkins-agent.jnlp`;
    const { text } = await this.#call({ method: 'GET', path });
    const secret = /<argument>([0-9a-f]+)<\/argument>/.exec(text)?.[1];
    if (secret !== undefined) return secret;
    throw new TransientError('CiUnavailable', `${this.#connection.name}: GET ${path}: an answer without a secret`);
  }

  /** Sets a node offline with a reason, whatever it was before. A node that is gone is success. */
  async setOffline(name: string, reason: string): Promise<void> {
    const query = new URLSearchParams({ offlineMessage: reason });
    const path = `${pathOf(name)}/changeOfflineCause?${query.toString()}`;
    await this.#call({ method: 'POST', path, expect: [302, 404] });
  }

  /** Deletes a node, and whatever it runs. @returns whether there was one */
  async deleteNode(name: string): Promise<boolean> {
    const { status } = await this.#call({ method: 'POST', path: `${pathOf(name)}/doDelete`, expect: [302, 404] });
    return status !== 404;
  }

  async #call(request: CiRequest): ReturnType<typeof callCi> {
    const answer = await callCi(this.#connection, request);
    this.session.note(answer.headers);
    return answer;
  }

  async #ask<Answer>(request: CiRequest, schema: z.core.$ZodType<Answer>): Promise<Answer> {
    return parseAnswer(this.#connection, request, schema, (await this.#call(request)).body);
  }

  async #askUnlessGone<Answer>(request: CiRequest, schema: z.core.$ZodType<Answer>): Promise<Answer | undefined> {
    const { status, body } = await this.#call({ ...request, expect: [404] });
    return status === 404 ? undefined : parseAnswer(this.#connection, request, schema, body);
  }
}

function pathOf(name: string): string {
  return `/computer/${encodeURIComponent(name)}`;
}

/**
 * Reads Jenkins' words from its error pages: a missing permission, or what is wrong with a request. The names in them are
 * short: without a bound, a page of one long line would take the square of its length.
 */
export function wordsOf(headers: Headers, text: string): string | undefined {
  const [missing] = /[^<>\n]{0,200} is missing the [^<>\n]{0,100} permission/.exec(text) ?? [];
  return missing?.trim() ?? headers.get('x-error') ?? undefined;
}
