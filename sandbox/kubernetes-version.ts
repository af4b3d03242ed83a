/** The version of Kubernetes that the sandbox behaves like: the API server's and the nodes'. */
export const kubernetesVersion = 'v1.33.6';
