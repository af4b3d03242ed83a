/** A document. */
export interface Page {
  /** Its path in docs/. */
  name: string;
  markdown: string;
}

/** A group of links beside the text. */
export interface SidebarGroup {
  text: string;
  collapsed?: boolean;
  items: { text: string; link: string }[];
}

/** The documents by what a reader wants to do. Those that are not named are at the end. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Start: ['index.md', 'comparison.md'],
  Install: ['any-cluster.md', 'install-helm.md', 'deploy.md', 'aws-network.md', 'cdk-app.md'],
  'Connect a CI': ['github.md', 'gitea.md', 'jenkins.md', 'buildkite.md', 'forgejo.md', 'gitlab.md'],
  Guides: [
    'guides/README.md',
    'guides/image-builds.md',
    'guides/caches.md',
    'guides/service-containers.md',
    'guides/private-registries.md',
    'guides/cloud-identity.md',
    'guides/spot-nodes.md',
    'guides/gpus.md',
    'guides/arm64.md',
    'guides/kueue.md',
    'guides/monorepos.md',
    'guides/several-organizations.md',
    'guides/alerts.md',
    'guides/debugging.md',
    'guides/from-arc.md',
    'guides/from-jenkins-plugin.md',
    'guides/from-agent-stack-k8s.md',
    'guides/from-gitlab-runner.md',
  ],
  Operate: [
    'operations.md',
    'console.md',
    'console-failures.md',
    'alarms.md',
    'aws-operate.md',
    'aws-rotate.md',
    'aws-remove.md',
    'security.md',
    'compatibility.md',
    'conformance.md',
    'acceptance.md',
  ],
  Reference: [
    'configuration.md',
    'cli.md',
    'api.md',
    'errors.md',
    'events.md',
    'metrics.md',
    'limits.md',
    'cost.md',
    'construct.md',
  ],
  'How it works': ['how-it-works.md', 'invariants.md', 'proof.md', 'model.md', 'chaos.md', 'peers.md', 'fuzz.md'],
};

/** Sorts the documents into groups. @throws Error for a group that names a document that there is not */
export function sidebarOf(pages: readonly Page[]): SidebarGroup[] {
  const itemOf = (name: string) => {
    const page = pages.find((candidate) => candidate.name === name);
    if (page === undefined) throw new Error(`docs/.vitepress/sidebar.ts names ${name}, which is not in docs/`);
    return { text: titleOf(page), link: linkOf(name) };
  };
  const named = new Set(Object.values(groups).flat());
  const others = pages.map(({ name }) => name).filter((name) => !named.has(name));
  return [
    ...Object.entries(groups).map(([text, names]) => ({ text, items: names.map(itemOf) })),
    { text: 'Decisions', collapsed: true, items: others.filter(isDecision).map(itemOf) },
    { text: 'More', collapsed: true, items: others.filter((name) => !isDecision(name)).map(itemOf) },
  ];
}

function isDecision(name: string): boolean {
  return name.startsWith('adr/');
}

function titleOf({ name, markdown }: Page): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? name;
}

/** The page's address. A folder's README is its index. */
function linkOf(name: string): string {
  return `/${name.replace(/\.md$/, '').replace(/(^|\/)(index|README)$/, '$1')}`;
}
