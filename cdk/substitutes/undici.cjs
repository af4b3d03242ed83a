// In the bundles, in place of undici, which loads its mocks, caches and WebSockets with the two parts that Kubernetes'
// client uses here. A kubeconfig with a proxy is refused before the third would be used.
const { fetch } = require('../../node_modules/undici/lib/web/fetch/index.js');
const Agent = require('../../node_modules/undici/lib/dispatcher/agent.js');

module.exports = { Agent, fetch, ProxyAgent: undefined };
