import * as z from 'zod';
import { failure, httpError } from './answers.ts';
import type { JenkinsNode } from './records.ts';

const inboundLauncher = 'hudson.slaves.JNLPLauncher';
/** A part of the form that names its Java class, by either of Stapler's keys. */
const Described = z.looseObject({ 'stapler-class': z.string().optional(), $class: z.string().optional() });

/** The form of the page that creates a permanent agent, as DumbSlave's constructor and setters read it. */
const NodeForm = z.looseObject({
  nodeDescription: z.string().default(''),
  numExecutors: z.coerce.number().int(),
  remoteFS: z.string(),
  labelString: z.string().default(''),
  mode: z.enum(['NORMAL', 'EXCLUSIVE']).default('NORMAL'),
  launcher: Described.extend({ webSocket: z.boolean().default(false) }),
});

/**
 * Makes a node from the form field `json` of `doCreateItem`.
 *
 * @throws Refusal 400 without the field, 500 for a form that Stapler cannot bind
 * @see org.kohsuke.stapler.RequestImpl#getSubmittedForm, hudson.slaves.DumbSlave, hudson.model.Slave
 */
export function nodeOfForm(name: string, json: string | null): JenkinsNode {
  if (json === null || json === '') throw httpError(400, 'This page expects a form submission');
  const form = NodeForm.safeParse(readJson(json));
  if (!form.success) throw httpError(500, z.prettifyError(form.error));
  const { nodeDescription, numExecutors, remoteFS, labelString, mode, launcher } = form.data;
  const launcherClass = launcher['stapler-class'] ?? launcher.$class;
  if (launcherClass !== inboundLauncher)
    throw httpError(500, `the fake knows ${inboundLauncher} only, not ${launcherClass}`);
  if (numExecutors < 1) throw httpError(500, `Invalid agent configuration for ${name}. Invalid number of executors.`);
  const labels = labelString.split(/\s+/).filter((label) => label !== '');
  const { webSocket } = launcher;
  const executors = Array.from({ length: numExecutors }, () => undefined);
  return { name, labels, description: nodeDescription, remoteFs: remoteFS, mode, webSocket, executors };
}

/** @throws Refusal 400 for a name that Jenkins does not accept @see jenkins.model.Jenkins#checkGoodName */
export function checkGoodName(name: string): void {
  if (name === '') throw failure('No name is specified');
  // oxlint-disable-next-line no-control-regex -- Jenkins refuses control codes
  if (/[\u0000-\u001f\u007f]/.test(name)) throw failure(`No control code is allowed: ${JSON.stringify(name)}`);
  const unsafe = /[?*/\\%!@#$^&|<>[\]:;]/.exec(name)?.[0];
  if (unsafe !== undefined) throw failure(`‘${unsafe}’ is an unsafe character`);
  if (name === '.' || name === '..') throw failure(`‘${name}’ is not an allowed name`);
  if (name.endsWith('.')) throw failure('A name cannot end with ‘.’');
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw httpError(400, `the field json is no JSON: ${String(error)}`);
  }
}
