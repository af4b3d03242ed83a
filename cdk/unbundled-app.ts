import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };

/**
 * Makes a CDK app with the feature flags of `cdk.json` that skips the two slow parts of a synthesis: it bundles no
 * function, and it does not run CDK's own validation of the template, which takes ten seconds of processor time.
 * `app.test.ts` and `npm run synth` run that validation.
 */
export function unbundledApp(): App {
  const context = { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] };
  return new App({ context, builtinCloudFormationValidation: false });
}
