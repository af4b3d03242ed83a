import { Fn } from 'aws-cdk-lib';
import { checkedPublicUrl } from '../../cdk/constructs/public-url.ts';

describe('a public URL', () => {
  test.each([
    ['https://davit.example.com', 'https://davit.example.com'],
    ['https://davit.example.com/', 'https://davit.example.com'],
    ['https://example.com:8443/davit/', 'https://example.com:8443/davit'],
  ])('%s is used as %s', (given, used) => {
    expect(checkedPublicUrl(given)).toBe(used);
  });

  test('may have a name that only the deployment knows', () => {
    const name = Fn.ref('Distribution');

    expect(checkedPublicUrl(`https://${name}/`)).toBe(`https://${name}`);
  });

  test.each([
    ['http://davit.example.com', 'publicUrl: expected a URL that begins with https://'],
    ['davit.example.com', 'publicUrl: expected a URL that begins with https://'],
    ['https://', 'publicUrl: expected a URL, found https://'],
    ['https://davit.example.com/?a=1', 'publicUrl: expected no query'],
    ['https://davit.example.com/#a', 'publicUrl: expected no fragment'],
    ['https://user:word@davit.example.com', 'publicUrl: expected no credentials'],
  ])('%s is refused', (given, message) => {
    expect(() => checkedPublicUrl(given)).toThrow(message);
  });
});
