import { expect } from 'chai';
import { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
import type { RestClient } from '../support/rest-client.ts';
import { asServed } from '../support/service.ts';
import { FileEditor } from './external-edits.ts';

interface Problem {
  readonly kind: string;
  readonly reason: string;
  readonly remedy: string;
}

export async function problemsOf(rest: RestClient): Promise<readonly Problem[]> {
  return (await rest.get('/doctor')).body.problems as readonly Problem[];
}

/** Simulates a system without watches, in threads that are started. Returns a function that restores them. */
function withoutWatches(code: string): () => void {
  const patch = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.watch = () => {
      throw Object.assign(new Error('${code}: System limit for number of file watchers reached'), { code: '${code}' });
    };
    syncBuiltinESMExports();`;
  const patched = ['--import', `data:text/javascript,${encodeURIComponent(patch)}`];
  const former = threads.Worker;
  threads.Worker = class extends former {
    constructor(file: string | URL, options: threads.WorkerOptions) {
      super(file, { ...options, execArgv: [...process.execArgv, ...patched] });
    }
  };
  syncBuiltinESMExports();
  return () => {
    threads.Worker = former;
    syncBuiltinESMExports();
  };
}

/**
 * Checks that edits are found although the system reports no events, and that the reason is reported once everywhere;
 * `setting` is the limit to raise.
 */
export async function editsAreFoundWithoutWatches(code: string, setting: string): Promise<void> {
  const restore = withoutWatches(code);
  const editor = await FileEditor.start(asServed);
  try {
    const { id, path } = await editor.task({ label: 'Dig' });
    writeFileSync(editor.path(path), editor.read(path).replace('label: Dig', 'label: Sow'));
    mkdirSync(editor.path('documents'), { recursive: true });
    writeFileSync(editor.path('documents/new.md'), '# New\n');
    await editor.until(async () => {
      expect((await editor.service.rest.get(`/tasks/${id}`)).body.label).to.equal('Sow');
      expect((await editor.documents()).map(({ title }) => title)).to.deep.equal(['new']);
    });
    const [problem, ...more] = await problemsOf(editor.service.rest);
    expect(more).to.deep.equal([]);
    expect(problem).to.include({ kind: 'not_watched' });
    expect(problem!.remedy).to.contain(setting);
    expect((await editor.service.rest.get('/ready')).body.problems).to.equal(1);
    expect(editor.service.log.filter((line) => JSON.stringify(line).includes(setting))).to.have.length(1);
  } finally {
    await editor.stop();
    restore();
  }
}
