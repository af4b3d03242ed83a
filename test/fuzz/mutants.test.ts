import { describe, expect, jest, test } from '@jest/globals';
import * as z from 'zod';
import { runProcess } from '../../scripts/run-process.ts';
import { doors } from './doors.ts';
import { mutants } from './mutants/mutants.ts';

jest.setTimeout(60_000);

const seed = 20_260_601;
const inputs = 2000;

const Knocked = z.object({ changes: z.number(), detail: z.string().nullable() });

describe('a davit without one of its checks is found out', () => {
  test.each(mutants)('at the door $door: $name', async ({ name }) => {
    const args = ['test/fuzz/mutants/knock-at-mutant.ts', name, `${seed}`, `${inputs}`];

    const { output } = await runProcess(process.execPath, args, { cwd: '.' });
    const { changes, detail } = Knocked.parse(JSON.parse(output.slice(output.lastIndexOf('{"changes"'))));

    expect(changes).toBe(1);
    expect(detail).toMatch(/./);
  });

  test('at every door that is knocked at in a process of its own', () => {
    const served = ['gateway', 'API server', 'runtime'];
    const known = new Set([...mutants.map(({ door }) => door), ...served]);

    expect(doors.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
  });
});
