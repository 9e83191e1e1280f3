import { expect } from 'chai';
import { dayOf } from '../src/base/day-words.ts';

/** A Wednesday. */
const today = '2027-01-27';

describe('A day in words', () => {
  const days = {
    today: '2027-01-27',
    tomorrow: '2027-01-28',
    fri: '2027-01-29',
    Tuesday: '2027-02-02',
    wed: '2027-02-03',
    'next fri': '2027-02-05',
    'next sunday': '2027-02-07',
    'next week': '2027-02-01',
    'next month': '2027-02-01',
    'end of month': '2027-01-31',
    'in 2 weeks': '2027-02-10',
    'in a month': '2027-02-27',
    '3d': '2027-01-30',
    yesterday: '2027-01-26',
    '7 days ago': '2027-01-20',
    '4 mar': '2027-03-04',
    'March 4th, 2029': '2029-03-04',
    'jan 27': '2027-01-27',
    '26 jan': '2028-01-26',
    '2027-05-06': '2027-05-06',
  } as const;
  it('is read from a weekday, a distance, a month or a date [S.web.task-facts]', () => {
    for (const [words, day] of Object.entries(days)) expect(dayOf(words, today), words).to.equal(day);
    expect(dayOf('in 1 month', '2027-01-31'), 'the last day of a shorter month').to.equal('2027-02-28');
  });

  it('is not guessed [S.web.task-facts]', () => {
    for (const words of ['', 'someday', 'fr', '30 feb', '2027-02-30', '4 mar 5', 'mar', 'in weeks', '12'])
      expect(dayOf(words, today), words).to.equal(undefined);
  });
});
