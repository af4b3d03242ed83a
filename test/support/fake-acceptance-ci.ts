import type { AcceptanceCi, SeenAttempt } from '../../cli/acceptance/acceptance-ci.ts';
import { launchAgentName, LaunchId } from '../../core/launch/names.ts';
