import { ClusterConfig } from '../../../../core/config/config.ts';

const server = { endpoint: 'https://x.example', certificateAuthority: 'LS0tLS1CRUdJTiBDRVJU' };
const eks = { clusterName: 'eu', server };
const isOneAccess = 'expected either kubeconfigSecret or eks';

test.each([
  { access: {}, issue: { code: 'custom', message: isOneAccess, path: [] } },
  {
    access: { kubeconfigSecret: 'kubeconfig', eks },
    issue: { code: 'custom', message: `${isOneAccess}, and not both`, path: [] },
  },
  {
    access: { eks: { ...eks, server: { ...server, endpoint: 'http://x.example' } } },
    issue: { message: 'expected an https: URL without a path', path: ['eks', 'server', 'endpoint'] },
  },
  {
    access: { eks: { ...eks, server: { ...server, certificateAuthority: 'a PEM' } } },
    issue: { message: 'expected a PEM certificate in base64', path: ['eks', 'server', 'certificateAuthority'] },
  },
])('a cluster with $access is refused with what was expected: $issue.message', ({ access, issue }) => {
  expect(ClusterConfig.safeParse({ name: 'eu', ...access }).error?.issues).toMatchObject([issue]);
});
