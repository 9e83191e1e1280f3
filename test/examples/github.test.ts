import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { repository } from '../support/server-process.ts';
import { rarely } from '../support/rarely.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly steps?: readonly Step[];
  readonly uses?: string;
  readonly needs?: string;
  readonly 'runs-on'?: string;
  readonly permissions?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly { readonly type: string; readonly id: string; readonly attributes: object }[];
}

const text = (path: string): string => readFileSync(join(repository, path), 'utf8');
const workflow = (name: string): Workflow => parse(text(`.github/workflows/${name}.yml`)) as Workflow;
const runsOf = ({ jobs }: Workflow): string =>
  Object.values(jobs)
    .flatMap(({ steps = [] }) => steps.map(({ run = '' }) => run))
    .join('\n');

describe('The files for GitHub', () => {
  it('run the tests of every change by .ci/run, with no right to write', () => {
    const ci = workflow('ci');
    expect(Object.keys(ci.on)).to.include.members(['push', 'pull_request', 'workflow_call']);
    expect(ci.permissions).to.deep.equal({ contents: 'read' });
    expect(ci.jobs['test']!.steps!.at(-1)).to.deep.equal({ run: '.ci/run' });
  });

  it('release a tag that has passed: tarball, binary, bill of materials and container, with checksums', () => {
    const release = workflow('release');
    expect(release.on).to.deep.equal({ push: { tags: ['v*'] } });
    expect(release.jobs['test']).to.deep.equal({ uses: './.github/workflows/ci.yml' });
    expect(release.jobs['files']!.needs).to.equal('test');
    const runs = runsOf(release);
    for (const part of [
      'npm pack',
      'npm run build:binary',
      'npm sbom',
      'docker build',
      'sha256sum',
      'npm publish --provenance',
    ])
      expect(runs).to.include(part);
  });

  it('name scripts of package.json, versions of actions, and steps that do one thing', () => {
    const { scripts } = JSON.parse(text('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    for (const name of ['ci', 'release']) {
      const found = workflow(name);
      for (const [, script = ''] of runsOf(found).matchAll(/npm run ([\w:-]+)/g))
        expect(scripts).to.have.property(script);
      for (const { steps = [] } of Object.values(found.jobs))
        for (const { uses, run } of steps) {
          expect([uses, run].filter((each) => each !== undefined)).to.have.length(1);
          if (uses !== undefined) expect(uses).to.match(/^[\w-]+\/[\w-]+@v\d+$/);
        }
    }
  });

  rarely('make a bill of materials of all that the build can contain, that of the page included', async () => {
    const [, words = ''] = /(npm sbom .+) >/.exec(runsOf(workflow('release')))!;
    const [program = '', ...argv] = words.split(' ');
    const { stdout } = await promisify(execFile)(program, argv, { cwd: repository, maxBuffer: 2 ** 26 });
    const { components } = JSON.parse(stdout) as { readonly components: readonly { readonly name: string }[] };
    const { dependencies } = JSON.parse(text('package.json')) as { readonly dependencies: object };
    expect(components.map(({ name }) => name)).to.include.members([...Object.keys(dependencies), 'react']);
  });

  it('ask for the details that a report needs, and lead vulnerabilities away from public issues', () => {
    const forms = readdirSync(join(repository, '.github/ISSUE_TEMPLATE')).filter((name) => name !== 'config.yml');
    expect(forms).to.have.members(['bug.yml', 'idea.yml']);
    for (const name of forms) {
      const form = parse(text(`.github/ISSUE_TEMPLATE/${name}`)) as Form;
      expect([form.name, form.description].every((each) => each.length > 10)).to.equal(true);
      for (const { type, id, attributes } of form.body) {
        expect(type).to.be.oneOf(['textarea', 'input', 'dropdown', 'checkboxes']);
        expect(id).to.match(/^[a-z]+$/);
        expect(attributes).to.have.property('label');
      }
    }
    const { contact_links: links } = parse(text('.github/ISSUE_TEMPLATE/config.yml')) as {
      contact_links: { url: string }[];
    };
    expect(links[0]!.url).to.match(/\/security\/advisories\/new$/);
    const security = text('SECURITY.md');
    expect(security.split('\n').length).to.be.at.most(25);
    expect(security).to.include('Report a vulnerability').and.include('docs/explanation/security.md');
  });
});
