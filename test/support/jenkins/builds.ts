import type { JenkinsBuild, JobRequest } from './records.ts';

/** The user who starts every build. */
export const starter = 'alice';

/** Every build, in the order in which they began. */
export class Builds {
  readonly all: JenkinsBuild[] = [];

  begin(kind: JenkinsBuild['kind'], { name, script = 'true' }: JobRequest, queueId: number): JenkinsBuild {
    const number = this.all.filter(({ job }) => job === name).length + 1;
    const build = {
      kind,
      job: name,
      number,
      queueId,
      script,
      causedBy: starter,
      startedAtEpochMs: Date.now(),
      log: '',
    };
    this.all.push(build);
    return build;
  }

  find(job: string, number: number): JenkinsBuild | undefined {
    return this.all.find((build) => build.job === job && build.number === number);
  }

  /** The running build that bars another of a freestyle job. */
  runningOf(job: string): JenkinsBuild | undefined {
    return this.all.find((build) => build.job === job && build.kind === 'freestyle' && build.result === undefined);
  }
}
