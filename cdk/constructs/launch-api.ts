import type { RemovalPolicy } from 'aws-cdk-lib';
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import type { HttpRoute } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName } from '../../functions/manifest.ts';
import { routes } from '../../functions/manifest.ts';

/** What the HTTP API is made of. */
export interface LaunchApiProps {
  functions: Record<FunctionName, { lambda: IFunction }>;
  logRetention: RetentionDays;
  removalPolicy: RemovalPolicy;
}

/**
 * Requests a second, over all routes. An agent asks once a second until its token is out, so this is a thousand agents
 * that wait at once; it is also as many as an account's Lambda concurrency is by default.
 */
const throttle = { rateLimit: 1000, burstLimit: 2000 };

/** The HTTP API: every route of the manifest. Webhooks and agents prove themselves; /launches asks for IAM. */
export class LaunchApi extends Construct {
  readonly httpApi: HttpApi;
  /** The API's base URL, without a slash at the end. */
  readonly url: string;
  readonly stage: HttpStage;
  readonly #iamRoutes: HttpRoute[] = [];

  constructor(scope: Construct, id: string, props: LaunchApiProps) {
    super(scope, id);
    this.httpApi = new HttpApi(this, 'HttpApi', {
      description: 'davit: webhooks, launches and agents',
      createDefaultStage: false,
    });
    this.url = this.httpApi.apiEndpoint;
    this.stage = this.#makeStage(props);
    this.#addRoutes(props.functions);
  }

  /** Allows a CI server or a person to ask for launches, to see them and to end them. */
  grantLaunches(grantee: IGrantable): void {
    for (const route of this.#iamRoutes) route.grantInvoke(grantee);
  }

  #makeStage({ logRetention, removalPolicy }: LaunchApiProps): HttpStage {
    const logGroup = new LogGroup(this, 'AccessLogs', { retention: logRetention, removalPolicy });
    // No path, header or address: the route says enough, and the functions' own logs have the ids.
    const entry = {
      requestId: AccessLogField.contextRequestId(),
      routeKey: AccessLogField.contextRouteKey(),
      status: AccessLogField.contextStatus(),
      responseLatencyMs: AccessLogField.contextResponseLatency(),
      integrationError: AccessLogField.contextIntegrationErrorMessage(),
    };
    return new HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle,
      accessLogSettings: {
        destination: new LogGroupLogDestination(logGroup),
        format: AccessLogFormat.custom(JSON.stringify(entry)),
      },
    });
  }

  #addRoutes(functions: LaunchApiProps['functions']): void {
    const authorizer = new HttpIamAuthorizer();
    for (const { method, path, functionName, authorization } of routes) {
      const added = this.httpApi.addRoutes({
        path,
        methods: [HttpMethod[method]],
        integration: new HttpLambdaIntegration(functionName, functions[functionName].lambda),
        ...(authorization === 'iam' ? { authorizer } : {}),
      });
      if (authorization === 'iam') this.#iamRoutes.push(...added);
    }
  }
}
