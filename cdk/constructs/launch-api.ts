import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
  type ThrottleSettings,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { type FunctionName, type Route, routes } from '../../runtime/function-settings.ts';
import { ApiDomain, type CustomDomain } from './custom-domain.ts';
import { DavitLogGroup } from './davit-log-group.ts';
import type { Keeping } from './keeping.ts';

/** The properties of the HTTP API. */
export interface LaunchApiProps extends Keeping {
  functions: Record<FunctionName, { lambda: IFunction }>;
  throttle: ThrottleSettings | undefined;
  customDomain: CustomDomain | undefined;
}

/** See `DavitProps.throttle`. */
const usualThrottle: ThrottleSettings = { rateLimit: 1000, burstLimit: 2000 };

/**
 * The HTTP API: every route of the manifest. The functions authenticate webhooks and agents; API Gateway checks all
 * other callers by IAM.
 */
export class LaunchApi extends Construct {
  readonly httpApi: HttpApi;
  /** The API's base URL, without a slash at the end. */
  readonly url: string;
  readonly stage: HttpStage;
  /** The API's domain name; undefined if it has AWS's own name. */
  readonly apiDomain: ApiDomain | undefined;
  /** The routes whose functions authenticate their callers themselves. */
  readonly publicRoutes: HttpRoute[] = [];
  readonly #iamRoutes: { method: Route['method']; route: HttpRoute }[] = [];

  constructor(scope: Construct, id: string, props: LaunchApiProps) {
    super(scope, id);
    const { customDomain } = props;
    this.httpApi = new HttpApi(this, 'HttpApi', {
      description: 'davit: webhooks, launches and agents',
      createDefaultStage: false,
      // With two names, requests to one of them would bypass the protection of the other.
      disableExecuteApiEndpoint: customDomain !== undefined,
    });
    this.stage = this.#makeStage(props);
    this.apiDomain = customDomain === undefined ? undefined : new ApiDomain(this, 'CustomDomain', customDomain);
    this.apiDomain?.leadTo(this.stage);
    this.url = customDomain === undefined ? this.httpApi.apiEndpoint : `https://${customDomain.domainName}`;
    this.#addRoutes(props.functions);
  }

  /** Allows an identity to call those routes of a method that API Gateway protects by IAM. */
  grantInvoke(grantee: IGrantable, method: Route['method']): Grant {
    const grants = this.#iamRoutes
      .filter((one) => one.method === method)
      .map(({ route }) => route.grantInvoke(grantee));
    return grants.reduce((all, grant) => all.combine(grant));
  }

  #makeStage({ throttle = usualThrottle, ...keeping }: LaunchApiProps): HttpStage {
    const logGroup = new DavitLogGroup(this, 'AccessLogs', { ...keeping, vendedBy: 'apis' });
    // No path, header or address: the route says enough, and the functions' logs have the ids.
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
      if (authorization === 'iam') this.#iamRoutes.push(...added.map((route) => ({ method, route })));
      else this.publicRoutes.push(...added);
    }
  }
}
