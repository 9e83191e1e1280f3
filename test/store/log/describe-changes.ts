import { expect } from 'chai';
import type { SharedLog } from '../../../src/store/hosted/storage/shared-log.ts';
import { type Append, type Appended, emptyHead, type Head } from '../../../src/store/record/log.ts';
import type { LogWorld } from './describe-log.ts';

const rounds = 10;
const together = 8;

function headOf(appended: Appended): Head {
  expect(appended.is).to.equal('ok');
  return (appended as Extract<Appended, { is: 'ok' }>).head;
}

/** The promises of a shared log about what was appended to any log. */
export function describeChanges(name: string, make: () => LogWorld): void {
  describe(`Changes of all logs: ${name}`, () => {
    let world: LogWorld;
    let ids = 0;
    const open: SharedLog[] = [];
    beforeEach(() => (world = make()));
    afterEach(async () => {
      for (const node of open.splice(0)) await node.close();
      await world.remove();
    });

    const another = async (): Promise<SharedLog> => {
      const node = (await world.open()) as SharedLog;
      open.push(node);
      return node;
    };
    const next = (project: string, after: Head): Append => ({ project, after, id: `evt_${++ids}`, body: {} });

    it('are listed once, by whichever node they are made, and before others if they were acknowledged before [A.nodes.catch-up]', async () => {
      const [asking, ...appending] = [await another(), await another(), await another()];
      let { mark, entries } = await asking.changes(undefined);
      expect(entries).to.equal(undefined);
      const [listed, acknowledged] = [new Set<string>(), new Set<string>()];
      const appended = appending.map(async (node, nth) => {
        for (let round = 0; round < rounds; round++) {
          const appends = Array.from({ length: together }, (_, at) => next(`${nth} ${at} ${round}`, emptyHead));
          for (const outcome of await Promise.all(appends.map((append) => node.append(append)))) headOf(outcome);
          for (const { id } of appends) acknowledged.add(id);
        }
      });
      let isOver = false;
      const over = Promise.all(appended).then(() => (isOver = true));
      for (let isLast = false; !isLast;) {
        isLast = isOver;
        const before = [...acknowledged];
        ({ mark, entries } = await asking.changes(mark));
        for (const { id } of entries!) {
          expect(listed.has(id)).to.equal(false);
          listed.add(id);
        }
        expect(before.filter((id) => !listed.has(id))).to.deep.equal([]);
      }
      await over;
      expect(listed).to.have.property('size', 2 * rounds * together);
      expect((await asking.changes(mark)).entries).to.deep.equal([]);
    });

    it('are not known since a mark of another server: each head is asked for once [A.nodes.catch-up]', async () => {
      const [log, asking] = [await another(), await another()];
      let head = headOf(await log.append(next('a', emptyHead)));
      let { mark } = await asking.changes(undefined);
      for (let round = 0; round < 2; round++) {
        head = headOf(await log.append(next('a', head)));
        await world.shared!.failOver();
        const unknown = await asking.changes(mark);
        expect(unknown.entries).to.equal(undefined);
        head = headOf(await log.append(next('a', head)));
        const known = await asking.changes(unknown.mark);
        expect(known.entries?.map(({ project, seq }) => `${project} ${seq}`)).to.include(`a ${head.seq}`);
        ({ mark } = known);
      }
    });
  });
}
