import { useEffect, useState } from 'preact/hooks';
import type { Status } from './api.ts';
import { hrefOf, readRoute } from './route.ts';

/** Every status, in the order of a launch's life. */
export const allStatuses: readonly Status[] = ['launching', 'connected', 'cleaning', 'failed', 'terminated'];

/** The launches that a list shows. */
export interface LaunchFilter {
  statuses: readonly Status[];
  profile?: string;
  cluster?: string;
  repository?: string;
}

const texts = ['profile', 'cluster', 'repository'] as const;

/** Reads the filter of an address. */
export function readFilter(query: URLSearchParams): LaunchFilter {
  const asked = (query.get('status') ?? '').split(',');
  const statuses = allStatuses.filter((status) => asked.includes(status));
  const rest = texts.flatMap((name) => {
    const value = query.get(name) ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  return { statuses: statuses.length === 0 ? allStatuses : statuses, ...Object.fromEntries(rest) };
}

/** Values to offer for a filter. */
export type Offers = Readonly<Record<(typeof texts)[number], readonly string[]>>;

/** The filters of a list. A change goes into the address, so that a link has it and the browser's Back undoes it. */
export function LaunchFilters({ query, offers }: { query: URLSearchParams; offers: Offers }) {
  const chosen = chosenOf(query);

  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <fieldset>
        <legend>Status</legend>
        {allStatuses.map((status) => (
          <label key={status} class="choice">
            <input
              type="checkbox"
              checked={chosen.includes(status)}
              onChange={({ currentTarget }) => toggle(status, currentTarget.checked)}
            />
            {status}
          </label>
        ))}
      </fieldset>
      {texts.map((name) => (
        <TextFilter
          key={name}
          name={name}
          value={query.get(name) ?? ''}
          offers={offers[name]}
          onChange={(value) => change(name, value)}
        />
      ))}
    </form>
  );
}

function chosenOf(query: URLSearchParams): string[] {
  return (query.get('status') ?? '').split(',').filter((status) => status !== '');
}

/**
 * Reads the query from the address, which may be newer than the page: a click outside of a text field applies its text,
 * and may then change another filter.
 */
function queryNow(): URLSearchParams {
  return readRoute(location.hash).query;
}

function change(name: string, value: string): void {
  const changed = queryNow();
  if (value === '') changed.delete(name);
  else changed.set(name, value);
  location.hash = hrefOf('launches', '', changed);
}

function toggle(status: Status, isOn: boolean): void {
  const chosen = chosenOf(queryNow());
  const rest = allStatuses.filter((each) => (each === status ? isOn : chosen.includes(each)));
  change('status', rest.join(','));
}

interface TextFilterProps {
  name: (typeof texts)[number];
  /** The value in the address. */
  value: string;
  offers: readonly string[];
  onChange: (value: string) => void;
}

/**
 * An input that offers values. It keeps the typed text while the page renders again. Pressing Enter or leaving the
 * input applies the text; the browser's own ways to clear it apply at once.
 */
function TextFilter({ name, value, offers, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const apply = ({ currentTarget }: { currentTarget: HTMLInputElement }) => onChange(currentTarget.value.trim());
  useEffect(() => setTyped(value), [value]);
  return (
    <label class="text-filter">
      {name}
      <input
        type="search"
        name={name}
        list={`offers-${name}`}
        value={typed}
        autocomplete="off"
        placeholder={name === 'repository' ? 'acme/app' : 'any'}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        onChange={apply}
        onSearch={apply}
      />
      <datalist id={`offers-${name}`}>
        {offers.map((offer) => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
    </label>
  );
}
