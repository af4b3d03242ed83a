import { startFakeForgejo } from '../../../support/forgejo/start-fake-forgejo.ts';

test.each([
  ['a parameter of another operation', 'GET', '/orgs/acme/actions/runners?labels=linux', undefined, 400],
  ['a parameter of the operation', 'GET', '/orgs/acme/actions/runners?limit=1', undefined, 200],
  ['a field that it does not have', 'POST', '/orgs/acme/actions/runners', { name: 'one', labels: ['linux'] }, 422],
  ['the fields that it has', 'POST', '/orgs/acme/actions/runners', { name: 'one', ephemeral: true }, 201],
  ['another organization', 'GET', '/orgs/nowhere/actions/runners', undefined, 404],
])("a fake Forgejo holds requests to Forgejo's description: %s", async (_what, method, path, body, status) => {
  const forgejo = await startFakeForgejo();
  try {
    const response = await fetch(`${forgejo.url}/api/v1${path}`, {
      method,
      headers: { authorization: `token ${forgejo.token}` },
      ...(body && { body: JSON.stringify(body) }),
    });

    expect(response.status).toBe(status);
  } finally {
    await forgejo.stop();
  }
});
