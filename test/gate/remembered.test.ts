import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../src/base/limits.ts';
import { serviceCollections } from '../../src/operations/service-collections.ts';
import { repository } from '../support/server-process.ts';

describe('The list of what a client can make the service remember', () => {
  const text = readFileSync(join(repository, 'docs/explanation/bounds.md'), 'utf8');
  const rows = text
    .split('\n## What a client can make the service remember or repeat\n')[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  const shown = (limit: number): string => limit.toLocaleString('en-US');

  it('has each collection of the service [A.hostile.remembered]', () => {
    const names = rows.flatMap((row) => [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name));
    expect(names).to.have.members(serviceCollections.map(({ name }) => name));
  });

  it('has a bound for each, as the limits are [A.hostile.remembered]', () => {
    for (const row of rows) expect(row.split('|')[2]!.trim(), row).not.to.equal('');
    const bounds: readonly (readonly [what: string, limits: readonly number[]])[] = [
      ['`sessions`', [limits.sessionsPerCredentialMax, limits.sessionsMax, limits.sessionIdleHours]],
      ['`subscriptions`', [limits.watchedResourcesMax, limits.watchedResourcesPerCredentialMax]],
      ['Notifications', [limits.resourceUpdatesMs]],
      [
        'Streams',
        [
          limits.followersPerCallerMax,
          limits.agentFollowersPerProjectMax,
          limits.agentFollowersMax,
          limits.followersMax,
        ],
      ],
      ['Questions', [limits.questionsPerSessionMax, limits.questionMinutesMax]],
      ['`idempotency`', [limits.idempotencyKeysPerCredentialMax, limits.idempotencyKeysMax, limits.idempotencyHours]],
      ['`trash`', [limits.trashEntriesPerProjectMax, limits.trashEntriesMax, limits.trashDays]],
      ['`webhooks`', [limits.webhooksPerProjectMax, limits.webhookDeliveriesKept]],
      ['`keys`', [limits.signInIdleHours, limits.signInsPerMinuteMax]],
      ['`known_problems`', [limits.deletedProjectsMax, limits.deletedProjectDays]],
    ];
    for (const [what, numbers] of bounds) {
      const row = rows.find((one) => one.includes(what))!;
      for (const number of numbers) expect(row).to.match(new RegExp(`(^|\\D)${shown(number)}(\\D|$)`));
    }
  });
});
