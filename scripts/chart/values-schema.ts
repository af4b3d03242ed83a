/** A Kubernetes object's map of strings, such as labels. */
const strings = { type: 'object', additionalProperties: { type: 'string' } };
/** What Kubernetes itself checks. */
const anyObject = { type: 'object' };
const anyList = { type: 'array', items: anyObject };
const level = { enum: ['privileged', 'baseline', 'restricted'] };
const flag = { type: 'boolean' };
const text = { type: 'string' };
const name = { type: 'string', minLength: 1 };
/** As Prometheus writes it; empty for the default. */
const duration = { type: 'string', pattern: '^([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$' };
/** An object for the Prometheus operator, which selects it by its labels. */
const operatorObject = { enabled: flag, namespace: text, labels: strings, annotations: strings };
const url = { type: 'string', pattern: '^https?://[^/\\s]+' };

/**
 * Makes the schema of the chart's values: helm names the place of what is wrong before it asks the cluster.
 *
 * @param config the schema of davit.yaml
 * @see https://helm.sh/docs/topics/charts/#schema-files
 */
export function valuesSchema(config: object): object {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'The values of the chart davit',
    ...closed(
      {
        config: { ...config, description: 'davit.yaml' },
        image: closed({
          repository: name,
          tag: text,
          digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
          pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
        }),
        imagePullSecrets: anyList,
        publicUrl: { anyOf: [url, { const: '' }] },
        listen: { type: 'string', pattern: '^(\\[[0-9a-fA-F:]+\\]|[0-9.]+)$' },
        secrets: { type: 'array', items: closed({ name, secretName: name, key: name }, ['name', 'secretName', 'key']) },
        service: closed({
          type: { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
          nodePort: { type: 'integer', minimum: 0, maximum: 65_535 },
          port: { type: 'integer', minimum: 1, maximum: 65_535 },
          clusterIP: text,
          annotations: strings,
        }),
        serviceAccount: closed({ create: flag, name: text, annotations: strings }),
        agents: closed({
          create: flag,
          podSecurity: level,
          podSecurityOf: { type: 'object', additionalProperties: level },
          maxAgents: { type: 'integer', minimum: 1 },
          maxStorage: { type: 'string', pattern: '^[1-9][0-9]*Gi$' },
        }),
        persistence: closed({
          storageClass: text,
          size: { type: 'string', pattern: '^[1-9][0-9]*(Mi|Gi|Ti)$' },
          accessMode: { enum: ['ReadWriteOnce', 'ReadWriteOncePod'] },
          annotations: strings,
          selector: anyObject,
        }),
        ingress: closed({
          enabled: flag,
          className: text,
          host: text,
          annotations: strings,
          tlsSecretName: text,
          agents: flag,
        }),
        networkPolicy: closed({
          enabled: flag,
          ingressFrom: anyList,
          egressPorts: { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65_535 } },
          egress: anyList,
        }),
        podDisruptionBudget: closed({ enabled: flag }),
        metrics: closed({
          enabled: flag,
          // 8080 is the port of webhooks and connect; davit has no rights for a port below 1024.
          port: { type: 'integer', minimum: 1024, maximum: 65_535, not: { const: 8080 } },
          from: anyList,
          prometheusRule: closed(operatorObject),
          serviceMonitor: closed({
            ...operatorObject,
            interval: duration,
            scrapeTimeout: duration,
            relabelings: anyList,
            metricRelabelings: anyList,
          }),
        }),
        otlp: closed({ url: { anyOf: [url, { const: '' }] } }),
        resources: anyObject,
        env: anyList,
        nodeSelector: strings,
        tolerations: anyList,
        affinity: anyObject,
        priorityClassName: text,
        podAnnotations: strings,
        global: anyObject,
      },
      ['config'],
    ),
  };
}

/** Makes the schema of an object that has no other keys. */
function closed(properties: Readonly<Record<string, object>>, required: readonly string[] = []): object {
  return { type: 'object', properties, additionalProperties: false, ...(required.length === 0 ? {} : { required }) };
}
