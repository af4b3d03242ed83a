import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from '../../../../local/runtime/turns.ts';

const never = 2 ** 31 - 1;

/** Tasks that note their start, and end when a test ends them. */
function makeTasks() {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const task = (name: string) => () =>
    new Promise<string>((resolve) => {
      began.push(name);
      ends.set(name, () => resolve(name));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await nextTurn();
  };
  return { began, task, end };
}

describe('turns', () => {
  test('go to answers before work that has waited for longer', async () => {
    const turns = new Turns({ atOnce: 1, turnMs: never, patienceMs: never });
    const { began, task, end } = makeTasks();
    const all = [turns.work(task('first')), turns.work(task('work')), turns.answer(task('answer'))];
    await nextTurn();

    for (const name of ['first', 'answer', 'work']) await end(name);

    expect(began).toEqual(['first', 'answer', 'work']);
    expect(await Promise.all(all)).toEqual(['first', 'work', 'answer']);
  });

  test('go to work after seven answers, however many more wait', async () => {
    const turns = new Turns({ atOnce: 1, turnMs: never, patienceMs: never });
    const { began, task, end } = makeTasks();
    const answers = Array.from({ length: 9 }, (_, index) => `answer ${index}`);
    const all = [...answers.map((name) => turns.answer(task(name))), turns.work(task('work'))];
    await nextTurn();

    while (began.length < all.length) await end(began.at(-1) ?? '');
    await end(began.at(-1) ?? '');

    expect(began).toEqual([...answers.slice(0, 7), 'work', ...answers.slice(7)]);
    await Promise.all(all);
  });

  test('are limited in number', async () => {
    const turns = new Turns({ atOnce: 2, turnMs: never, patienceMs: never });
    const { began, task, end } = makeTasks();
    const all = ['a', 'b', 'c'].map((name) => turns.answer(task(name)));
    await nextTurn();

    expect(began).toEqual(['a', 'b']);
    for (const name of ['a', 'b', 'c']) await end(name);
    await Promise.all(all);
  });

  test('expire, and the task continues', async () => {
    const turns = new Turns({ atOnce: 1, turnMs: 1, patienceMs: never });
    const { task, end } = makeTasks();
    const long = turns.work(task('long'));

    await expect(turns.work(() => Promise.resolve('next'))).resolves.toBe('next');

    await end('long');
    expect(await long).toBe('long');
  });

  test('of a task that never ends keep no process alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();

    void new Turns({ turnMs: never }).work(() => new Promise(() => undefined));
    await nextTurn();

    expect(timers()).toBe(before);
  });

  test('that do not come in time are refused to work as Lambda throttles, and kept for answers', async () => {
    const turns = new Turns({ atOnce: 1, turnMs: never, patienceMs: 1 });
    const { began, task, end } = makeTasks();
    const first = turns.answer(task('first'));
    const answer = turns.answer(task('answer'));

    await expect(turns.work(task('work'))).rejects.toMatchObject({
      name: 'Lambda.TooManyRequestsException',
      statusCode: 429,
    });

    await end('first');
    await end('answer');
    expect(await Promise.all([first, answer])).toEqual(['first', 'answer']);
    expect(began).not.toContain('work');
  });

  test('are free again after a task that throws', async () => {
    const turns = new Turns({ atOnce: 1, turnMs: never, patienceMs: never });

    await expect(turns.answer(() => Promise.reject(new RangeError('broken')))).rejects.toThrow('broken');

    await expect(turns.work(() => Promise.resolve('done'))).resolves.toBe('done');
  });
});
