/** How long a question waits for others, in milliseconds. */
const gatheringMs = 5;

/**
 * Joins questions that are asked at the same time: asks for all of them at once.
 *
 * @param askAll answers many questions; one that it leaves out has no answer
 */
export function gatherQuestions<Answer>(
  askAll: (ids: readonly string[]) => Promise<ReadonlyMap<string, Answer>>,
): (id: string) => Promise<Answer | undefined> {
  let gathering: { ids: Set<string>; answers: Promise<ReadonlyMap<string, Answer>> } | undefined;
  return async (id) => {
    if (gathering === undefined) {
      const ids = new Set<string>();
      const answers = new Promise<void>((resolve) => setTimeout(resolve, gatheringMs)).then(() => {
        gathering = undefined;
        return askAll([...ids]);
      });
      gathering = { ids, answers };
    }
    gathering.ids.add(id);
    return (await gathering.answers).get(id);
  };
}
