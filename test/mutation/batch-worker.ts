/**
 * Runs one test file against several mutants in this process, so that packages are loaded once: only the modules of src/ and test/ are
 * reloaded for each. Started by batch.ts.
 */
import Mocha from 'mocha';
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mochaHooks } from '../support/hooks.ts';
import { repository } from '../support/server-process.ts';
import type { BatchAnswer, BatchJob } from './batch.ts';

const own = [pathToFileURL(join(repository, 'src/')).href, pathToFileURL(join(repository, 'test/')).href];
let round = 0;
let substituted: { readonly url: string; readonly text: string } | undefined;

registerHooks({
  resolve: (specifier, context, next) => {
    const resolved = next(specifier, context);
    const isOwn = own.some((folder) => resolved.url.startsWith(folder)) && resolved.url.endsWith('.ts');
    return isOwn ? { ...resolved, url: `${resolved.url}?round=${round}` } : resolved;
  },
  load: (url, context, next) =>
    substituted !== undefined && url === `${substituted.url}?round=${round}`
      ? { format: 'module-typescript', source: substituted.text, shortCircuit: true }
      : next(url, context),
});

async function runRound(test: string): Promise<string | undefined> {
  round++;
  // Without a time limit of its own: batch.ts has one, which does not count while the processes are stopped.
  const mocha = new Mocha({ bail: true, timeout: 0, reporter: class {} as never, rootHooks: mochaHooks });
  mocha.suite.emit('pre-require', globalThis, test, mocha);
  await import(pathToFileURL(join(repository, test)).href);
  let failure: string | undefined;
  let passed = 0;
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', () => passed++);
    runner.on('fail', (one: Mocha.Test | Mocha.Hook, error: Error) => {
      failure ??= `${one.fullTitle()}: ${error.message.split('\n', 1)[0]}`;
      // Known at once, in case that what is cleaned up afterwards hangs.
      answer({ kind: 'failure', failure });
    });
  });
  mocha.dispose();
  return failure ?? (passed === 0 ? 'no test ran' : undefined);
}

function answer(message: BatchAnswer): void {
  process.send!(message);
}

async function runBatch({ test, file, texts, textPath }: BatchJob): Promise<void> {
  for (const [index, text] of texts.entries()) {
    substituted = text === null ? undefined : { url: pathToFileURL(file).href, text };
    if (text === null) {
      delete process.env['MUTATION_FILE'];
    } else {
      // For the processes and threads that the test starts.
      writeFileSync(textPath, text);
      process.env['MUTATION_FILE'] = file;
      process.env['MUTATION_TEXT'] = textPath;
    }
    let failure: string | undefined;
    try {
      failure = await runRound(test);
    } catch (error) {
      failure = `did not load: ${String(error).split('\n', 1)[0]}`;
    }
    answer({ kind: 'done', index, failure });
  }
}

process.once('message', (job: BatchJob) => {
  void runBatch(job).then(() => process.exit(0));
});
