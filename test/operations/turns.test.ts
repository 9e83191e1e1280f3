import { expect } from 'chai';
import { modernVersion } from '../../src/mcp/envelope.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import type { AnyOperation } from '../../src/operations/declaration/operation.ts';
import { send } from '../support/catalogue-calls.ts';
import type { TransportName } from '../support/catalogue-calls.ts';
import { large, largestInputs } from '../support/largest-inputs.ts';
import type { Large } from '../support/largest-inputs.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { TestService } from '../support/service.ts';
import { longestTurnOf } from '../support/turn-work.ts';
import type { TurnWork } from '../support/turn-work.ts';

/** So many records of each kind: more than an agent's page has, so that only unbounded growth differs. */
const sizes = [110, 220] as const;

/** The operations that are not called here, with their bounds. */
const elsewhere: Readonly<Record<string, string>> = {
  sync_pull: 'asks another service for at most 10,000 submissions, of which it makes records in one transaction',
  end_sign_in: 'changes one record of the service',
  forget_identity: 'changes one record of the service',
  read_share_file: 'reads one file of a shared resource',
  show_share: 'is a page, whose texts are rendered in threads',
  show_share_screen: 'is a page, whose texts are rendered in threads',
  create_webhook: 'a project has at most 20 webhooks',
  list_webhooks: 'a project has at most 20 webhooks',
  pause_webhook: 'changes one record',
  resume_webhook: 'changes one record',
  delete_webhook: 'removes a webhook with at most 100 deliveries',
  redeliver_webhook: 'changes one record',
  list_webhook_deliveries: 'a webhook has at most 100 deliveries',
};

/**
 * The work that a turn may handle for each further record of each kind. It may look at all of them (there are 15
 * kinds), which takes a tenth of a microsecond each. The changed records must not grow, and the written characters only
 * with the links or events of one record, and with the names in the feed.
 */
const perRecord = { read: 15, changed: 0.05, characters: 500 } as const;
/** Two steps may be in one turn. */
const changedAtOnceMax = 64;

/** Operations of which a turn handles more, each with the reason, and the amount for each record. */
const more: Readonly<Record<string, Partial<TurnWork> & { readonly because: string }>> = {
  list_problems: { characters: 900, because: 'its tag is the hash of all problems, which only files can cause' },
  delete_prototype: { characters: 720, because: 'the trash has what was taken of each screen, up to 8 MiB' },
  change_tasks: {
    characters: 600,
    because: 'the journal encodes an entry in pieces, each of which a few hundred tasks fill',
  },
  import_project: { characters: 5500, because: 'the feed lists the imported records of 15 kinds, by their names' },
};

/** Deletions after everything else, restoring after them, the project last. */
function rank({ name, effect }: AnyOperation): number {
  if (effect === 'delete') return 4;
  if (name === 'restore_from_trash') return 3;
  if (/^(delete|revoke)_/.test(name)) return 2;
  return effect === 'read' ? 0 : 1;
}

const transportsOf = ({ effect, rest, mcp }: AnyOperation): readonly TransportName[] => [
  ...(rest === undefined ? [] : ['REST' as const]),
  ...(mcp === undefined || (effect !== 'read' && rest !== undefined) ? [] : ['MCP' as const]),
];

interface Called {
  readonly what: string;
  readonly name: string;
  readonly work: TurnWork;
  readonly refusal: string | undefined;
}

/** Calls every operation with its largest inputs. */
async function callAll(of: Large): Promise<Called[]> {
  const called: Called[] = [];
  for (const operation of catalogue.toSorted((a, b) => rank(a) - rank(b))) {
    const { name, effect } = operation;
    if (Object.hasOwn(elsewhere, name)) continue;
    for (const [at, input] of (await largestInputs(operation, of)).entries()) {
      for (const transport of transportsOf(operation)) {
        const headers: Record<string, string> = transport === 'MCP' ? { 'MCP-Protocol-Version': modernVersion } : {};
        let refusal: string | undefined;
        const work = await longestTurnOf(async () => {
          refusal = (await send(of.service, operation, transport, input, headers)).error?.message;
          if (effect !== 'read') await of.service.store.flush();
        });
        called.push({ what: `${name} over ${transport}, input ${at + 1}`, name, work, refusal });
      }
    }
  }
  return called;
}

describe('A turn of the event loop', function () {
  this.timeout(600_000);
  const found: Called[][] = [];

  before(async () => {
    for (const size of sizes) {
      const service = await TestService.start({ clock: new ManualClock(Date.now()) });
      try {
        found.push(await callAll(await large(service, size)));
      } finally {
        await service.stop();
      }
    }
  });

  it('is measured for every operation of the catalogue, with an input that is not refused [A.loop.turns]', () => {
    const refused = found.flatMap((calls) => calls.filter(({ refusal }) => refusal !== undefined));
    expect(refused.map(({ what, refusal }) => `${what}: ${refusal}`)).to.deep.equal([]);
    const names = new Set([...found[0]!.map(({ name }) => name), ...Object.keys(elsewhere)]);
    expect([...names].sort()).to.deep.equal(catalogue.map(({ name }) => name).sort());
  });

  it('handles no more for a larger project or input than to look at each record [A.loop.turns]', () => {
    const [few, many] = found as [Called[], Called[]];
    const wrong: string[] = [];
    for (const [at, { what, name, work }] of many.entries()) {
      const least = few[at]!.work;
      for (const kind of ['read', 'changed', 'characters'] as const) {
        const grown = (work[kind] - least[kind]) / (sizes[1] - sizes[0]);
        const most = more[name]?.[kind] ?? perRecord[kind];
        if (kind === 'changed' && work[kind] <= changedAtOnceMax) continue;
        if (grown > most) wrong.push(`${what}: ${kind} ${least[kind]} and ${work[kind]}, ${grown.toFixed(2)} a record`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });
});
