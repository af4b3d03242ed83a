import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { bundleFunction, type FunctionCode, rootFolder, writeBundledConfig } from '../bundling.ts';
import { writePrebuilt } from '../prebuilt-bundles.ts';

/**
 * Makes a function's code: its bundle, built during the synthesis, or taken from the package. The asset's hash is that of the bundle, so a function
 * is deployed only when its bundle has changed.
 */
export function functionCode(code: FunctionCode): Code {
  return Code.fromAsset(join(rootFolder, 'functions', code.functionName), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // The type requires an image, which is never pulled: `tryBundle` bundles or throws.
      image: DockerImage.fromRegistry('node:24'),
      local: {
        tryBundle: (folder) => {
          if (writePrebuilt(rootFolder, code.functionName, folder)) writeBundledConfig(code, folder);
          else bundleFunction(code, folder);
          return true;
        },
      },
    },
  });
}
