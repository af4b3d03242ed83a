import { archLabel, isAtMost, resourcesOf, sizedContainer } from '../agent/agent-size.ts';
import type { PodTemplateFragment } from '../agent/pod-template.ts';
import type { Sizes } from '../agent/sizes.ts';
import { type ConfigProblem, found, problemIf } from './config-problem.ts';

/** Finds steps that exceed their maximum or repeat one another. @returns problems with paths from the profile on */
export function stepProblems({ cpu, memory, gpu }: Sizes = {}): ConfigProblem[] {
  return Object.entries({ cpu, memory, gpu }).flatMap(([name, size]) => {
    const { max = '', steps = [] } = size ?? {};
    return steps.flatMap((step, index) => {
      const path = ['sizes', name, 'steps', index];
      if (!isAtMost(`${step}`, `${max}`))
        return problemIf(true, path, `expected at most max, ${max}, found ${found(step)}`);
      const isRepeated = steps
        .slice(0, index)
        .some((other) => isAtMost(`${other}`, `${step}`) && isAtMost(`${step}`, `${other}`));
      return problemIf(isRepeated, path, `expected each size once, found ${found(step)} again`);
    });
  });
}

/**
 * Finds parts of a template that exceed the profile's own sizes: with these, a job that asks for no size would get more
 * than one that asks.
 *
 * @returns problems with paths from the profile on
 */
export function sizeProblems(
  sizes: Sizes | undefined,
  template: PodTemplateFragment | undefined,
  agentContainer: string | undefined,
): ConfigProblem[] {
  const { spec } = template ?? {};
  if (sizes === undefined || spec === undefined) return [];
  const arch = spec.nodeSelector?.[archLabel];
  const isConflict = arch !== undefined && sizes.arch !== undefined && !sizes.arch.some((each) => each === arch);
  const wanted = `expected one of sizes.arch: ${sizes.arch?.join(', ') ?? ''}`;
  const { containers = [], initContainers = [] } = spec;
  const sized = sizedContainer(spec, agentContainer);
  return [
    ...problemIf(isConflict, ['template', 'spec', 'nodeSelector', archLabel], `${wanted}, found ${found(arch)}`),
    ...Object.entries({ containers, initContainers }).flatMap(([place, items]) =>
      items.flatMap(({ name, resources }, index) => {
        if (name !== sized) return [];
        const path = ['template', 'spec', place, index, 'resources'];
        return (['requests', 'limits'] as const).flatMap((kind) =>
          overMaximum(sizes, resources?.[kind], [...path, kind]),
        );
      }),
    ),
  ];
}

function overMaximum(
  sizes: Sizes,
  quantities: Record<string, unknown> | undefined,
  path: PropertyKey[],
): ConfigProblem[] {
  const { cpu, memory, gpu } = sizes;
  const most = { cpu: cpu?.max, memory: memory?.max, gpu: gpu && `${gpu.max}` };
  const maxima = resourcesOf({ arch: undefined, ...most }, sizes);
  return Object.entries(maxima).flatMap(([resource, max]) => {
    const quantity = quantities?.[resource];
    // `templateProblems` reports values that are no quantities.
    if (typeof quantity !== 'string' && typeof quantity !== 'number') return [];
    if (isAtMost(`${quantity}`, max) || !isAtMost(`${quantity}`, `${quantity}`)) return [];
    const detail = `expected at most the maximum in sizes, ${max}, found ${found(quantity)}`;
    return [{ path: [...path, resource], detail }];
  });
}
