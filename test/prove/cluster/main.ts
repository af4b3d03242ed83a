/** A real Kubernetes on this machine: `npm run cluster -- up|down|status [NAME]`. */
import { type ClusterArguments, clusterHelp, readClusterArguments } from './arguments.ts';
import { openCluster } from './cluster.ts';
import { namespace } from './credentials.ts';
import { hostIpOf, kubeconfigPathOf } from './plan.ts';
import { builtPrograms } from './programs/programs.ts';
import { describeMissing, missingRequirements } from './programs/requirements.ts';
import {
  type ClusterRecord,
  findRecord,
  isAbandoned,
  planOf,
  readRegistry,
  removeScratch,
  writeRecord,
} from './registry.ts';
import { removeAbandoned, removeCluster } from './remove-cluster.ts';
import { say } from './say.ts';
import { startCluster } from './start-cluster.ts';

async function up({ name = 'davit', nodes, ...options }: ClusterArguments): Promise<void> {
  const missing = await missingRequirements();
  if (missing.length > 0) throw new Error(`no cluster can be started here:\n${describeMissing(missing)}`);
  for (const removed of await removeAbandoned()) say(`removed ${removed}: its owner has ended`);
  const there = await findRecord(name);
  if (there === undefined) {
    const [kwokNodes, nodePortRange] = [options['kwok-nodes'], options['node-port-range']];
    await startCluster({ name, nodes, kwokNodes, nodePortRange });
  } else {
    say(`${name} is up already: its settings are not compared`);
  }
  const record = await findRecord(name);
  if (record === undefined) throw new Error(`${name} was removed in the meantime`);
  if (there === undefined) {
    // It stays when this process has ended.
    await writeRecord(planOf(record));
    say(`${name} is up, with the namespace ${namespace}`);
    say(`npm run demo -- --kubeconfig ${kubeconfigPathOf(record)} --listen ${hostIpOf(record)}`);
  }
  process.stdout.write(`${kubeconfigPathOf(record)}\n`);
}

async function down({ name }: ClusterArguments): Promise<void> {
  await removeScratch();
  const found = (await readRegistry()).filter((record) => name === undefined || record.name === name);
  for (const record of found) {
    await removeCluster(record.number);
    say(`removed ${record.name}`);
  }
  if (found.length === 0) say(name === undefined ? 'there is no cluster' : `there is no cluster ${name}`);
}

async function status({ name }: ClusterArguments): Promise<void> {
  const asked = (await readRegistry()).filter((record) => name === undefined || record.name === name);
  if (asked.length === 0) process.stdout.write(name === undefined ? 'no cluster\n' : `no cluster ${name}\n`);
  for (const record of asked) process.stdout.write(await describe(record));
}

async function describe(record: ClusterRecord): Promise<string> {
  const cluster = await openCluster(await builtPrograms(), planOf(record));
  const running = Object.entries(await cluster.running()).map(([name, runs]) => `  ${runs ? '✓' : '✗'} ${name}\n`);
  const whose = (await isAbandoned(record)) ? ', whose owner has ended' : '';
  return `${record.name}${whose}: ${cluster.kubeconfigPath}\n${running.join('')}`;
}

try {
  const options = readClusterArguments(process.argv.slice(2));
  if (options === 'help') process.stdout.write(`${clusterHelp}\n`);
  else await { up, down, status }[options.action](options);
} catch (error) {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  process.stderr.write(`${message}${cause instanceof Error ? `\n${cause.message}` : ''}\n`);
  process.exitCode = 2;
}
