import { useEffect, useState } from 'preact/hooks';
import { durationWords } from '../../view/duration.ts';
import type { ConsoleSettings } from '../console-settings.ts';
import { answered, api, type Launch } from './api.ts';
import { type CostRow, costRows, pricesInWords, sumOf } from './cost.ts';
import { messageOf } from './hooks.ts';
import { Table, Title } from './parts.tsx';
import { hrefOf } from './route.ts';

const spans = { '1': 'a day', '7': 'a week', '14': 'two weeks' } as const;
const dayMs = 24 * 3_600_000;
const mostPages = 50;

interface Counted {
  launches: readonly Launch[];
  isAll: boolean;
  isDone: boolean;
  nowEpochMs: number;
}

/** The cost of launches, by repository and workflow, computed here from davit's records. */
export function CostPage({ query, settings }: { query: URLSearchParams; settings: ConsoleSettings }) {
  const days = Object.keys(spans).find((key) => key === query.get('days')) ?? '1';
  const [counted, setCounted] = useState<Counted>();
  const [trouble, setTrouble] = useState<string>();
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const ended = new AbortController();
    setTrouble(undefined);
    setCounted(undefined);
    count(Number(days), ended.signal, setCounted).catch((error: unknown) => {
      if (!ended.signal.aborted) setTrouble(messageOf(error));
    });
    return () => ended.abort();
  }, [days, tries]);
  return (
    <main>
      <Title>Cost</Title>
      <p>
        The launches of:{' '}
        {Object.entries(spans).map(([key, words]) => (
          <a
            key={key}
            class="choice"
            href={hrefOf('cost', '', new URLSearchParams({ days: key }))}
            aria-current={key === days ? 'true' : undefined}
          >
            {words}
          </a>
        ))}
      </p>
      {trouble === undefined ? null : (
        <p role="alert" class="trouble">
          {trouble}{' '}
          <button type="button" onClick={() => setTries(tries + 1)}>
            Try again
          </button>
        </p>
      )}
      <p role="status">{countedWords(counted, trouble !== undefined)}</p>
      {counted === undefined ? null : <CostTable counted={counted} settings={settings} />}
    </main>
  );
}

/** Reads launches page by page, and shows each sum on the way. */
async function count(days: number, signal: AbortSignal, show: (counted: Counted) => void): Promise<void> {
  const nowEpochMs = Date.now();
  const since = new Date(nowEpochMs - days * dayMs).toISOString();
  let launches: Launch[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const query = { since, limit: 100, ...(cursor === undefined ? {} : { cursor }) };
    const page = answered(await api.GET('/launches', { params: { query }, signal }));
    launches = [...launches, ...page.launches];
    cursor = page.cursor;
    const isDone = cursor === undefined || pages === mostPages - 1;
    show({ launches, isAll: cursor === undefined, isDone, nowEpochMs });
    if (isDone) return;
  }
}

function countedWords(counted: Counted | undefined, isBroken: boolean): string {
  if (counted === undefined) return isBroken ? '' : 'Reading …';
  const { launches, isAll, isDone } = counted;
  if (isBroken) return `${launches.length} launches, and older ones that have not been read.`;
  if (!isDone) return `${launches.length} launches so far, still reading …`;
  return `${launches.length} launches${isAll ? '' : ': there are more than this page reads'}.`;
}

function CostTable({ counted, settings }: { counted: Counted; settings: ConsoleSettings }) {
  const { launches, nowEpochMs } = counted;
  const rows = costRows(launches, settings, nowEpochMs);
  const none: CostRow = { of: '', launches: 0, podSeconds: 0, podDollars: 0, unpricedSeconds: 0, davitDollars: 0 };
  const sum = rows.reduce(sumOf, none);
  return (
    <>
      <section class="card scroll" tabIndex={0} aria-label="Cost by repository and workflow">
        <Table
          columns={['Repository · workflow']}
          numbers={Object.keys(cellsOf(sum))}
          foot={
            <tfoot>
              <Row row={sum} name="all" />
            </tfoot>
          }
        >
          {rows.map((row) => (
            <Row key={row.of} row={row} name={row.of === '' ? 'of no known job' : row.of} />
          ))}
        </Table>
      </section>
      <p class="words">
        Pod time counts from a launch's request until everything of it is gone, the wait for a node included. A Pod
        costs its profile's price for that time: <code>pricePerHour</code> in davit.yaml, or <code>--price</code>.
        {pricesInWords(launches, settings).map((words) => ` ${words}.`)}{' '}
        {settings.dollarsPerLaunch === undefined
          ? 'A local davit costs nothing itself.'
          : `davit's own part is AWS' list price of a launch, $${settings.dollarsPerLaunch}.`}
      </p>
    </>
  );
}

function Row({ row, name }: { row: CostRow; name: string }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {Object.entries(cellsOf(row)).map(([title, text]) => (
        <td key={title} class="number" data-label={title}>
          {text}
        </td>
      ))}
    </tr>
  );
}

/** The cells of a row, by the titles of their columns. */
function cellsOf(row: CostRow): Readonly<Record<string, string>> {
  return {
    Launches: `${row.launches}`,
    'Pod time': durationWords(row.podSeconds * 1000),
    Pods: podWords(row),
    davit: dollars(row.davitDollars),
  };
}

function podWords({ podDollars, podSeconds, unpricedSeconds }: CostRow): string {
  if (unpricedSeconds === 0) return dollars(podDollars);
  if (unpricedSeconds === podSeconds) return 'no price';
  return `${dollars(podDollars)}, and ${durationWords(unpricedSeconds * 1000)} without a price`;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 4 : 2)}`;
}
