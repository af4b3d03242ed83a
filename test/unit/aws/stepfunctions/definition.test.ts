import { loadDefinition } from '../../../support/aws/stepfunctions/definition.ts';
import { probeMachine, probeTask } from '../fixtures/probe-machine.ts';

describe('a definition', () => {
  test('gets its substitutions, escaped where necessary', () => {
    const definition = loadDefinition(probeMachine({ Task: probeTask({ End: true }) }), { ProbeArn: 'a"b' });

    expect(definition.States['Task']).toMatchObject({ Parameters: { FunctionName: 'a"b' } });
  });

  test('names every missing substitution', () => {
    const asl = probeMachine({
      One: probeTask({ Next: 'Two' }),
      Two: probeTask({ Parameters: { FunctionName: '${OtherArn}' }, End: true }),
    });

    expect(() => loadDefinition(asl, {})).toThrow('needs substitutions for: ProbeArn, OtherArn');
  });

  test('with unsupported features is refused with all of their names', () => {
    const asl = probeMachine({
      Queue: { Type: 'Task', Resource: 'arn:aws:states:::sqs:sendMessage', Parameters: {}, Next: 'Both' },
      Both: { Type: 'Parallel', Branches: [{ StartAt: 'A', States: { A: { Type: 'Succeed' } } }], End: true },
    });

    expect(() => loadDefinition(asl, {})).toThrow(
      'cannot run: Queue (resource arn:aws:states:::sqs:sendMessage); Both (a Parallel state)',
    );
  });

  test('gives a Task without TimeoutSeconds no time-out from the engine', () => {
    const { States } = loadDefinition(probeMachine({ Task: probeTask({ End: true }) }), { ProbeArn: 'probe' });

    expect(States['Task']).toMatchObject({ TimeoutSeconds: 2_147_483 });
  });

  test('gives ResultPath $ the same meaning as AWS', () => {
    const Catch = [{ ErrorEquals: ['States.ALL'], ResultPath: '$', Next: 'Done' }];
    const asl = probeMachine({ Task: probeTask({ ResultPath: '$', Catch, Next: 'Done' }), Done: { Type: 'Succeed' } });

    const { States } = loadDefinition(asl, { ProbeArn: 'probe' });

    expect(States['Task']).not.toHaveProperty('ResultPath');
    expect(States['Task']).toMatchObject({ Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Done' }] });
  });
});
