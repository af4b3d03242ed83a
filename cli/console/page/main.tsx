import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ConsoleSettings } from '../console-settings.ts';
import { answered, api, type ClusterSummary, readSettings } from './api.ts';
import { AwayNote } from './away-note.tsx';
import { ClusterPage, ClustersPage } from './clusters-page.tsx';
import { CostPage } from './cost-page.tsx';
import { messageOf, type Polled, type ShownRoute, usePolled, useRoute, useScrollPlace } from './hooks.ts';
import { LaunchPage } from './launch-page.tsx';
import { LaunchesPage } from './launches-page.tsx';
import { NowPage } from './now-page.tsx';
import { Title } from './parts.tsx';
import { QueuePage } from './queue-page.tsx';
import { hrefOf } from './route.ts';
import { SweepPage } from './sweep-page.tsx';

/** The views that the navigation leads to. */
const views = {
  now: 'Now',
  launches: 'Launches',
  queue: 'Queue',
  clusters: 'Clusters',
  cost: 'Cost',
  sweep: 'Clean-up',
} as const;

/** The pause between two reads of the clusters: in each, davit counts its launches. */
const everyMs = 5000;

function Console({ settings }: { settings: ConsoleSettings }) {
  const route = useRoute();
  const { page, subject } = route;
  useScrollPlace(route);
  const clusters = useClusters();
  // A new view begins at its title, for screen readers.
  useEffect(() => {
    const title = document.querySelector<HTMLElement>('#title');
    document.title = `${title?.textContent ?? 'davit'} · davit`;
    title?.focus({ preventScroll: true });
  }, [page, subject]);
  return (
    <>
      <a class="skip" href="#title" onClick={skip}>
        Skip to the content
      </a>
      <header>
        <strong class="brand">davit</strong>
        <nav aria-label="Views">
          {Object.entries(views).map(([name, title]) => (
            <a key={name} href={hrefOf(name)} aria-current={name === page ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <span class="which">
          {settings.davit}, davit {settings.version}
        </span>
      </header>
      <AwayNote clusters={clusters.value ?? []} />
      <View route={route} settings={settings} clusters={clusters} />
    </>
  );
}

/** The clusters, for every page: all of them say when one is away. */
function useClusters(): Polled<readonly ClusterSummary[]> {
  return usePolled(async () => answered(await api.GET('/clusters')).clusters, everyMs, [], 'clusters');
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#title')?.focus();
}

interface ViewProps {
  route: ShownRoute;
  settings: ConsoleSettings;
  clusters: Polled<readonly ClusterSummary[]>;
}

function View({ route, settings, clusters }: ViewProps) {
  const { page, subject, query, entry } = route;
  switch (page) {
    case 'now':
      return <NowPage clusters={clusters} />;
    case 'launches':
      if (subject !== undefined) return <LaunchPage key={subject} launchId={subject} />;
      return <LaunchesPage query={query} entry={entry} />;
    case 'queue':
      return <QueuePage of={subject} />;
    case 'clusters':
      return subject === undefined ? (
        <ClustersPage clusters={clusters} />
      ) : (
        <ClusterPage key={subject} name={subject} />
      );
    case 'cost':
      return <CostPage query={query} settings={settings} />;
    case 'sweep':
      return <SweepPage />;
    default:
      return (
        <main>
          <Title>There is no such page</Title>
        </main>
      );
  }
}

function App() {
  const [settings, setSettings] = useState<ConsoleSettings>();
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    readSettings().then(setSettings, (error: unknown) => setTrouble(messageOf(error)));
  }, []);
  if (settings !== undefined) return <Console settings={settings} />;
  return (
    <main>
      <Title>davit</Title>
      {trouble === undefined ? null : <p role="alert">{trouble}</p>}
    </main>
  );
}

render(<App />, document.body);
