import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { FunctionCode } from '../bundling.ts';
import { bundleFunction, rootFolder } from '../bundling.ts';

/**
 * Makes a function's code: its bundle, made when the stack is synthesised. Its hash is the bundle's own, so a function
 * is deployed when what runs has changed, and only then.
 */
export function functionCode(code: FunctionCode): Code {
  return Code.fromAsset(join(rootFolder, 'functions', code.functionName), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Asked for by the type and never pulled: `tryBundle` bundles or throws.
      image: DockerImage.fromRegistry('node:24'),
      local: {
        tryBundle: (folder) => {
          bundleFunction(code, folder);
          return true;
        },
      },
    },
  });
}
