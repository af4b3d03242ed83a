import { tellTrouble } from '../../../../local/runtime/tell-trouble.ts';

test('a trouble is told once, and so is its end; each kind of work has its own', () => {
  const said: string[] = [];
  const tell = tellTrouble((line) => said.push(line));
  const away = { subject: 'gitea', message: 'no answer in 5 s' };

  tell('reconcile', [away, { subject: 'hub', message: 'refused' }]);
  tell('reconcile', [{ ...away, message: 'no answer in 6 s' }]);
  tell('poll of jenkins', [{ subject: 'HTTP 503' }]);
  tell('reconcile', []);
  tell('reconcile', [away]);

  expect(said).toEqual([
    'reconcile: gitea: no answer in 5 s',
    'reconcile: hub: refused',
    'reconcile: over: hub',
    'poll of jenkins: HTTP 503',
    'reconcile: over: gitea',
    'reconcile: gitea: no answer in 5 s',
  ]);
});
