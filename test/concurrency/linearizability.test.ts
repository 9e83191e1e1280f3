import { expect } from 'chai';
import { check } from './linearizability.ts';
import type { Operation } from './linearizability.ts';
import { planModel } from './task-model.ts';
import type { PlanOperation, PlanState, TaskState } from './task-model.ts';
import { rarely } from '../support/rarely.ts';

const free: TaskState = { label: 'A', status: 'todo', assignee: null };
const taken = (assignee: string): TaskState => ({ ...free, status: 'in_progress', assignee });
const called = (label: string): TaskState => ({ ...free, label });
const plan = (...tasks: TaskState[]): PlanState => new Map(tasks.map((task, i) => [`t${i}`, task]));

/** A line a client: `[from, to, what]`, in the order of the requests. */
function history(...clients: [number, number, PlanOperation][][]): Operation<PlanOperation>[] {
  return clients.flatMap((line, client) =>
    line.map(([invoked, completed, what]) => ({ client, invoked, completed, what })),
  );
}

function judge(...clients: [number, number, PlanOperation][][]): ReturnType<typeof check<PlanState, PlanOperation>> {
  return check(planModel(plan(free, called('B'))), history(...clients));
}

const read = (shown: TaskState, task = 't0'): PlanOperation => ({ kind: 'read', task, shown });
const list = (...shown: TaskState[]): PlanOperation => ({ kind: 'list', how: 'list', shown: plan(...shown) });
const claim = (agent: string, claimed: boolean, assignee: string | null = null): PlanOperation => ({
  kind: 'claim',
  task: 't0',
  agent,
  answer: claimed ? { claimed } : { claimed, assignee },
});
const lostClaim = (agent: string): PlanOperation => ({ kind: 'claim', task: 't0', agent, answer: 'unknown' });
const write = (
  fields: Partial<TaskState>,
  answer: TaskState | 'mismatch' | 'unknown',
  expected?: TaskState,
): PlanOperation => ({
  kind: 'update',
  task: 't0',
  fields,
  answer,
  ...(expected === undefined ? {} : { expected }),
});

describe('The linearizability checker', () => {
  it('finds an order if there is one, whatever operations overlap [A.concurrency.judge]', () => {
    const good = [
      judge(),
      judge(
        [[0, 9, write({ label: 'X' }, called('X'))]],
        [
          [1, 2, read(free)],
          [3, 4, read(called('X'))],
        ],
      ),
      judge([[0, 9, claim('a', true)]], [[1, 8, claim('b', false, 'a')]], [[2, 3, read(free)]]),
      judge([
        [0, 9, claim('a', true)],
        [10, 11, claim('a', true)],
      ]),
      judge([[0, 5, write({ label: 'X' }, { ...taken('a'), label: 'X' })]], [[0, 5, claim('a', true)]]),
      judge([[0, 5, write({ label: 'X' }, called('X'), free)]], [[0, 5, write({ label: 'Y' }, 'mismatch', free)]]),
      judge([[0, 5, { kind: 'next', task: 't0' }]], [[0, 5, claim('a', true)]], [[6, 7, { kind: 'next', task: 't1' }]]),
    ];
    for (const verdict of good) expect(verdict.linearizable).to.equal(true);
  });

  it('treats an operation without a response as executed or not, and not as both [A.concurrency.judge]', () => {
    expect(
      judge(
        [[0, 5, write({ label: 'X' }, 'unknown')]],
        [
          [6, 7, read(free)],
          [8, 9, read(free)],
        ],
      ).linearizable,
    ).to.equal(true);
    expect(judge([[0, 5, write({ label: 'X' }, 'unknown')]], [[6, 7, read(called('X'))]]).linearizable).to.equal(true);
    expect(judge([[0, 5, lostClaim('a')]], [[6, 7, claim('b', true)]]).linearizable).to.equal(true);
    expect(judge([[0, 5, lostClaim('a')]], [[6, 7, claim('b', false, 'a')]]).linearizable).to.equal(true);
    const shownAndTakenBack = judge(
      [[0, 5, write({ label: 'X' }, 'unknown')]],
      [
        [1, 2, read(called('X'))],
        [6, 7, read(free)],
      ],
    );
    expect(shownAndTakenBack.linearizable, 'a read showed it, and it was gone after the crash').to.equal(false);
    const late = judge(
      [[0, 5, write({ label: 'X' }, 'unknown')]],
      [
        [6, 7, read(free)],
        [8, 9, read(called('X'))],
      ],
    );
    expect(late.linearizable, 'it happened after the end of the process that was called').to.equal(false);
  });

  const bad: [string, ReturnType<typeof judge>][] = [
    ['a stale read', judge([[0, 1, write({ label: 'X' }, called('X'))]], [[2, 3, read(free)]])],
    [
      'a read that goes back',
      judge(
        [[0, 9, write({ label: 'X' }, called('X'))]],
        [
          [1, 2, read(called('X'))],
          [3, 4, read(free)],
        ],
      ),
    ],
    [
      'a lost update',
      judge(
        [[0, 5, write({ status: 'done' }, { ...free, status: 'done' })]],
        [[0, 5, write({ label: 'X' }, called('X'))]],
        [[6, 7, read(called('X'))]],
      ),
    ],
    [
      'two changes of one expected state',
      judge([[0, 5, write({ label: 'X' }, called('X'), free)]], [[0, 5, write({ label: 'Y' }, called('Y'), free)]]),
    ],
    ['a mismatch that nothing explains', judge([[0, 5, write({ label: 'X' }, 'mismatch', free)]])],
    ['a double claim', judge([[0, 5, claim('a', true)]], [[0, 5, claim('b', true)]])],
    ['a claim that is refused without a reason', judge([[0, 5, claim('a', false)]])],
    ['a read of what no call wrote', judge([[0, 5, write({ label: 'X' }, called('X'))]], [[0, 9, read(called('Z'))]])],
    [
      'a list of two moments',
      judge(
        [
          [0, 1, write({ label: 'X' }, called('X'))],
          [2, 3, { kind: 'update', task: 't1', fields: { label: 'Y' }, answer: called('Y') }],
        ],
        [[0, 9, list(free, called('Y'))]],
      ),
    ],
    ['a next task that is taken', judge([[0, 1, claim('a', true)]], [[2, 3, { kind: 'next', task: 't0' }]])],
  ];
  for (const [name, verdict] of bad) {
    it(`rejects ${name} and names the operations that do not fit [A.concurrency.judge]`, () => {
      expect(verdict.linearizable).to.equal(false);
      expect(verdict.stuck).not.to.deep.equal([]);
    });
  }

  rarely('checks long histories of overlapping writes quickly enough for a test [A.concurrency.judge]', () => {
    const rounds = 80;
    const clients = Array.from({ length: 8 }, (_, client) =>
      Array.from({ length: rounds }, (__, i): [number, number, PlanOperation] => {
        const label = `${client} ${i}`;
        return [i * 10 + client / 10, i * 10 + 9, write({ label }, called(label))];
      }),
    );
    expect(judge(...clients).linearizable).to.equal(true);
    const last = [[rounds * 10, rounds * 10 + 1, read(called('0 0'))]] as [number, number, PlanOperation][];
    expect(judge(...clients, last).linearizable).to.equal(false);
  });
});
