import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { routes } from '../../src/web/rest/operations.ts';

const web = new URL('../../src/web', import.meta.url).pathname;

/**
 * Why an operation of the page has no texts for undoing it: such an operation is not done with one press, but the sample
 * where no project is (`begins`), and the change of many tasks, whose texts count them (`counts`).
 */
const without: Readonly<
  Record<string, 'typed' | 'begins' | 'asks' | 'text' | 'selects' | 'fetches' | 'sends' | 'says' | 'turns' | 'counts'>
> = {
  create_project: 'typed',
  create_sample_project: 'begins',
  import_project: 'typed',
  delete_project: 'typed',
  create_goal: 'typed',
  create_key: 'typed',
  create_participant_link: 'typed',
  create_webhook: 'typed',
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
  pause_webhook: 'turns',
  resume_webhook: 'turns',
  set_presence: 'says',
  change_tasks: 'counts',
};

describe('The changes of the page', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: web })
    .filter((path) => !/^api\/(?:operations|types)\.ts$|^undo\//.test(path))
    .map((path) => readFileSync(join(web, path), 'utf8'))
    .join('\n');
  // The types of these modules belong to the page's own program.
  // oxlint-disable-next-line typescript/no-explicit-any
  const ofPage = async (specifier: string): Promise<any> => await import(specifier);
  let hasTexts: (name: string) => boolean;
  before(async () => {
    const { QueryClient } = await ofPage('@tanstack/react-query');
    const { changeTextsOf } = await ofPage(new URL('../../src/web/api/change-texts.ts', import.meta.url).href);
    const client = new QueryClient();
    hasTexts = (name) => changeTextsOf(client, name, { name: 'A', status: 'done' }) !== undefined;
  });
  const used = Object.entries(routes)
    .filter(([name, { method }]) => method !== 'GET' && sources.includes(`'${name}'`))
    .map(([name]) => name);

  it('each have texts for undoing it, or take more than one press [S.web.undo-all]', () => {
    const missing = used.filter((name) => !hasTexts(name) && without[name] === undefined);
    expect(missing).to.deep.equal([]);
  });

  it('without texts are still the ones of the list [S.web.undo-all]', () => {
    const listed = Object.keys(without);
    expect(listed.filter((name) => !used.includes(name) || hasTexts(name))).to.deep.equal([]);
  });
});
