import { expect } from 'chai';
import { ChangeLines } from '../../src/cli/service/change-lines.ts';
import { EventNames, sentenceOf, withoutRepeats } from '../../src/cli/service/event-lines.ts';
import type { Event } from '../../src/schema/types.ts';
import { LeapingClock } from '../support/leaping-clock.ts';

const names: Readonly<Record<string, string>> = { tsk_a: 'Dig', tsk_b: 'Sow', prj_a: 'Garden' };
/** A service that knows three names and one remedy. */
const port = {
  call: (operation: string, { text, project_id }: Readonly<Record<string, unknown>>) => {
    if (operation === 'list_problems')
      return Promise.resolve({ problems: [{ path: 'tasks/dig.md', kind: 'unreadable', remedy: 'Repair it.' }] });
    const name = names[String(text ?? project_id)];
    if (name === undefined) return Promise.reject(new Error('not found'));
    return Promise.resolve({ record: { name }, project: { name } });
  },
};

interface Given extends Partial<Omit<Event, 'resource' | 'changes'>> {
  readonly type: string;
  readonly label?: string | null;
  readonly id?: string;
  readonly changes?: readonly { readonly field: string; readonly to?: unknown }[];
}

function event({ type, label = null, id = 'tsk_a', ...more }: Given): Event {
  const [noun = ''] = type.split('.');
  return {
    ...{ cursor: '1', type, at: '2026-11-28T14:02:00.000Z', author: 'human:Ann', source: 'cli', project_id: 'prj_a' },
    ...{ resource: { type: noun, id, label }, changes: [], ...more },
  } as Event;
}

describe('A change as a sentence [A.terminal]', () => {
  const all: readonly [Given, string][] = [
    [{ type: 'task.claimed', label: 'Dig', author: 'agent:robo (recipes)' }, 'robo (recipes) claimed "Dig"'],
    [{ type: 'task.claimed', label: 'Dig', changes: [{ field: 'assignee', to: 'Ben' }] }, 'Ann gave "Dig" to Ben'],
    [{ type: 'task.released', label: 'Dig', author: 'system', reason: 'lease_expired' }, 'The claim of "Dig" expired'],
    [{ type: 'task.done', label: 'Dig' }, 'Ann finished "Dig"'],
    [{ type: 'goal.completed', label: 'Spring' }, 'Ann completed the goal "Spring"'],
    [{ type: 'note.deleted', label: 'Ideas', author: 'file', source: 'git' }, 'git deleted the note "Ideas"'],
    [
      { type: 'document.created', label: 'Plan', author: 'file', source: 'disk' },
      'a file edit created the document "Plan"',
    ],
    [
      { type: 'submission.created', label: 'Hello', author: 'guest:x', untrusted: true },
      'a guest created the submission "Hello" (untrusted)',
    ],
    [{ type: 'task.updated', label: 'Dig', changes: [{ field: 'position', to: { x: 1, y: 2 } }] }, 'Ann moved "Dig"'],
    [{ type: 'comment.created', changes: [{ field: 'target_id', to: 'tsk_a' }] }, 'Ann commented on "Dig"'],
    [{ type: 'comment.created', changes: [{ field: 'target_id', to: 'tsk_gone' }] }, 'Ann commented on a record'],
    [
      {
        type: 'edge.created',
        label: 'depends_on',
        changes: [
          { field: 'from_id', to: 'tsk_a' },
          { field: 'to_id', to: 'tsk_b' },
        ],
      },
      'Ann linked "Dig" to "Sow" (depends_on)',
    ],
    [{ type: 'edge.deleted' }, 'Ann deleted an edge'],
    [
      { type: 'run.progress', label: 'Round', changes: [{ field: 'events', to: [{ message: 'Reading' }] }] },
      'Ann reported "Reading"',
    ],
    [
      {
        ...{ type: 'run.asks', label: 'Round' },
        changes: [
          { field: 'question', to: 'Which?' },
          { field: 'choices', to: ['A', 'B'] },
        ],
      },
      'Ann asks in the run "Round": "Which?" (A / B)',
    ],
    [
      { type: 'run.answered', label: 'Round', changes: [{ field: 'question', to: 'Which?' }, { field: 'answer' }] },
      'Ann answered the run "Round": at length',
    ],
    [
      {
        ...{ type: 'task.updated', label: 'Dig' },
        changes: [
          ...[
            { field: 'due_date', to: '2026-12-24' },
            { field: 'assignee', to: null },
            { field: 'tags', to: ['a', 'b'] },
          ],
          { field: 'description' },
        ],
      },
      'Ann changed "Dig": due date 2026-12-24, assignee none, tags a, b, …',
    ],
    [
      {
        ...{ type: 'problem.found', label: 'tasks/dig.md', author: 'system' },
        changes: [
          ...[
            { field: 'kind', to: 'unreadable' },
            { field: 'line', to: 3 },
          ],
          { field: 'reason', to: 'This is not YAML.' },
        ],
      },
      'Problem: tasks/dig.md:3: This is not YAML. Repair it.',
    ],
  ];

  it('names the author, the change and the remedy', async () => {
    for (const [given, sentence] of all)
      expect(await sentenceOf(event(given), new EventNames(port))).to.equal(sentence);
  });

  it('leaves out events that the next event of the same change replaces', () => {
    const [changed, done] = [event({ type: 'task.updated', label: 'Dig' }), event({ type: 'task.done', label: 'Dig' })];
    expect(withoutRepeats([changed, done])).to.deep.equal([done]);
    const later = { ...done, at: '2026-11-28T14:03:00.000Z' };
    expect(withoutRepeats([changed, later])).to.deep.equal([changed, later]);
  });
});

describe('The lines of changes [A.terminal]', () => {
  it('are one for each change, and the numbers of a burst', async () => {
    const lines: string[] = [];
    const clock = new LeapingClock();
    const watched = new ChangeLines({ port, clock, print: (line) => lines.push(line.replace(/^\d\d:\d\d /, '')) });
    const printed = async (count: number): Promise<readonly string[]> => {
      while (lines.length < count) {
        clock.leap(10_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return lines.splice(0);
    };
    const created = event({ type: 'task.created', label: 'Dig' });
    watched.add([
      created,
      event({ type: 'project.updated', label: 'Garden', changes: [{ field: 'name', to: 'Garden' }] }),
    ]);
    expect(await printed(2)).to.deep.equal([
      'Ann created "Dig" in Garden',
      'Ann changed the project "Garden": name Garden',
    ]);
    for (let page = 0; page < 3; page++) watched.add(Array.from({ length: 500 }, () => created));
    watched.add([event({ type: 'comment.created', changes: [{ field: 'target_id', to: 'tsk_b' }] })]);
    expect(await printed(2)).to.deep.equal(['Ann created 1,500 tasks in Garden', 'Ann commented on "Sow" in Garden']);
  });
});
