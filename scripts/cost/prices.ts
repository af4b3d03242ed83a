/** One list price of AWS. */
export interface Price {
  /** US dollars for `per` units. */
  usd: number;
  per: number;
  unit: string;
  /** AWS's own page. */
  source: string;
}

/** The region and the date of the price list. */
export const priceList = { region: 'us-east-1', asOf: 'March 2026' } as const;

const million = 1_000_000;
const aws = 'https://aws.amazon.com';

/**
 * AWS's list prices of the first tier, without free tier and savings plans. We compared them with archived copies of
 * AWS's pages and with other tables of the first half of 2026, not with today's pages: check them before you rely on
 * them. A gigabyte is 10⁹ bytes, a month 730 hours.
 */
export const prices = {
  transition: { usd: 25, per: million, unit: 'state transitions', source: `${aws}/step-functions/pricing/` },
  invocation: { usd: 0.2, per: million, unit: 'requests', source: `${aws}/lambda/pricing/` },
  arm64GbSecond: { usd: 13.3334, per: million, unit: 'GB-seconds', source: `${aws}/lambda/pricing/` },
  httpRequest: { usd: 1, per: million, unit: 'requests of up to 512 KB', source: `${aws}/api-gateway/pricing/` },
  writeUnit: { usd: 0.625, per: million, unit: 'write request units', source: `${aws}/dynamodb/pricing/on-demand/` },
  readUnit: { usd: 0.125, per: million, unit: 'read request units', source: `${aws}/dynamodb/pricing/on-demand/` },
  tableStorage: { usd: 0.25, per: 1, unit: 'GB-months', source: `${aws}/dynamodb/pricing/on-demand/` },
  pointInTimeRecovery: { usd: 0.2, per: 1, unit: 'GB-months', source: `${aws}/dynamodb/pricing/on-demand/` },
  event: { usd: 1, per: million, unit: 'events of up to 64 KB', source: `${aws}/eventbridge/pricing/` },
  scheduled: { usd: 1, per: million, unit: 'invocations', source: `${aws}/eventbridge/pricing/` },
  secret: { usd: 0.4, per: 1, unit: 'secret-months', source: `${aws}/secrets-manager/pricing/` },
  secretCall: { usd: 0.05, per: 10_000, unit: 'calls', source: `${aws}/secrets-manager/pricing/` },
  customerKey: { usd: 1, per: 1, unit: 'key-months', source: `${aws}/kms/pricing/` },
  trace: { usd: 5, per: million, unit: 'traces recorded', source: `${aws}/xray/pricing/` },
  logIngestion: { usd: 0.5, per: 1, unit: 'GB', source: `${aws}/cloudwatch/pricing/` },
  logStorage: { usd: 0.03, per: 1, unit: 'GB-months', source: `${aws}/cloudwatch/pricing/` },
  metric: { usd: 0.3, per: 1, unit: 'metric-months', source: `${aws}/cloudwatch/pricing/` },
  alarmMetric: { usd: 0.1, per: 1, unit: 'months of a metric in an alarm', source: `${aws}/cloudwatch/pricing/` },
  dashboard: { usd: 3, per: 1, unit: 'dashboard-months', source: `${aws}/cloudwatch/pricing/` },
  transferOut: { usd: 0.09, per: 1, unit: 'GB to the internet', source: `${aws}/ec2/pricing/on-demand/` },
} as const satisfies Record<string, Price>;

/** The name of a price. */
export type PriceName = keyof typeof prices;
