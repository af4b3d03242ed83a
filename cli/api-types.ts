// `npm run docs` writes this file from the description of the HTTP API.

export interface components {
  schemas: {
    ApiDescription: {
      openapi: string;
      paths: Record<string, unknown>;
    };
    CleaningView: {
      because: string;
      since: string;
      forSeconds: number;
      askedAgainAt?: string;
    };
    ClusterList: {
      clusters: (components['schemas']['ClusterSummary'])[];
    };
    ClusterSummary: {
      name: string;
      connected: (boolean) | ("unknown");
      since?: string;
      reason?: "Unreachable" | "TimedOut" | "TLSFailed" | "Unauthorized" | "Forbidden" | "NamespaceMissing" | "KubeconfigInvalid" | "AccessMissing" | "Throttled" | "ServerFault" | "AdmissionUnavailable";
      error?: string;
      attempts?: number;
      nextAttemptAt?: string;
      lastSuccessAt?: string;
      namespaces: ({
        name: string;
        connected: (boolean) | ("unknown");
        since?: string;
        reason?: "Unreachable" | "TimedOut" | "TLSFailed" | "Unauthorized" | "Forbidden" | "NamespaceMissing" | "KubeconfigInvalid" | "AccessMissing" | "Throttled" | "ServerFault" | "AdmissionUnavailable";
        error?: string;
        attempts?: number;
        nextAttemptAt?: string;
        lastSuccessAt?: string;
      })[];
      version?: string;
      launches: {
        launching: number;
        connected: number;
        cleaning: number;
      };
      removed?: {
        left: number;
        commands: (string)[];
      };
    };
    ClusterView: {
      name: string;
      connected: (boolean) | ("unknown");
      since?: string;
      reason?: "Unreachable" | "TimedOut" | "TLSFailed" | "Unauthorized" | "Forbidden" | "NamespaceMissing" | "KubeconfigInvalid" | "AccessMissing" | "Throttled" | "ServerFault" | "AdmissionUnavailable";
      error?: string;
      attempts?: number;
      nextAttemptAt?: string;
      lastSuccessAt?: string;
      namespaces: ({
        name: string;
        connected: (boolean) | ("unknown");
        since?: string;
        reason?: "Unreachable" | "TimedOut" | "TLSFailed" | "Unauthorized" | "Forbidden" | "NamespaceMissing" | "KubeconfigInvalid" | "AccessMissing" | "Throttled" | "ServerFault" | "AdmissionUnavailable";
        error?: string;
        attempts?: number;
        nextAttemptAt?: string;
        lastSuccessAt?: string;
      })[];
      version?: string;
      launches: {
        launching: number;
        connected: number;
        cleaning: number;
      };
      removed?: {
        left: number;
        commands: (string)[];
      };
      history: ({
        namespace?: string;
        connected: (boolean) | ("unknown");
        reason?: "Unreachable" | "TimedOut" | "TLSFailed" | "Unauthorized" | "Forbidden" | "NamespaceMissing" | "KubeconfigInvalid" | "AccessMissing" | "Throttled" | "ServerFault" | "AdmissionUnavailable";
        error?: string;
        at: string;
      })[];
    };
    ConnectAnswer: {
      agentName: string;
      launchId: string;
      host: (string);
      port: number;
      tls: boolean;
      publishedAt: string;
      expiresAt: string;
      environment?: Record<string, string>;
    };
    DiagnosticsView: {
      log?: {
        container: string;
        text: string;
      };
      unread: (string)[];
      at: string;
      events: ({
        type: string;
        reason: string;
        message: string;
        count: number;
        lastSeenAt?: string;
      })[];
    };
    EndedLaunchView: {
      launchId: string;
      agentName: string;
      status: "launching" | "connected" | "cleaning" | "failed" | "terminated";
      requestedAt: string;
      timeline?: {
        startedAt: string;
        serviceAt?: string;
        portAt?: string;
        podAt?: string;
        scheduledAt?: string;
        containersAt?: string;
        hostAt?: string;
        tokenAt?: string;
      };
      connectedAt?: string;
      job?: components['schemas']['JobRunView'];
      signal?: components['schemas']['SignalView'];
      ending?: components['schemas']['EndingView'];
      cleaning?: components['schemas']['CleaningView'];
      diagnostics?: components['schemas']['DiagnosticsView'];
      cleanedAt?: string;
      left?: {
        clusters: (string)[];
        at: string;
      };
      plan?: components['schemas']['PlanView'];
      generations?: (components['schemas']['GenerationView'])[];
      labels?: Record<string, string>;
      envNames?: (string)[];
      forgottenAt: string;
      duplicate?: true;
    };
    EndingView: {
      outcome: "failed" | "terminated";
      code: string;
      message: string;
      by: string;
      actor?: {
        kind: "person" | "ciSystem" | "davit" | "aws";
        name: string;
      };
      isLoss?: true;
      means?: string;
      advice?: string;
      at: string;
    };
    GatewayMessage: {
      message: string;
    };
    GenerationView: {
      agentName: string;
      cluster?: string;
      code: string;
      message: string;
      means?: string;
      advice?: string;
      timeline?: {
        startedAt: string;
        serviceAt?: string;
        portAt?: string;
        podAt?: string;
        scheduledAt?: string;
        containersAt?: string;
        hostAt?: string;
        tokenAt?: string;
      };
      endedAt: string;
    };
    IgnoredAnswer: {
      ignored: true;
      reason: string;
    };
    JobAnswer: {
      launchId: string;
      status: "launching" | "connected" | "cleaning" | "failed" | "terminated";
      duplicate?: true;
    };
    JobList: {
      jobs: (components['schemas']['QueuedJobView'])[];
      cursor?: string;
    };
    JobRunView: {
      name?: string;
      repository?: string;
      workflow?: string;
      runId?: number;
      attempt?: number;
      queuedAt?: string;
      startedAt: string;
      jobKey: string;
      url?: string;
      agentName?: string;
      runner?: string;
      finishedAt?: string;
      conclusion?: string;
    };
    JobView: {
      name: string;
      repository?: string;
      workflow?: string;
      runId?: number;
      attempt: number;
      queuedAt?: string;
      startedAt?: string;
    };
    LaunchAnswer: {
      launchId: string;
      agentName: string;
      profile?: string;
      cluster?: string;
      status: "launching" | "connected" | "cleaning" | "failed" | "terminated";
      duplicate?: true;
      reason?: string;
    };
    LaunchList: {
      launches: (components['schemas']['LaunchView'])[];
      unreadable?: ({
        launchId: string;
        why: string;
      })[];
      cursor?: string;
    };
    LaunchRequest: {
      profile: string;
      jobId?: string;
      labels?: Record<string, string>;
      env?: Record<string, string>;
      sourceUrl?: string;
    };
    LaunchView: {
      launchId: string;
      agentName: string;
      status: "launching" | "connected" | "cleaning" | "failed" | "terminated";
      requestedAt: string;
      timeline?: {
        startedAt: string;
        serviceAt?: string;
        portAt?: string;
        podAt?: string;
        scheduledAt?: string;
        containersAt?: string;
        hostAt?: string;
        tokenAt?: string;
      };
      connectedAt?: string;
      job?: components['schemas']['JobRunView'];
      signal?: components['schemas']['SignalView'];
      ending?: components['schemas']['EndingView'];
      cleaning?: components['schemas']['CleaningView'];
      diagnostics?: components['schemas']['DiagnosticsView'];
      cleanedAt?: string;
      left?: {
        clusters: (string)[];
        at: string;
      };
      plan?: components['schemas']['PlanView'];
      generations?: (components['schemas']['GenerationView'])[];
      labels?: Record<string, string>;
      envNames?: (string)[];
      forgottenAt: string;
    };
    PlanView: {
      profile: string;
      cluster: string;
      namespace: string;
      expose: "nodePort" | "none";
      hostAddress: "hostIP" | "hostIPv4" | "hostIPv6" | "nodeInternalIP" | "nodeExternalIP";
      agentPort: number;
      tls: boolean;
      deadlines: {
        serviceSeconds: number;
        nodePortSeconds: number;
        podSeconds: number;
        placementSeconds: number;
        publishSeconds: number;
        connectSeconds: number;
        quotaSeconds: number;
        nodePortRangeSeconds: number;
      };
      graces: {
        imagePullSeconds: number;
        containerSeconds: number;
      };
      maxAgentLifetimeSeconds?: number;
      removeExitedAfterSeconds?: number;
      size?: {
        arch?: string;
        cpu?: string;
        gpu?: string;
        memory?: string;
      };
      pricePerHour?: number;
      join?: {
        ciSystem: string;
        scope: ({
          organization: string;
        }) | ({
          repository: {
            owner: string;
            name: string;
          };
        });
        runnerGroup?: string;
        repositories?: (string)[];
        labels: (string)[];
        idleSeconds: number;
        rerunWhenLost?: boolean;
      };
      jobKey?: string;
      sourceUrl?: string;
      traceHeader?: string;
      executionArn?: string;
      slots?: {
        attempt: string;
        limits: (string)[];
      };
      failover?: {
        clusters: (string)[];
        moves: number;
        failoverSeconds: number;
        spillSeconds: number;
      };
      generation: number;
      waitsForCluster?: true;
      maxRelaunches: number;
      job?: components['schemas']['JobView'];
      startedAt: string;
    };
    Problem: {
      type: string;
      title: string;
      status: number;
      detail: string;
      code?: string;
      requestId?: string;
      launchId?: string;
      profile?: string;
      profiles?: (string)[];
      clusters?: (string)[];
      errors?: ({
        path: string;
        detail: string;
      })[];
    };
    QueuedJobView: {
      jobKey: string;
      ciSystem: string;
      status: "waiting" | "queued" | "in_progress" | "completed";
      name: string;
      repository: string;
      workflow?: string;
      runId?: number;
      attempt: number;
      url?: string;
      labels: (string)[];
      seenAt: string;
      queuedAt?: string;
      waitsForSeconds: number;
      profile?: string;
      waitsFor: components['schemas']['WaitView'];
      launches: number;
      launch?: {
        launchId: string;
        agentName: string;
        status: "launching" | "connected" | "cleaning" | "failed" | "terminated";
      };
    };
    SignalView: {
      code: string;
      container?: string;
      detail: string;
      since: string;
      forSeconds: number;
    };
    StandardEvent: {
      type: string;
      data: {
        id: (string) | (number);
        attempt?: number;
        labels: (string)[];
        name?: string;
        repository?: string;
        runner?: {
          id: number;
          name: string;
        };
        url?: string;
        conclusion?: string;
      };
    };
    WaitView: {
      reason: "OtherJob" | "NoProfile" | "Limit" | "NotRequested" | "AgentLaunching" | "AgentConnected" | "AgentTaken" | "AgentEnded";
      detail: string;
      position?: number;
      signal?: components['schemas']['SignalView'];
    };
  };
}

export interface paths {
  '/openapi.json': {
    get: {
      parameters: {
        header?: {
          'If-None-Match'?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['ApiDescription'];
          };
        };
        304: {
          content?: never;
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
  };
  '/webhooks/{name}': {
    post: {
      parameters: {
        path: {
          name: string;
        };
      };
      requestBody: {
        content: {
          'application/json': (components['schemas']['StandardEvent']) | (Record<string, unknown>);
        };
      };
      responses: {
        200: {
          content: {
            'application/json': (components['schemas']['IgnoredAnswer']) | (components['schemas']['LaunchAnswer']) | (components['schemas']['JobAnswer']);
          };
        };
        202: {
          content: {
            'application/json': (components['schemas']['LaunchAnswer']) | (components['schemas']['JobAnswer']);
          };
        };
        400: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-malformed" | "https://davit.dev/problems/request-invalid";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        401: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/signature-refused";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        404: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/ci-system-unknown";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
  };
  '/agents/{agentName}/connect': {
    post: {
      parameters: {
        path: {
          agentName: string;
        };
        query?: {
          as?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['ConnectAnswer'];
            'text/x-shellscript': string;
          };
        };
        401: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/credential-refused";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        410: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/launch-over";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/token-pending" | "https://davit.dev/problems/registration-pending" | "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
  };
  '/launches': {
    post: {
      parameters: {
        header?: {
          'Idempotency-Key'?: string;
        };
      };
      requestBody: {
        content: {
          'application/json': components['schemas']['LaunchRequest'];
        };
      };
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['LaunchAnswer'];
          };
        };
        202: {
          content: {
            'application/json': components['schemas']['LaunchAnswer'];
          };
        };
        400: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-malformed" | "https://davit.dev/problems/request-invalid" | "https://davit.dev/problems/profile-unknown";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        409: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/launch-conflict";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        429: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/agents-limited";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
    get: {
      parameters: {
        query?: {
          status?: ("launching" | "connected" | "cleaning" | "failed" | "terminated")[];
          since?: string;
          until?: string;
          profile?: string;
          cluster?: string;
          repository?: string;
          limit?: number;
          cursor?: string;
        };
        header?: {
          'If-None-Match'?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['LaunchList'];
          };
        };
        304: {
          content?: never;
        };
        400: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/request-invalid";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
  };
  '/launches/{launchId}': {
    get: {
      parameters: {
        path: {
          launchId: string;
        };
        header?: {
          'If-None-Match'?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['LaunchView'];
          };
        };
        304: {
          content?: never;
        };
        404: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/launch-unknown";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
    delete: {
      parameters: {
        path: {
          launchId: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['EndedLaunchView'];
          };
        };
        202: {
          content: {
            'application/json': components['schemas']['EndedLaunchView'];
          };
        };
        404: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/launch-unknown";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
  };
  '/jobs': {
    get: {
      parameters: {
        query?: {
          status?: ("queued" | "waiting")[];
          ciSystem?: string;
          profile?: string;
          repository?: string;
          limit?: number;
          cursor?: string;
        };
        header?: {
          'If-None-Match'?: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['JobList'];
          };
        };
        304: {
          content?: never;
        };
        400: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/request-invalid";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
  };
  '/clusters': {
    get: {
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['ClusterList'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
  };
  '/clusters/{name}': {
    get: {
      parameters: {
        path: {
          name: string;
        };
      };
      responses: {
        200: {
          content: {
            'application/json': components['schemas']['ClusterView'];
          };
        };
        404: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/cluster-unknown";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        413: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/body-too-large";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        500: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unexpected";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        503: {
          content: {
            'application/problem+json': (components['schemas']['Problem']) & ({
              type?: "https://davit.dev/problems/unavailable";
            });
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
        default: {
          content: {
            'application/json': components['schemas']['GatewayMessage'];
          };
        };
      };
    };
  };
}

