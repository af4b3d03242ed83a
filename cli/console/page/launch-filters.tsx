import { useEffect, useState } from 'preact/hooks';
import type { Status } from './api.ts';
import { hrefOf } from './route.ts';

/** Every status, in the order of a launch's life. */
export const allStatuses: readonly Status[] = ['launching', 'connected', 'cleaning', 'failed', 'terminated'];

/** Which launches a list shows. */
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
  const chosen = (query.get('status') ?? '').split(',').filter((status) => status !== '');

  function change(name: string, value: string): void {
    const changed = new URLSearchParams(query);
    if (value === '') changed.delete(name);
    else changed.set(name, value);
    location.hash = hrefOf('launches', '', changed);
  }

  function toggle(status: Status, isOn: boolean): void {
    const rest = allStatuses.filter((each) => (each === status ? isOn : chosen.includes(each)));
    change('status', rest.join(','));
  }

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

interface TextFilterProps {
  name: (typeof texts)[number];
  /** The value in the address. */
  value: string;
  offers: readonly string[];
  onChange: (value: string) => void;
}

/** An input with offers. It keeps what the person types while the page renders anew; Enter and Tab apply it. */
function TextFilter({ name, value, offers, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
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
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      <datalist id={`offers-${name}`}>
        {offers.map((offer) => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
    </label>
  );
}
