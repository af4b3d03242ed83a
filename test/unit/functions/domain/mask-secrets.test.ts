import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { maskSecrets } from '../../../../functions/domain/mask-secrets.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJkYXZpdCJ9.c2lnbmF0dXJl-_x';

describe('what is masked without being known', () => {
  test.each([
    { fact: 'a JWT', text: `DAVIT_CREDENTIAL=${jwt} set`, masked: 'DAVIT_CREDENTIAL=[masked] set' },
    { fact: 'a JWT whose end is cut off', text: `got ${jwt.slice(0, 30)}`, masked: 'got [masked]' },
    { fact: 'a bearer token', text: 'Authorization: Bearer abc.def-1/2+3==', masked: 'Authorization: Bearer [masked]' },
    { fact: 'basic credentials', text: 'authorization: basic dXNlcjpwYXNz', masked: 'authorization: basic [masked]' },
  ])('$fact', ({ text, masked }) => {
    expect(maskSecrets(text, [])).toBe(masked);
  });

  test('a text without any stays as it is', () => {
    expect(maskSecrets('Listening on 0.0.0.0:8811, keyboard ok', [])).toBe('Listening on 0.0.0.0:8811, keyboard ok');
  });
});

describe('a value that is given', () => {
  test('is masked wherever it is', () => {
    expect(maskSecrets('hunter2 is not hunter22', ['hunter2'])).toBe('[masked] is not [masked]2');
  });

  test('is masked whole, even where another is a part of it', () => {
    expect(maskSecrets('password is password123', ['password', 'password123'])).toBe('[masked] is [masked]');
  });

  test('of several lines is masked line by line', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQ\r\n-----END KEY-----\n';

    expect(maskSecrets('loaded MIIEvQ', [key])).toBe('loaded [masked]');
    expect(maskSecrets(key, [key])).toBe('[masked]');
  });

  test('that is too short to be a secret is left', () => {
    expect(maskSecrets('took 1 s', ['1', ''])).toBe('took 1 s');
  });

  test('is never in what comes out, whatever is before and after it', () => {
    // Letters that the mask itself has none of.
    const anySecret = fc.string({
      unit: fc.constantFrom('X', 'Y', '0', '8', '$', '&', '.', '*'),
      minLength: 4,
      maxLength: 12,
    });
    fc.assert(
      fc.property(anySecret, fc.string(), fc.string(), (secret, before, after) => {
        expect(maskSecrets(`${before}${secret}${after}`, [secret])).not.toContain(secret);
      }),
    );
  });
});
