import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../support/random.ts';
import { RestClient } from '../support/rest-client.ts';
import type { RestResponse } from '../support/rest-client.ts';
import { pause } from './callers.ts';
import type { Stage } from './callers.ts';

/** How long the service may take to find an edit, including a periodic rescan. */
const seenMsMax = 180_000;

/** Edits files at random: changes, moves, breaks and repairs, removes and restores them. */
export async function editFiles(stage: Stage, random: Random, directory: string): Promise<number> {
  const { gate, ledger, project } = stage;
  const rest = new RestClient(stage.url);
  const own: string[] = [];
  for (let i = 0; i < 6; i++) {
    const { body } = await rest.post(`/projects/${project}/tasks`, { label: `By hand ${i}`, description: 'Begun.\n' });
    own.push(body.id as string);
  }
  await rest.post('/flush');
  const tasks = join(directory, 'tasks');
  const fileOf = (id: string): string => {
    const name = readdirSync(tasks).find((one) => textOf(join(tasks, one)).includes(`\nid: ${id}\n`));
    if (name === undefined) throw new Error(`There is no file of ${id}.`);
    return join(tasks, name);
  };
  const shows = (id: string, fits: (answer: RestResponse) => boolean): Promise<void> =>
    until(`the service shows the edit of ${id}`, async () => fits(await rest.get(`/tasks/${id}`)));
  let made = 0;
  const edit = async (id: string, how: 'in place' | 'by rename'): Promise<void> => {
    const file = fileOf(id);
    const label = `Edited ${made}`;
    const text = readFileSync(file, 'utf8').replace(/^label: .*$/m, `label: ${label}`);
    if (how === 'in place') writeFileSync(file, text);
    else {
      writeFileSync(`${file}~`, text);
      renameSync(`${file}~`, file);
    }
    await shows(id, ({ body }) => body?.label === label);
    ledger.keep(`/tasks/${id}`, { label });
  };
  const acts: readonly ((id: string) => Promise<void>)[] = [
    (id) => edit(id, 'in place'),
    (id) => edit(id, 'by rename'),
    async (id) => {
      renameSync(fileOf(id), join(tasks, `moved-${made}.md`));
      await edit(id, 'in place');
    },
    async (id) => {
      const file = fileOf(id);
      const good = readFileSync(file);
      writeFileSync(file, `<<<<<<< HEAD\n${good.toString()}=======\nother\n>>>>>>> side\n`);
      const isListed = async (): Promise<boolean> =>
        JSON.stringify((await rest.get(`/projects/${project}/problems`)).body).includes(id);
      await until('the bad file is listed', isListed);
      writeFileSync(file, good);
      await until('the repaired file is not listed', async () => !(await isListed()));
    },
    async (id) => {
      const file = fileOf(id);
      const good = readFileSync(file);
      rmSync(file);
      await shows(id, ({ status }) => status === 404);
      writeFileSync(file, good);
      await shows(id, ({ status }) => status === 200);
    },
    async () => {
      const note = join(directory, 'notes', `Dropped ${made}.md`);
      if (!existsSync(join(directory, 'notes'))) return;
      writeFileSync(note, `# Dropped ${made}\n\nBy hand.\n`);
      const count = async (): Promise<number> =>
        ((await rest.get(`/projects/${project}/notes`)).body.notes as { title: string }[]).filter(
          ({ title }) => title === `Dropped ${made}`,
        ).length;
      await until('the note is there', async () => (await count()) === 1);
      rmSync(note);
      await until('the note is gone', async () => (await count()) === 0);
    },
  ];
  await rest.post(`/projects/${project}/notes`, { title: 'Stays' });
  while (
    await gate.pass(() =>
      random
        .pick(acts)(random.pick(own))
        .then(() => void made++),
    )
  )
    await pause(random.integer(100, 900));
  return made;
}

/** Empty if the service has just renamed the file. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Waits for a condition; throws with its name on timeout. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + seenMsMax;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`It did not come to this within ${seenMsMax} ms: ${what}.`);
    await pause(25);
  }
}
