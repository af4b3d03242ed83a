import type { CiProvider } from '../core/ci/ci-system-config.ts';

/** The options of `davit init` that fill keys of a CI system's entry in davit.yaml. */
export const entryOptions = ['ciUrl', 'ciUser', 'ciOrganization', 'ciScope'] as const;
export type EntryOption = (typeof entryOptions)[number];

/** A key of a first entry. */
export interface FirstKey {
  /** Its name in davit.yaml. */
  key: string;
  /** What a person is asked. @default nothing: the key has a default of its own */
  question?: string;
  /** What Enter answers. @default there is no such answer */
  enter?: string;
}

/** How `davit init` begins with a CI system of a kind. */
export interface FirstEntry {
  /** The labels of a first profile, separated by commas. */
  labels: string;
  /** The keys of its entry, in the order of `entryOptions`. */
  keys: Partial<Record<EntryOption, FirstKey>>;
}

/** GitHub's own; Gitea knows them, too. */
const githubLabels = 'self-hosted,linux,x64';
const url: FirstKey = { key: 'url' };

function ownUrl(of: CiProvider): FirstKey {
  return { key: 'url', question: `The URL of ${of}?` };
}

/** How `davit init` begins with each kind of CI system. Agents of Jenkins and GitLab have no label that all of them share. */
export const firstEntries: Readonly<Record<CiProvider, FirstEntry>> = {
  github: { labels: githubLabels, keys: { ciUrl: url } },
  gitea: { labels: githubLabels, keys: { ciUrl: ownUrl('gitea') } },
  jenkins: {
    labels: 'linux',
    keys: { ciUrl: ownUrl('jenkins'), ciUser: { key: 'user', question: "davit's user?", enter: 'davit' } },
  },
  buildkite: {
    labels: 'queue=default',
    keys: {
      ciUrl: url,
      ciOrganization: { key: 'organization', question: "The slug of Buildkite's organization?" },
    },
  },
  forgejo: {
    labels: 'docker',
    keys: {
      ciUrl: ownUrl('forgejo'),
      ciScope: { key: 'scope', question: 'Whose jobs? (admin, user, orgs/NAME or repos/OWNER/NAME)' },
    },
  },
  gitlab: {
    labels: 'linux',
    keys: { ciUrl: url, ciOrganization: { key: 'group', question: "The path of GitLab's group?" } },
  },
  standard: { labels: githubLabels, keys: {} },
};

/** The kinds of CI systems that have an option. */
export function providersWith(option: EntryOption): string[] {
  return Object.entries(firstEntries).flatMap(([provider, { keys }]) => (option in keys ? [provider] : []));
}
