import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ConsoleSettings } from '../console-settings.ts';
import { readSettings } from './api.ts';
import { ClusterPage, ClustersPage } from './clusters-page.tsx';
import { CostPage } from './cost-page.tsx';
import { messageOf, type ShownRoute, useRoute, useScrollPlace } from './hooks.ts';
import { LaunchPage } from './launch-page.tsx';
import { LaunchesPage } from './launches-page.tsx';
import { Title } from './parts.tsx';
import { QueuePage } from './queue-page.tsx';
import { hrefOf } from './route.ts';
import { SweepPage } from './sweep-page.tsx';

/** The views that the navigation leads to. */
const views = { launches: 'Launches', queue: 'Queue', clusters: 'Clusters', cost: 'Cost', sweep: 'Sweep' } as const;

function Console({ settings }: { settings: ConsoleSettings }) {
  const route = useRoute();
  const { page, subject } = route;
  useScrollPlace(route);
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
      <View route={route} settings={settings} />
    </>
  );
}

function skip(event: Event): void {
  event.preventDefault();
  document.querySelector<HTMLElement>('#title')?.focus();
}

function View({ route, settings }: { route: ShownRoute; settings: ConsoleSettings }) {
  const { page, subject, query, entry } = route;
  switch (page) {
    case 'launches':
      if (subject !== undefined) return <LaunchPage key={subject} launchId={subject} />;
      return <LaunchesPage query={query} entry={entry} />;
    case 'queue':
      return <QueuePage />;
    case 'clusters':
      return subject === undefined ? <ClustersPage /> : <ClusterPage key={subject} name={subject} />;
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
