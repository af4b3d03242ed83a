import * as fc from 'fast-check';
import type { Json } from '../../../../sandbox/api/json.ts';
import { applyJsonPatch, JsonPatch, JsonPatchError } from '../../../../sandbox/api/json-patch.ts';

const apply = (document: Json, patch: unknown): Json => applyJsonPatch(document, JsonPatch.parse(patch));

describe('the examples of RFC 6902, appendix A', () => {
  test.each<[string, Json, unknown, Json]>([
    ['A.1 adds a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    [
      'A.2 adds an element',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 removes a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 removes an element',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replaces a value',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 moves a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 moves an element',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 tests values',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 adds a nested member',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    [
      'A.11 ignores unknown members',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
      { foo: 'bar', baz: 'qux' },
    ],
    [
      'A.14 unescapes ~1 after ~0',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: 10 }],
      { '/': 9, '~1': 10 },
    ],
    [
      'A.16 adds an array',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
  ])('%s', (_, document, patch, result) => {
    expect(apply(document, patch)).toEqual(result);
  });

  test.each<[string, Json, unknown]>([
    ['A.9 a test that fails', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }]],
    ['A.12 a missing target', { foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }]],
    ['A.15 a number is not a string', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }]],
    ['an index past the end', { foo: ['bar'] }, [{ op: 'add', path: '/foo/2', value: 'qux' }]],
    ['an index with a leading zero', { foo: ['a', 'b'] }, [{ op: 'remove', path: '/foo/01' }]],
    ['a missing member', {}, [{ op: 'replace', path: '/foo', value: 1 }]],
    ['a move into itself', { a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/b' }]],
  ])('%s is refused', (_, document, patch) => {
    expect(() => apply(document, patch)).toThrow(JsonPatchError);
  });
});

const pointer = (key: string): string => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

describe('a JSON patch', () => {
  test('that adds a member and removes it again changes nothing, whatever the key', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), fc.jsonValue(), (object, key, value) => {
        fc.pre(!Object.hasOwn(object, key) && key !== '__proto__');
        const document = JSON.parse(JSON.stringify(object)) as Json;
        const patch = [
          { op: 'add', path: pointer(key), value: JSON.parse(JSON.stringify(value)) as Json },
          { op: 'remove', path: pointer(key) },
        ];

        const result = apply(document, patch);

        expect(result).toEqual(document);
      }),
    );
  });

  test('leaves the original document unchanged', () => {
    const document = { list: [1, 2, 3], nested: { a: 1 } };

    apply(document, [
      { op: 'remove', path: '/list/0' },
      { op: 'add', path: '/nested/b', value: 2 },
    ]);

    expect(document).toEqual({ list: [1, 2, 3], nested: { a: 1 } });
  });
});
