/** davit in a separate process, on any cluster. `startKillableDavit` starts it. */
import { Config } from '../../../../core/config/config.ts';
import { useKubeconfig } from '../../../../local/runtime/start-cluster.ts';
import { startRuntime } from '../../../../local/runtime/start-runtime.ts';
import { DavitStart, type Ready } from './davit-start.ts';

const { config, kubeconfigPath, ...start } = DavitStart.parse(JSON.parse(process.argv[2] ?? ''));
const cluster = await useKubeconfig(kubeconfigPath);
const runtime = await startRuntime({ ...start, config: Config.parse(config), cluster });
// The parent process has ended.
process.on('disconnect', () => process.exit());
const ready: Ready = { url: runtime.url };
process.send?.(ready);
