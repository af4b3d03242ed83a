import * as z from 'zod';
import { CiSystemName } from '../../core/ci/ci-system-keys.ts';
import { RunnerScope } from '../../core/config/profile.ts';
import { ArgumentError, readArguments } from '../../local/read-arguments.ts';

export { ArgumentError as GithubAppArgumentError };

/** The options of `davit github-app`. */
export interface GithubAppArguments {
  organization: string;
  /** davit's URL for this CI system's webhooks; absent before there is a davit. */
  webhookUrl?: string;
  /** The CI system's name in davit.yaml. */
  ciSystem: string;
  /** The GitHub, without a slash at its end. */
  url: string;
  name: string;
  /** Where the App may register runners. */
  scopes: readonly RunnerScope[];
  canRerun: boolean;
  /** The folder for the secrets. */
  out: string;
  /** The loopback port of the form; 0 for any free one. */
  port: number;
  printOnly: boolean;
}

/** The text of `--help`. */
export const githubAppHelp = `davit github-app --org ORG [options]

Makes the GitHub App as which davit acts in an organization. Prints the URL of a form on this machine; open it in a
browser in which you are an owner of the organization. Writes the App's private key and its webhook's secret to files that
only you can read, and prints what comes next: the installation, the secrets, the lines for davit.yaml. Waits an hour.

  --org ORG             the organization that will own the App
  --ci-system NAME      the name of the CI system in davit.yaml (default github)
  --webhook-url URL     where a davit that runs already takes its webhooks: https://…/webhooks/NAME (default: none yet;
                        \`davit deploy\` or \`davit webhook\` sets it)
  --url URL             a GitHub Enterprise Server (default https://github.com)
  --name NAME           the App's name, unique in all of that GitHub, up to 34 characters (default davit-ORG)
  --scope SCOPE         where davit registers runners, as in the profiles: organization or repository. Give it twice for
                        both (default organization)
  --rerun               also allow davit to run jobs again, for profiles with rerunWhenLost
  --out FOLDER          a folder to be made for the two secrets (default ./github-app)
  --port N              the form's port on 127.0.0.1 (default any free one)
  --print               print the App's manifest, and make nothing
  --help                this text
`;

const longestName = 34;
const defaultUrl = 'https://github.com';

/** A person's or an organization's login. @see https://docs.github.com/en/get-started/signing-up-for-github */
const organization = z
  .string('expected the name of an organization')
  .regex(/^[a-z\d](-?[a-z\d])*$/i, 'expected the name of an organization: letters, digits and single hyphens')
  .max(39, 'expected at most 39 characters');

const ciSystem = z.string().refine((text) => CiSystemName.safeParse(text).success, {
  error: ({ input }) => `expected up to 12 of a-z, 0-9 and -; found ${JSON.stringify(input)}`,
});

const webhookUrl = z
  .string()
  .refine((text) => isSecure(text) && new URL(text).search === '' && ciSystemOf(text) !== undefined, {
    error: ({ input }) =>
      `expected https://…/webhooks/NAME, NAME up to 12 of a-z, 0-9 and -; found ${JSON.stringify(input)}`,
  });

const githubUrl = z.string().refine((text) => isSecure(text) && new URL(text).origin === text, {
  error: ({ input }) =>
    `expected a URL such as https://github.example.com, without a path, found ${JSON.stringify(input)}`,
});

const Values = z.object({
  org: organization,
  'webhook-url': webhookUrl.optional(),
  'ci-system': ciSystem.optional(),
  url: githubUrl.default(defaultUrl),
  name: z
    .string()
    .trim()
    .min(1, 'expected a name')
    .max(longestName, `expected at most ${longestName} characters`)
    .optional(),
  scope: z.array(z.enum(RunnerScope.options, 'expected organization or repository')).default(['organization']),
  rerun: z.boolean().default(false),
  out: z.string().min(1, 'expected a folder').default('github-app'),
  port: z.coerce.number('expected a port').int('expected a port').min(0).max(65_535).default(0),
  print: z.boolean().default(false),
});

/**
 * Reads the command line.
 *
 * @returns 'help' for --help
 * @throws ArgumentError naming each argument that is wrong, and what was expected
 */
export function readGithubAppArguments(args: string[]): GithubAppArguments | 'help' {
  const read = readArguments(args, Values, { short: 'h' });
  if (read === 'help') return read;
  const { org, 'webhook-url': hook, 'ci-system': given, url, name, scope, rerun, out, port, print } = read;
  const inUrl = hook === undefined ? undefined : ciSystemOf(hook);
  if (given !== undefined && inUrl !== undefined && given !== inUrl)
    throw new ArgumentError(`--webhook-url: expected …/webhooks/${given}, as --ci-system says; found ${hook}`);
  return {
    organization: org,
    ...(hook === undefined ? {} : { webhookUrl: hook }),
    ciSystem: inUrl ?? given ?? 'github',
    url,
    name: name ?? `davit-${org}`.slice(0, longestName),
    scopes: [...new Set(scope)],
    canRerun: rerun,
    out,
    port,
    printOnly: print,
  };
}

function ciSystemOf(text: string): string | undefined {
  const name = /\/webhooks\/([^/]+)$/.exec(new URL(text).pathname)?.[1];
  return CiSystemName.safeParse(name).data;
}

/** The private key comes back from this host: in the clear only if that is this machine. */
function isSecure(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && hostname === '127.0.0.1');
}
