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

/** The documents by what a reader is looking for. Those that are not named are at the end. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'Start here': ['index.md', 'github.md', 'gitea.md', 'jenkins.md', 'install-helm.md', 'deploy.md', 'any-cluster.md'],
  'Operating it': [
    'operations.md',
    'metrics.md',
    'alarms.md',
    'events.md',
    'recipes/README.md',
    'limits.md',
    'cost.md',
  ],
  'When something is wrong': ['errors.md', 'compatibility.md'],
  Reference: ['configuration.md', 'cli.md', 'api.md', 'construct.md', 'security.md'],
  'How it works': ['how-it-works.md', 'comparison.md', 'invariants.md', 'proof.md', 'model.md', 'chaos.md', 'fuzz.md'],
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
