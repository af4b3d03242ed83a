import * as z from 'zod';
import { readArguments } from '../read-arguments.ts';
import { OtlpUrl } from '../telemetry/otlp-settings.ts';

const Listen = z
  .string()
  .regex(/^(\[[0-9a-fA-F:]+\]|[^:[\]]+):\d{1,5}$/, 'expected HOST:PORT, for example 127.0.0.1:8080')
  .transform((text) => {
    const at = text.lastIndexOf(':');
    return { host: text.slice(0, at).replaceAll(/[[\]]/g, ''), port: Number(text.slice(at + 1)) };
  })
  .refine(({ port }) => port <= 65_535, 'expected a port up to 65535');

/** A cluster of davit.yaml and the context of a kubeconfig that reaches it, of `NAME=CONTEXT`. */
export const NamedContext = z
  .string()
  .regex(/^[^=]+=.+$/, 'expected NAME=CONTEXT, for example builds=kind-builds')
  .transform((text) => {
    const at = text.indexOf('=');
    return { name: text.slice(0, at), context: text.slice(at + 1) };
  });
export type NamedContext = z.infer<typeof NamedContext>;

const SecretFile = z
  .string()
  .regex(/^[^=]+=.+$/, 'expected NAME=FILE, for example davit/gitea-token=token.txt')
  .transform((text) => {
    const at = text.indexOf('=');
    return { name: text.slice(0, at), file: text.slice(at + 1) };
  });

const Options = z.object({
  listen: Listen.prefault('127.0.0.1:8080'),
  'public-url': z
    .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
    .regex(/^[^?#]*$/, 'expected a URL without a query')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  config: z.string().min(1).default('davit.yaml'),
  state: z.string().min(1).default('.davit'),
  secret: z.array(SecretFile).default([]),
  scope: z.array(z.string().min(1)).default([]),
  cluster: z.array(NamedContext).default([]),
  'in-cluster': z.boolean().default(false),
  events: z.boolean().default(false),
  otlp: OtlpUrl.optional(),
  'metrics-listen': Listen.optional(),
});

/** The options of the local runtime's command line. */
export const RuntimeArguments = Options.refine(
  ({ listen, 'metrics-listen': metrics }) =>
    metrics === undefined || metrics.port === 0 || metrics.port !== listen.port,
  { path: ['metrics-listen'], error: 'expected another port than that of --listen' },
);
export type RuntimeArguments = z.infer<typeof RuntimeArguments>;

export const runtimeHelp = `npm run local -- [options]

Runs davit in one process: the same logic and the same state machine as on AWS, one SQLite file, and a sandbox cluster
whose Pods are local processes. Stays up until Ctrl-C. Launches that are under way then go on at the next start.

  --listen HOST:PORT   where the HTTP API listens (default 127.0.0.1:8080)
  --public-url URL     the API's URL as Pods reach it (default: where it listens)
  --config FILE        (default davit.yaml)
  --state DIR          davit.sqlite, which has everything that davit keeps, secrets included; logs (default .davit)
  --secret NAME=FILE   put the text of a file into a secret of davit.yaml: a CI system's token or private key, or another
                       cluster's kubeconfig. davit keeps it in the state directory, and reads the file again each
                       minute; may be given several times
  --scope OWNER        also make or correct the CI systems' webhooks to this davit, for acme or acme/app, as
                       davit webhook does; may be given several times
  --cluster NAME=CONTEXT
                       reach this cluster of davit.yaml by a context of KUBECONFIG other than the current one; may be
                       given several times
  --in-cluster         in a Pod: reach the Pod's own cluster as its ServiceAccount, without a KUBECONFIG, and log to the
                       standard output
  --events             show each event that AWS would send to EventBridge
  --otlp URL           send davit's metrics by OpenTelemetry, OTLP over HTTP, to URL/v1/metrics: for example
                       http://localhost:4318 (default: OTEL_EXPORTER_OTLP_ENDPOINT; without it, nothing is sent)
  --metrics-listen HOST:PORT
                       where Prometheus reads davit's metrics, at /metrics: for example 127.0.0.1:9464. The port is
                       another than that of --listen (default: nowhere)
  --help               this text

With KUBECONFIG set, davit uses its current context instead of the sandbox, for every cluster of the config that no
--cluster names. Then it needs --public-url, because the Pods of another machine cannot reach this one's loopback.

GET /healthz answers 200 while davit runs, GET /readyz while it takes requests.`;

/**
 * Reads the command line.
 *
 * @returns 'help' when the user asks for help
 * @throws ArgumentError whose message names each wrong argument
 */
export function readRuntimeArguments(args: string[]): RuntimeArguments | 'help' {
  return readArguments(args, RuntimeArguments);
}
