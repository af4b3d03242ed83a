// Programs import it lazily, since the client takes half a second to load. An import() of the client itself would bring all of
// its API classes into the package's bundle.
export { KubeConfig } from '@kubernetes/client-node';
