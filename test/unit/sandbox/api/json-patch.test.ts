import * as fc from 'fast-check';
import type { Json } from '../../../../sandbox/api/json.ts';
import { applyJsonPatch, JsonPatch, JsonPatchError } from '../../../../sandbox/api/json-patch.ts';

const apply = (document: Json, patch: unknown): Json => applyJsonPatch(document, JsonPatch.parse(patch));

describe('of the examples of RFC 6902, appendix A,', () => {
  test.each<[string, Json, unknown, Json]>([
    [
      'A.6 moves a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.14 unescapes ~1 after ~0',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: 10 }],
      { '/': 9, '~1': 10 },
    ],
    ['one of our own replaces the whole document', { foo: 'bar' }, [{ op: 'replace', path: '', value: [] }], []],
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
