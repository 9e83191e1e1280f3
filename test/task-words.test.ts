import { expect } from 'chai';
import { fieldsOfWords, taskInWords } from '../src/base/task-words.ts';

const known = {
  today: '2027-01-27',
  tags: ['garden'],
  people: ['Ada'],
  priorities: ['urgent', 'high', 'medium', 'low'],
  goals: [
    { id: 'g1', name: 'Pond' },
    { id: 'g2', name: 'Pond edge' },
    { id: 'g3', name: 'Paths' },
  ],
};

const read = (text: string): readonly unknown[] => {
  const { label, words } = taskInWords(text, known);
  return [label, fieldsOfWords(words)];
};

describe('A task in words', () => {
  it('has tags, a priority, an assignee, a due date and a goal [S.web.quick-add]', () => {
    expect(read('Dig the pond #Garden !high @ada due:fri goal:Pond')).to.deep.equal([
      'Dig the pond',
      { tags: ['garden'], priority: 'high', assignee: 'Ada', due_date: '2027-01-29', goal_id: 'g1' },
    ]);
    expect(read('#a Dig #b !u due:"in 2 weeks" now goal:"pond e" #a @ada @"Ada L"')).to.deep.equal([
      'Dig now',
      { tags: ['a', 'b'], priority: 'urgent', due_date: '2027-02-10', goal_id: 'g2', assignee: 'Ada L' },
    ]);
  });

  it('keeps as text what names nothing, and what follows a backslash [S.web.quick-add]', () => {
    for (const text of ['Say hi!', 'a@b.c', 'C# and #', '!now', 'due:someday', 'goal:P', 'goal:', 'x due:30-feb'])
      expect(read(text), text).to.deep.equal([text, {}]);
    expect(read(String.raw`Fix \#12 \@ada \due:fri #bug`)).to.deep.equal(['Fix #12 @ada due:fri', { tags: ['bug'] }]);
  });
});
