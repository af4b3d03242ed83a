import * as fc from 'fast-check';
import type { Json } from '../../../../sandbox/api/json.ts';
import { applyMergePatch } from '../../../../sandbox/api/merge-patch.ts';
import { applyStrategicMergePatch } from '../../../../sandbox/api/strategic-merge-patch.ts';

describe('a JSON merge patch does as RFC 7386, appendix A, says', () => {
  test.each<[Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j patched with %j is %j', (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result);
  });

  test('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (target, patch) => {
        const once = applyMergePatch(target as Json, patch as Json);

        expect(applyMergePatch(once, patch as Json)).toEqual(once);
      }),
    );
  });
});

describe('a strategic merge patch', () => {
  test('merges containers and their environment by name', () => {
    const target = {
      containers: [
        { name: 'agent', image: 'agent:1', env: [{ name: 'A', value: '1' }] },
        { name: 'sidecar', image: 'sidecar:1' },
      ],
    };
    const patch = { containers: [{ name: 'agent', env: [{ name: 'B', value: '2' }] }] };

    expect(applyStrategicMergePatch(target, patch)).toEqual({
      containers: [
        {
          name: 'agent',
          image: 'agent:1',
          env: [
            { name: 'A', value: '1' },
            { name: 'B', value: '2' },
          ],
        },
        { name: 'sidecar', image: 'sidecar:1' },
      ],
    });
  });

  test('merges conditions by type and ports by port', () => {
    const target = { conditions: [{ type: 'Ready', status: 'False' }], ports: [{ port: 80, nodePort: 30_001 }] };
    const patch = { conditions: [{ type: 'Ready', status: 'True' }], ports: [{ port: 80, name: 'http' }] };

    expect(applyStrategicMergePatch(target, patch)).toEqual({
      conditions: [{ type: 'Ready', status: 'True' }],
      ports: [{ port: 80, nodePort: 30_001, name: 'http' }],
    });
  });

  test('deletes an element by its directive', () => {
    const target = { env: [{ name: 'A' }, { name: 'B' }] };

    expect(applyStrategicMergePatch(target, { env: [{ $patch: 'delete', name: 'A' }] })).toEqual({
      env: [{ name: 'B' }],
    });
  });

  test('replaces a list whose elements have no key', () => {
    expect(applyStrategicMergePatch({ args: ['a', 'b'] }, { args: ['c'] })).toEqual({ args: ['c'] });
  });

  test('adds finalizers to the existing ones and deletes the named ones', () => {
    const target = { finalizers: ['a/b', 'c/d'] };

    expect(applyStrategicMergePatch(target, { finalizers: ['e/f'] })).toEqual({ finalizers: ['a/b', 'c/d', 'e/f'] });
    expect(applyStrategicMergePatch(target, { '$deleteFromPrimitiveList/finalizers': ['a/b'] })).toEqual({
      finalizers: ['c/d'],
    });
  });
});
