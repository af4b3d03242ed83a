/** A proof that `npm test` does not run. */
export interface Proof {
  /** What it does, for the list of `npm run prove`. */
  shows: string;
  /** What it needs besides Node.js. */
  needs?: string;
  /** Its program, with its arguments, from the root folder. */
  program: string;
}

/** The proofs by their names. */
export const proofs: Readonly<Record<string, Proof>> = {
  workflows: {
    shows: "the release's workflows, by actionlint",
    needs: 'Go',
    program: 'scripts/workflows/lint.ts',
  },
  cluster: {
    shows: 'launches on a real Kubernetes',
    needs: 'what `npm run cluster -- --help` lists',
    program: 'test/prove/cluster/test.ts',
  },
  helm: {
    shows: 'the chart and its image, by the real helm on a real Kubernetes',
    needs: 'the same, buildah and mmdebstrap',
    program: 'test/prove/helm/test.ts',
  },
  ci: {
    shows: 'the jobs of a real Gitea, and of a Hudson as a Jenkins; a fake Buildkite with its own agent',
    needs: 'Go and git; a JDK and Maven',
    program: 'test/prove/ci/test.ts',
  },
  console: {
    shows: 'the pages of the console and of the documentation in a browser',
    needs: 'Chromium',
    program: 'test/prove/console/test.ts',
  },
  model: {
    shows: 'every order of the steps, by spin',
    needs: 'spin and a C compiler',
    program: 'test/prove/model/run-model.ts',
  },
  aws: { shows: "the tables, on AWS's DynamoDB Local", needs: 'Java', program: 'test/prove/aws-programs/test.ts' },
  asl: { shows: "the state machine on moto's interpreter", needs: 'Python', program: 'test/prove/moto/run.ts asl' },
  template: {
    shows: "the stack's template, and the documents' commands on moto",
    needs: 'Python',
    program: 'test/prove/moto/run.ts template',
  },
  bundles: { shows: "the end-to-end tests on the stack's bundles", program: 'test/prove/bundles/main.ts' },
  processes: {
    shows: 'davit as processes: killed, restarted, with two clusters and metrics',
    program: 'test/prove/processes/test.ts',
  },
  package: { shows: 'the packed package, installed by strangers', program: 'test/prove/package/test.ts' },
  upgrade: { shows: 'launches of the version before on this one', needs: 'git', program: 'test/prove/upgrade/test.ts' },
  cold: { shows: "how long the functions' bundles take to import", program: 'scripts/bench-cold.ts' },
  chaos: { shows: 'launches while processes are killed', program: 'test/prove/chaos/main.ts' },
  peers: {
    shows: 'the same faults on davit and on Buildbot',
    needs: 'what `npm run cluster -- --help` lists, Python and git',
    program: 'test/prove/peers/main.ts',
  },
  fuzz: { shows: 'that no input breaks a function', program: 'test/prove/fuzz/main.ts' },
  mutants: { shows: 'which mutants of davit the simulation notices', program: 'test/prove/simulation/main.ts' },
  mistakes: {
    shows: 'which of 20 mistakes the simulation and the checkers notice',
    program: 'test/prove/simulation/mistakes/main.ts',
  },
  organisation: {
    shows: 'hours of an organization of 5,000 repositories, in virtual time',
    program: 'test/prove/organisation/main.ts',
  },
  mutate: { shows: 'which changed expressions the tests notice', program: 'test/prove/mutation/main.ts' },
};
