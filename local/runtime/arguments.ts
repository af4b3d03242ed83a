import { parseArgs } from 'node:util';
import * as z from 'zod';

const Listen = z
  .string()
  .regex(/^(\[[0-9a-fA-F:]+\]|[^:[\]]+):\d{1,5}$/, 'expected HOST:PORT, for example 127.0.0.1:8080')
  .transform((text) => {
    const at = text.lastIndexOf(':');
    return { host: text.slice(0, at).replaceAll(/[[\]]/g, ''), port: Number(text.slice(at + 1)) };
  })
  .refine(({ port }) => port <= 65_535, 'expected a port up to 65535');

const SecretFile = z
  .string()
  .regex(/^[^=]+=.+$/, 'expected NAME=FILE, for example davit/gitea-token=token.txt')
  .transform((text) => {
    const at = text.indexOf('=');
    return { name: text.slice(0, at), file: text.slice(at + 1) };
  });

/** What the local runtime is told by its command line. */
export const RuntimeArguments = z.object({
  listen: Listen.prefault('127.0.0.1:8080'),
  'public-url': z
    .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  config: z.string().min(1).default('davit.yaml'),
  state: z.string().min(1).default('.davit'),
  secret: z.array(SecretFile).default([]),
  events: z.boolean().default(false),
  bundles: z.string().min(1).optional(),
});
export type RuntimeArguments = z.infer<typeof RuntimeArguments>;

export const runtimeHelp = `npm run local -- [options]

Runs davit on this machine: the same functions and the same state machine as on AWS, and a sandbox cluster whose Pods
are local processes. Stays up until Ctrl-C; what was running then goes on at the next start.

  --listen HOST:PORT   where the HTTP API listens (default 127.0.0.1:8080)
  --public-url URL     the API's URL as Pods reach it (default: where it listens)
  --config FILE        (default davit.yaml)
  --state DIR          tables, secrets, logs (default .davit)
  --secret NAME=FILE   give a secret that davit.yaml names the text of a file: a CI system's token or private key. It is
                       kept in the state; may be given several times
  --events             show each event that is sent to EventBridge
  --bundles DIR        run the bundles of a synthesised stack (cdk.out), each in clean processes of its own, in place of
                       the sources
  --help               this text

With KUBECONFIG set, its current context is used in place of the sandbox, for every cluster of the config; --public-url
is needed then, as the Pods of another machine cannot reach this one's loopback.`;

/**
 * Reads the command line.
 *
 * @returns 'help' when the help is asked for
 * @throws Error whose message names each argument that is wrong
 */
export function readRuntimeArguments(args: string[]): RuntimeArguments | 'help' {
  const string = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      listen: string,
      'public-url': string,
      config: string,
      state: string,
      secret: { type: 'string', multiple: true },
      events: { type: 'boolean' },
      bundles: string,
      help: { type: 'boolean' },
    },
  });
  if (values.help) return 'help';
  const parsed = RuntimeArguments.safeParse(values);
  if (parsed.success) return parsed.data;
  throw new Error(parsed.error.issues.map(({ path, message }) => `--${path[0]?.toString()}: ${message}`).join('\n'));
}
