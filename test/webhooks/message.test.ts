import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import type { Event } from '../../src/schema/types.ts';
import { signed } from '../../src/webhooks/message.ts';

interface Change {
  readonly field: string;
  readonly from?: string;
  readonly to?: string;
}

function eventWith(changes: readonly Change[]): Event {
  return {
    cursor: 'c1',
    type: 'task.updated',
    at: '2026-01-01T00:00:00.000Z',
    author: 'human:Ada',
    source: 'rest',
    project_id: 'prj_1',
    resource: { type: 'task', id: 'tsk_1', label: 'One' },
    changes: changes as unknown as Event['changes'],
  };
}

const secret = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;
const sent = (event: Event): { readonly data: Event } =>
  JSON.parse(signed('msg_1', event, secret, 0).body) as { readonly data: Event };

describe('The message of a webhook [A.feed.webhooks.signature]', () => {
  it('is signed as the example of Standard Webhooks says', () => {
    // A fixed case, computed with `openssl dgst -sha256 -hmac`.
    const { headers, body } = signed('msg_1', eventWith([]), secret, 1_767_225_600_999);
    expect(headers['webhook-timestamp']).to.equal('1767225600');
    expect(body).to.equal(
      '{"type":"task.updated","timestamp":"2026-01-01T00:00:00.000Z","data":{"cursor":"c1","type":"task.updated","at":"2026-01-01T00:00:00.000Z","author":"human:Ada","source":"rest","project_id":"prj_1","resource":{"type":"task","id":"tsk_1","label":"One"},"changes":[]}}',
    );
    expect(headers['webhook-signature']).to.equal('v1,URNxx1wxF1h75qSEL/tXCxqSuAj4m7mdSkSeiAmWusg=');
  });

  it('leaves out values, then changes, that exceed 64 KiB', () => {
    const small = eventWith([{ field: 'label', from: 'One', to: 'Two' }]);
    expect(sent(small).data).to.deep.equal(small);
    const values = eventWith(Array.from({ length: 100 }, (_, i) => ({ field: `field ${i}`, to: 'é'.repeat(500) })));
    expect(sent(values).data.changes).to.deep.equal(values.changes.map(({ field }) => ({ field })));
    const fields = eventWith(Array.from({ length: 2000 }, (_, i) => ({ field: `${i} ${'f'.repeat(50)}` })));
    expect(sent(fields).data).to.deep.equal({ ...fields, changes: [] });
    for (const event of [small, values, fields])
      expect(Buffer.byteLength(signed('msg_1', event, secret, 0).body)).to.be.at.most(limits.webhookBodyBytesMax);
  });
});
