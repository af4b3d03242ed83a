import { App } from 'aws-cdk-lib';
import cdkJson from '../cdk.json' with { type: 'json' };

/**
 * Makes a CDK app with the feature flags of `cdk.json` that skips the slow parts of a synthesis: it bundles no function, it
 * writes no tree of constructs, whose references take half of what is left, and it does not run CDK's own validation of the
 * template, which takes ten seconds of processor time. `npm run synth` runs that validation.
 */
export function unbundledApp(): App {
  const context = { ...cdkJson.context, 'aws:cdk:bundling-stacks': [] };
  return new App({ context, builtinCloudFormationValidation: false, treeMetadata: false, stackTraces: false });
}
