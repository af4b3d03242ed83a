import { createHmac } from 'node:crypto';
import { readForgejoHook } from '../../../../ci/forgejo/read-forgejo-hook.ts';
import { secretsOf } from '../../../support/signing-secrets.ts';
