import { davitVersion } from '../../../../core/version.ts';
import { describeApi } from '../../../../functions/describe-api/describe-api.ts';
import { operations } from '../../../../functions/describe-api/operations.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { routes } from '../../../../runtime/function-settings.ts';
import { problems } from '../../../../runtime/http/problems.ts';

describe('the description of the API', () => {
  test('has every route, and no others', () => {
    const described = Object.entries(describeApi().paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    );

    expect(described.toSorted()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).toSorted());
    expect(Object.keys(operations).toSorted()).toEqual(described.toSorted());
  });

  test('has every problem except the one for unknown routes', () => {
    const text = JSON.stringify(describeApi());
    const absent = Object.keys(problems).filter((slug) => !text.includes(`https://davit.dev/problems/${slug}"`));

    expect(absent).toEqual(['route-unknown']);
  });

  test('asks for a signature on the routes that IAM guards, and only there', () => {
    const { paths } = describeApi();
    const signed = routes.filter(({ method, path }) => {
      const operation = paths[path]?.[method.toLowerCase()];
      return operation?.security?.some((one) => 'awsSigV4' in one);
    });

    expect(signed).toEqual(routes.filter(({ authorization }) => authorization === 'iam'));
  });

  test("has the package's version", () => {
    expect(davitVersion).toBe(packageJson.version);
  });

  test('leaves room for fields of later versions', () => {
    expect(describeApi().components.schemas['LaunchView']).not.toHaveProperty('additionalProperties');
    expect(describeApi(true).components.schemas['LaunchView']).toHaveProperty('additionalProperties', false);
  });
});
