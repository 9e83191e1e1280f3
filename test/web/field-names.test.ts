import { expect } from 'chai';
import { withFieldName } from '../../src/web/rest/field-names.ts';

describe('A message of the service', () => {
  it('names fields as the page does [S.web.refused]', () => {
    for (const [message, shown] of [
      ['commit_refs[0] must be a commit.', 'Commits, entry 1, must be a commit.'],
      ['due_date is not a day.', 'Due date is not a day.'],
      ['label must not be blank.', 'Label must not be blank.'],
      ['The task has been deleted.', 'The task has been deleted.'],
      ['Nothing is there.', 'Nothing is there.'],
    ])
      expect(withFieldName(message!)).to.equal(shown);
  });
});
