import { Component } from 'preact';
import { phasesOf } from '../../view/phases.ts';
import { whyOf } from '../../view/why.ts';
import type { Launch } from './api.ts';
import { Ago, Badge, ThinLine } from './parts.tsx';
import { hrefOf } from './route.ts';
import { agoWords, originOf, titleOf } from './words.ts';

interface RowProps {
  launch: Launch;
  index: number;
  /** Pixels from the top of the list. */
  top: number;
  now: number;
  isTabStop: boolean;
  onFocus: (launchId: string) => void;
}

/** One launch of a list. It renders again only after a change, so that scrolling renders only the new rows. */
export class LaunchRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    return propNames.some((name) => this.props[name] !== next[name]);
  }

  override render(props: RowProps) {
    return drawn(props);
  }
}

const propNames = ['launch', 'index', 'top', 'now', 'isTabStop', 'onFocus'] as const;

function drawn({ launch, index, top, now, isTabStop, onFocus }: RowProps) {
  const { launchId, status, plan, requestedAt } = launch;
  const { what, code, detail, since } = whyOf(launch, now);
  const trouble = [code, detail].filter((part) => part !== undefined).join(': ');
  return (
    <div role="row" class="row" aria-rowindex={index + 2} style={{ transform: `translateY(${top}px)` }}>
      <span role="cell" class="cell status">
        <Badge of={status} />
      </span>
      <span role="cell" class="cell launch">
        <a href={hrefOf('launches', launchId)} tabIndex={isTabStop ? 0 : -1} onFocus={() => onFocus(launchId)}>
          {titleOf(launch)}
        </a>
        <small>{originOf(launch) || launchId}</small>
      </span>
      <span role="cell" class="cell profile">
        {plan?.profile}
      </span>
      <span role="cell" class="cell cluster">
        {plan?.cluster}
      </span>
      <span role="cell" class="cell age">
        <Ago at={requestedAt} now={now} />
      </span>
      <span role="cell" class="cell now">
        <ThinLine phases={phasesOf(launch, now)} />
        <small title={trouble}>
          {what} ({agoWords(since, now)}){trouble === '' ? '' : `: ${trouble}`}
        </small>
      </span>
    </div>
  );
}
