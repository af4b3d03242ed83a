import { failure, httpError } from './answers.ts';
import type { JobRequest } from './records.ts';
import { type Asked, type Routes, redirect, requirePost, type Served } from './route.ts';

/** The routes that make, build, stop and remove jobs, at the top and in folders. */
export function projectRoutes({ state, root }: Served): Routes {
  const projectIn = ({ path, caller }: Asked): JobRequest => {
    const project = state.projects.get(nameIn(path['job'] ?? ''));
    if (project === undefined || !caller.has('Job/Read')) throw httpError(404, 'Not Found');
    return project;
  };
  return {
    // hudson.model.ItemGroupMixIn#createTopLevelItem
    '{*job}/createItem': (asked) => {
      requirePost(asked, 'hudson.model.ItemGroupMixIn.createTopLevelItem');
      const { path, parameters, body, headers, caller } = asked;
      caller.check('Job/Create');
      const { job: folder = '' } = path;
      const name = [...(folder === '' ? [] : [nameIn(folder)]), parameters.get('name') ?? ''].join('/');
      if (state.projects.has(name)) throw failure(`A job already exists with the name ‘${name}’`);
      if (headers.get('content-type') !== 'application/xml') throw failure('No content type');
      state.projects.set(name, { name, ...projectOf(body) });
      return { status: 200 };
    },
    // hudson.model.ParameterizedJobMixIn#doBuild
    '{*job}/build': (asked) => {
      const project = projectIn(asked);
      requirePost(asked, 'jenkins.model.ParameterizedJobMixIn.doBuild');
      asked.caller.check('Job/Build');
      return { status: 201, headers: { location: `${root()}queue/item/${state.enqueueFreestyle(project).id}/` } };
    },
    // hudson.model.AbstractBuild#doStop: one that is over stays as it is.
    '{*job}/{number}/stop': (asked) => {
      const { name } = projectIn(asked);
      requirePost(asked, 'hudson.model.AbstractBuild.doStop');
      const build = state.builds.find((each) => each.job === name && String(each.number) === asked.path['number']);
      if (build === undefined) throw httpError(404, 'Not Found');
      asked.caller.check('Job/Cancel');
      state.abort(build);
      return redirect('.');
    },
    // hudson.model.AbstractItem#doDoDelete
    '{*job}/doDelete': (asked) => {
      const { name } = projectIn(asked);
      requirePost(asked, 'hudson.model.AbstractItem.doDoDelete');
      asked.caller.check('Job/Delete');
      for (const item of state.queue.filter(({ job }) => job === name)) state.cancel(item);
      for (const build of state.builds.filter(({ job }) => job === name)) state.abort(build);
      state.projects.delete(name);
      return redirect(root());
    },
  };
}

/** Finds the full name of a job: `/job/team/job/app` is `team/app`. */
export function nameIn(path: string): string {
  return path.split('/job/').slice(1).join('/');
}

function projectOf(xml: string): Omit<JobRequest, 'name'> {
  const textIn = (tag: string) =>
    new RegExp(`<${tag}>([^<]*)</${tag}>`)
      .exec(xml)?.[1]
      ?.replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  const [label, script] = [textIn('assignedNode'), textIn('command')];
  if (label === undefined || script === undefined) throw failure('the fake reads freestyle projects with a label only');
  return { label, script, quietPeriodMs: Number(textIn('quietPeriod') ?? 5) * 1000 };
}
