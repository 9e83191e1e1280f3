import { expect } from 'chai';
import { shellTestMs } from '../cli/planner.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { blocksOf } from './blocks.ts';
import { GuideShell } from './guide-shell.ts';
import { guides } from './guides.ts';

/**
 * A line of a document as a pattern of the output: ids and times differ from run to run; the ids of documents have a
 * digit.
 */
const patternOf = (line: string): RegExp => {
  const parts = line.trim().split(/\b(?:[a-z]{3}_)?(?=[a-z]*\d)[0-9a-z]{4,16}\b/);
  return new RegExp(`^\\s*${parts.map((part) => RegExp.escape(part)).join(String.raw`\S+`)}\\s*$`);
};

describe('The tutorial and the guides [A.documents]', function () {
  this.timeout(shellTestMs);
  const scratch = scratchDirectory();
  let shell: GuideShell;
  beforeEach(async () => {
    shell = await GuideShell.open(scratch.path);
  });
  afterEach(() => shell.close());

  for (const { page, prepare } of guides)
    it(`work as pasted, and print the shown output: ${page}`, async () => {
      await prepare?.(shell);
      const blocks = blocksOf(page);
      const pasted = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
      const printed = await shell.run(pasted.join('\n'));
      const lines = printed.split('\n');
      const shown = blocks.filter(({ language }) => language === 'text').flatMap(({ text }) => text.trim().split('\n'));
      const missing = shown.filter((line) => line !== '…' && !lines.some((one) => patternOf(line).test(one)));
      expect(missing, printed).to.deep.equal([]);
      const wrong = /^planner: (?!works on)|^(?:error|fatal): |command not found|unexpected/;
      expect(
        lines.filter((line) => wrong.test(line)),
        printed,
      ).to.deep.equal([]);
    });
});
