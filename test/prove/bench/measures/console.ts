import { existsSync } from 'node:fs';
import * as z from 'zod';
import { run } from '../../cluster/run.ts';
import { chromiumPath } from '../../console/chromium.ts';
import type { LocalMeasure } from '../bench.ts';
import { atMost, type Contender, type Figure } from '../figure.ts';
import { summarise } from '../statistics.ts';

const samples = z.array(z.number());
const Frames = z.object({ empty: samples, atRest: samples, scrolled: samples });

/**
 * Measures how smoothly the console's list scrolls, in a separate browser. Another process provides davit's answers.
 */
export const consoleFrames: LocalMeasure = {
  takeLocally: async ({ size, say }) => {
    if (!existsSync(chromiumPath)) {
      say(`console: not measured, there is no ${chromiumPath}`);
      return [];
    }
    const output = await run(process.execPath, ['test/prove/console/frames.ts', `${size.frameSeconds}`]);
    const { empty, atRest, scrolled } = Frames.parse(JSON.parse(output));
    return [
      figureOf('at the top', atRest, empty),
      figureOf('while it is scrolled by 100 pixels a frame', scrolled, empty),
    ];
  },
};

function figureOf(what: string, frames: readonly number[], empty: readonly number[]): Figure {
  const console = p95Of('the console', frames);
  return {
    name: `console: 95 of 100 frames take at most, ${what}`,
    unit: 'ms',
    contenders: [p95Of('a page without a list', empty), console],
    goal: atMost(console.value, 50, 'measurement', ' ms'),
    note: 'drawn by the processor: the browser has no screen and no graphics card',
  };
}

function p95Of(name: string, frames: readonly number[]): Contender {
  const { p95, samples: number } = summarise(frames);
  return { name, value: p95, samples: number };
}
