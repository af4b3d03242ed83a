import * as fc from 'fast-check';
import { maskSecrets } from '../../../../core/errors/mask-secrets.ts';

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJhdWQiOiJkYXZpdCJ9.c2lnbmF0dXJl-_x';

describe('masks secrets of unknown value', () => {
  test.each([
    { fact: 'a JWT', text: `DAVIT_CREDENTIAL=${jwt} set`, masked: 'DAVIT_CREDENTIAL=[masked] set' },
    { fact: 'a truncated JWT', text: `got ${jwt.slice(0, 30)}`, masked: 'got [masked]' },
    { fact: 'a bearer token', text: 'Authorization: Bearer abc.def-1/2+3==', masked: 'Authorization: Bearer [masked]' },
    { fact: 'a bearer token after several spaces', text: 'Bearer   abc', masked: 'Bearer [masked]' },
    { fact: 'basic credentials', text: 'authorization: basic dXNlcjpwYXNz', masked: 'authorization: basic [masked]' },
  ])('$fact', ({ text, masked }) => {
    expect(maskSecrets(text, [])).toBe(masked);
  });

  test('a text without secrets stays unchanged', () => {
    expect(maskSecrets('Listening on 0.0.0.0:8811, keyboard ok', [])).toBe('Listening on 0.0.0.0:8811, keyboard ok');
  });
});

describe('a given value', () => {
  test('is masked wherever it is', () => {
    expect(maskSecrets('hunter2 is not hunter22', ['hunter2'])).toBe('[masked] is not [masked]2');
  });

  test('is masked whole, even when another value is a part of it', () => {
    expect(maskSecrets('password is password123', ['password', 'password123'])).toBe('[masked] is [masked]');
  });

  test('is masked line by line when it has several lines', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQ\r\n-----END KEY-----\n';

    expect(maskSecrets('loaded MIIEvQ', [key])).toBe('loaded [masked]');
    expect(maskSecrets(key, [key])).toBe('[masked]');
  });

  test('is left when it is too short to be a secret', () => {
    expect(maskSecrets('took 1 s', ['1', ''])).toBe('took 1 s');
  });

  test('never appears in the output, whatever is around it', () => {
    // Letters that the mask itself does not contain.
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
