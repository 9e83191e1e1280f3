import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { routes } from '../../src/web/api/operations.ts';

const web = new URL('../../src/web', import.meta.url).pathname;

/**
 * Why an operation of the page has no rule for undoing it: such an operation is not done with one press, but the sample
 * where no project is (`begins`).
 */
const without: Readonly<
  Record<string, 'typed' | 'begins' | 'asks' | 'text' | 'selects' | 'fetches' | 'sends' | 'says' | 'own steps'>
> = {
  create_project: 'typed',
  create_sample_project: 'begins',
  import_project: 'typed',
  delete_project: 'typed',
  create_goal: 'typed',
  create_key: 'typed',
  create_participant_link: 'typed',
  create_webhook: 'typed',
  record_agent_progress: 'typed',
  share_document: 'asks',
  share_task: 'asks',
  share_prototype: 'asks',
  revoke_share: 'asks',
  revoke_key: 'asks',
  delete_webhook: 'asks',
  end_sign_in: 'asks',
  forget_identity: 'asks',
  post_doctor: 'asks',
  update_note: 'text',
  update_artifact: 'text',
  create_file: 'text',
  invoke_goal: 'selects',
  sync_pull: 'fetches',
  redeliver_webhook: 'sends',
  put_canvas: 'own steps',
  set_presence: 'says',
};

describe('The changes of the page', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: web })
    .filter((path) => !/^api\/(?:operations|types)\.ts$|^undo\//.test(path))
    .map((path) => readFileSync(join(web, path), 'utf8'))
    .join('\n');
  const rules = readFileSync(join(web, 'undo/rules.ts'), 'utf8');
  const used = Object.entries(routes)
    .filter(([name, { method }]) => method !== 'GET' && sources.includes(`'${name}'`))
    .map(([name]) => name);

  it('each have a rule for undoing it, or take more than one press [S.web.undo-all]', () => {
    const missing = used.filter((name) => !rules.includes(`\n  ${name}: `) && without[name] === undefined);
    expect(missing).to.deep.equal([]);
  });

  it('without a rule are still the ones of the list [S.web.undo-all]', () => {
    const listed = Object.keys(without);
    expect(listed.filter((name) => !used.includes(name) || rules.includes(`\n  ${name}: `))).to.deep.equal([]);
  });
});
