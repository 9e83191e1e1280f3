import { expect } from 'chai';
import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import type { RestClient } from '../support/rest-client.ts';
import { Hands } from './external-edits.ts';

interface Problem {
  readonly kind: string;
  readonly reason: string;
  readonly remedy: string;
}

export async function problemsOf(rest: RestClient): Promise<readonly Problem[]> {
  return (await rest.get('/doctor')).body.problems as readonly Problem[];
}

/** A system without watches: what node is told by it. Answers how it gets them back. */
function withoutWatches(code: string): () => void {
  const former = fs.watch;
  fs.watch = () => {
    throw Object.assign(new Error(`${code}: System limit for number of file watchers reached`), { code });
  };
  syncBuiltinESMExports();
  return () => {
    fs.watch = former;
    syncBuiltinESMExports();
  };
}

/** Edits are found although the system tells of none, and everybody who looks is told why, and once; `setting` is the limit to raise. */
export async function editsAreFoundWithoutWatches(code: string, setting: string): Promise<void> {
  const restore = withoutWatches(code);
  const hands = await Hands.start();
  try {
    const { id, path } = await hands.task({ label: 'Dig' });
    writeFileSync(hands.path(path), hands.read(path).replace('label: Dig', 'label: Sow'));
    mkdirSync(hands.path('documents'), { recursive: true });
    writeFileSync(hands.path('documents/new.md'), '# New\n');
    await hands.until(async () => {
      expect((await hands.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Sow');
      expect((await hands.documents()).map(({ title }) => title)).to.deep.equal(['New']);
    });
    const [problem, ...more] = await problemsOf(hands.service.rest);
    expect(more).to.deep.equal([]);
    expect(problem).to.include({ kind: 'not_watched' });
    expect(problem!.remedy).to.contain(setting);
    expect((await hands.service.rest.get('/ready')).body.problems).to.equal(1);
    expect(hands.service.log.filter((line) => JSON.stringify(line).includes(setting))).to.have.length(1);
  } finally {
    await hands.stop();
    restore();
  }
}
