/** A service of AWS, as its API reference has it. */
export interface AwsService {
  /** In errors. */
  title: string;
  /** In its host's name and in signatures. */
  id: string;
  /** At the end of the environment variable that may say where it is, after `AWS_ENDPOINT_URL_`. */
  endpointVariable: string;
}

/** A service that is asked by a name of an operation, and is given and answers JSON. */
export interface JsonService extends AwsService {
  version: '1.0' | '1.1';
  /** Before the operation's name, in `x-amz-target`. */
  targetPrefix: string;
}

/** @see https://docs.aws.amazon.com/amazondynamodb/latest/APIReference */
export const dynamoDb = {
  title: 'DynamoDB',
  id: 'dynamodb',
  endpointVariable: 'DYNAMODB',
  version: '1.0',
  targetPrefix: 'DynamoDB_20120810',
} as const satisfies JsonService;

/** @see https://docs.aws.amazon.com/step-functions/latest/apireference */
export const stepFunctions = {
  title: 'Step Functions',
  id: 'states',
  endpointVariable: 'SFN',
  version: '1.0',
  targetPrefix: 'AWSStepFunctions',
} as const satisfies JsonService;

/** @see https://docs.aws.amazon.com/secretsmanager/latest/apireference */
export const secretsManager = {
  title: 'Secrets Manager',
  id: 'secretsmanager',
  endpointVariable: 'SECRETS_MANAGER',
  version: '1.1',
  targetPrefix: 'secretsmanager',
} as const satisfies JsonService;

/** @see https://docs.aws.amazon.com/eventbridge/latest/APIReference */
export const eventBridge = {
  title: 'EventBridge',
  id: 'events',
  endpointVariable: 'EVENTBRIDGE',
  version: '1.1',
  targetPrefix: 'AWSEvents',
} as const satisfies JsonService;

/** @see https://docs.aws.amazon.com/lambda/latest/api */
export const lambda = { title: 'Lambda', id: 'lambda', endpointVariable: 'LAMBDA' } as const satisfies AwsService;

/** @see https://docs.aws.amazon.com/eks/latest/APIReference */
export const eks = { title: 'EKS', id: 'eks', endpointVariable: 'EKS' } as const satisfies AwsService;
