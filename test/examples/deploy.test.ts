import { expect } from 'chai';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Parser } from 'htmlparser2';
import { parse } from 'yaml';
import { scratchDirectory } from '../support/scratch.ts';
import { freePort, repository } from '../support/server-process.ts';
import { portDefault } from '../../src/base/config.ts';
import { rarely } from '../support/rarely.ts';

const run = promisify(execFile);
const text = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** The instructions of a Dockerfile by stage. */
function stages(): readonly (readonly (readonly [name: string, rest: string])[])[] {
  const lines = text('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const found: [string, string][][] = [];
  for (const line of lines) {
    const [, name, rest] = /^([A-Z]+) (.+)$/.exec(line)!;
    if (name === 'FROM') found.push([]);
    found.at(-1)!.push([name!, rest!]);
  }
  return found;
}

/** The Dockerfile is not linted: Debian has no hadolint, and npm has a wrapper without the program. */
describe('The files for deployment', function () {
  this.timeout(60_000);
  const scratch = scratchDirectory();

  rarely(
    'make an image that contains the dependencies of the service, and runs as its own user [D11.deploy]',
    async () => {
      const [build, image] = stages();
      // The one that the tests run on.
      const { version: node } = JSON.parse(text('node_modules/node/package.json')) as { readonly version: string };
      expect([build![0], build!.at(-1)]).to.deep.equal([
        ['FROM', `node:${node}-slim AS build`],
        ['RUN', 'npm ci'],
      ]);
      const of = (name: string): readonly string[] => image!.filter(([one]) => one === name).map(([, rest]) => rest);
      expect([of('USER'), of('VOLUME')]).to.deep.equal([['node'], ['/data']]);
      const application = join(scratch.path, 'app');
      mkdirSync(application);
      for (const copy of of('COPY')) {
        const sources = copy.split(' ').slice(1, -1);
        for (const source of sources) {
          const name = source.replace('/build/', '');
          cpSync(join(repository, name), join(application, name), { recursive: true });
        }
      }
      const [, , ...args] = JSON.parse(of('CMD')[0]!) as string[];
      const [, ...check] = JSON.parse(of('HEALTHCHECK')[0]!.split(' CMD ')[1]!) as string[];
      const port = await freePort();
      const env = {
        ...process.env,
        PLANNER_ROOT: scratch.path,
        PLANNER_PORT: String(port),
        PLANNER_BASE_URL: 'https://plan.example.org',
      };
      const options = { cwd: application, env };
      await run(process.execPath, check, options).then(
        () => expect.fail('healthy before it started'),
        (error: unknown) => expect(error).to.include({ code: 1 }),
      );
      const service = spawn(process.execPath, ['dist/main.js', ...args], options);
      try {
        await once(service.stdout, 'data');
        await run(process.execPath, check, options);
        expect(existsSync(join(scratch.path, '.planner'))).to.equal(true);
      } finally {
        service.kill('SIGTERM');
        await once(service, 'exit');
      }
    },
  );

  it('put the container after a proxy with TLS, with nothing writable but its volume [D11.deploy]', () => {
    const { services, volumes } = parse(text('examples/deploy/compose.yaml')) as {
      readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
      readonly volumes: object;
    };
    expect(services['planner']).to.deep.include({ read_only: true, cap_drop: ['ALL'], volumes: ['data:/data'] });
    expect(services['planner'], 'only the proxy reaches it').not.to.have.property('ports');
    expect(services['caddy']!['ports']).to.deep.equal(['80:80', '443:443']);
    expect(services['backup']).to.deep.include({
      ...{ read_only: true, cap_drop: ['ALL'], network_mode: 'service:planner', pid: 'service:planner' },
      volumes: ['data:/data', 'backup:/backup', './backup.sh:/backup.sh:ro'],
      command: ['sh', '/backup.sh'],
    });
    expect(stages()[1]!.find(([name]) => name === 'RUN')![1]).to.include('chown -R node:node /data /backup');
    expect(volumes).to.have.all.keys('data', 'backup', 'certificates', 'caddy');
    expect(text('examples/deploy/Caddyfile')).to.include(`reverse_proxy planner:${portDefault}`);
  });

  it('name images by exact version [D11.deploy]', () => {
    const files = [
      'Dockerfile',
      ...['compose.yaml', 'nodes/compose.yaml', 'nodes/kubernetes.yaml'].map((name) => `examples/deploy/${name}`),
    ];
    const images = files.flatMap((path) =>
      [...text(path).matchAll(/^(?:FROM| *(?:- )?image:) (\S+)/gm)].map(([, image]) => `${path}: ${image}`),
    );
    expect(images).to.have.length(7);
    for (const image of images) expect(image).to.match(/:\d+(?:[.]\d+)+(?:-slim)?(?:@sha256:[0-9a-f]{64})?$/);
  });

  rarely('back up each project of each page with planner export [D11.deploy]', async () => {
    const directory = (name: string): string => {
      mkdirSync(join(scratch.path, name));
      return join(scratch.path, name);
    };
    const [bin, root, backup] = ['bin', 'root', 'backup'].map(directory) as [string, string, string];
    // The image has planner and node on its PATH.
    const main = join(repository, 'dist/main.js');
    writeFileSync(join(bin, 'planner'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`, { mode: 0o755 });
    symlinkSync(process.execPath, join(bin, 'node'));
    const env = {
      ...process.env,
      ...{ PATH: `${bin}:${process.env['PATH']}`, HOME: scratch.path, PLANNER_ROOT: root },
      ...{ BACKUP_DIRECTORY: backup, BACKUP_PAGE: '1', PLANNER_BASE_URL: 'https://plan.example.org' },
    };
    const service = spawn(process.execPath, [main, 'serve', '--port', '0'], { env, cwd: scratch.path });
    let script;
    try {
      await once(service.stdout, 'data');
      const ids = [];
      for (const name of ['Web shop', 'Garden']) {
        const made = await run(join(bin, 'planner'), ['call', 'create_project', JSON.stringify({ name }), '--json'], {
          env,
        });
        ids.push((JSON.parse(made.stdout) as { readonly project: { readonly id: string } }).project.id);
      }
      script = spawn('sh', [join(repository, 'examples/deploy/backup.sh')], { env, detached: true, stdio: 'ignore' });
      const files = (): readonly string[] => readdirSync(backup).filter((name) => name.endsWith('.json'));
      while (files().length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const id of ids) {
        const [file = ''] = files().filter((name) => name.startsWith(id));
        expect(file).to.match(/\.[1-7]\.json$/);
        expect(readFileSync(join(backup, file), 'utf8')).to.include(id);
      }
    } finally {
      // The child waits in another process of its group.
      if (script?.pid !== undefined) process.kill(-script.pid);
      service.kill('SIGTERM');
      await once(service, 'exit');
    }
  });

  it('are a unit that systemd accepts [D11.deploy]', async function () {
    const unit = text('examples/deploy/planner.service');
    expect(unit).to.include('DynamicUser=yes').and.include('ProtectSystem=strict');
    const analyze = '/usr/bin/systemd-analyze';
    if (!existsSync(analyze)) return this.skip();
    // Verifying requires that the program exists.
    const path = join(scratch.path, 'planner.service');
    writeFileSync(path, unit.replace('/usr/bin/planner', process.execPath));
    const { stderr } = await run(analyze, ['verify', path]);
    expect(stderr.split('\n').filter((line) => line.includes('planner.service'))).to.deep.equal([]);
    writeFileSync(path, unit.replace('/usr/bin/planner', process.execPath).replace('UMask=0077', 'UMask=none'));
    const wrong = await run(analyze, ['verify', path]).catch((error: unknown) => error as { readonly stderr: string });
    expect(wrong.stderr).to.match(/planner\.service:\d+:/);
  });

  it('are a property list that is well-formed [D11.deploy]', () => {
    const open: string[] = [];
    const keys: string[] = [];
    const parser = new Parser(
      {
        onopentagname: (name) => void open.push(name),
        ontext: (content) => void (open.at(-1) === 'key' && keys.push(content)),
        onclosetag: (name, implied) =>
          expect([open.pop(), implied && !['true', 'false'].includes(name)]).to.deep.equal([name, false]),
      },
      { xmlMode: true },
    );
    parser.end(text('examples/deploy/app.planner.plist'));
    expect(open).to.deep.equal([]);
    expect(keys).to.include.members(['Label', 'ProgramArguments', 'KeepAlive']);
  });
});
