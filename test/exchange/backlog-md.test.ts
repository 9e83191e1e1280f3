import { expect } from 'chai';
import { readBacklogMd } from '../../src/exchange/backlog-md.ts';
import { edgesOf, filesOf, leftOutOf, named, remarksOf } from './support.ts';

const page = (front: string, body = ''): string => `---\n${front}\n---\n\n${body}\n`;

const files = filesOf({
  'config.yml': 'project_name: "The garden"\ntask_prefix: "back"\n',
  'readme.md': '# How to use this\n',
  'tasks/back-1 - Dig.md': page(
    "id: BACK-1\ntitle: Dig\nstatus: In Progress\nassignee:\n  - @ada\n  - '@bo'\ncreated_date: '2026-07-16 21:49'\nlabels: [soil, Spring]\npriority: high\nmilestone: m-1\nordinal: 1000",
    '## Description\n\n<!-- SECTION:DESCRIPTION:BEGIN -->\nDeep, see ![bed](../assets/images/bed.png).\n<!-- SECTION:DESCRIPTION:END -->\n\n- [ ] #1 Deep enough',
  ),
  'tasks/back-1.1 - Rake.md': page(
    'id: BACK-1.1\ntitle: Rake\nstatus: To Do\nlabels: []\ndependencies: [task-2, BACK-77]\nparent_task_id: task-01',
  ),
  'completed/back-2 - Buy.md': page(
    "id: BACK-2\ntitle: 'Buy: seeds'\nstatus: Done\nassignee: @ada\ncreated_date: '2025-08-03'",
  ),
  'archive/tasks/back-2 - Sell.md': page('id: BACK-2\ntitle: Sell\nstatus: To Do'),
  'archive/tasks/back-3 - Burn.md': page("id: BACK-3\ntitle: Burn\nstatus: Won't Do\ntype: chore"),
  'drafts/draft-1 - Think.md': page('id: DRAFT-1\ntitle: Think\nstatus: To Do\ndependencies: [BACK-1]'),
  'milestones/m-1 - first.md': page('id: m-1\ntitle: "First harvest"', '## Description\n\nApples.'),
  'archive/milestones/m-0 - old.md': page('id: m-0\ntitle: Old'),
  'docs/howto/doc-1 - Guide.md': page(
    "id: doc-1\ntitle: Guide\ntype: guide\ncreated_date: '2025-07-21'",
    '# Guide\n\nText.',
  ),
  'decisions/decision-1 - Mulch.md': page(
    "id: decision-1\ntitle: Mulch\ndate: '2025-06-22'\nstatus: proposed",
    'We mulch.',
  ),
  'tasks/notes.md': 'No front matter.\n',
  'assets/images/bed.png': 'PNG',
  'assets/model.blend': 'x',
});

describe('Importing from Backlog.md', () => {
  const plan = readBacklogMd(files, 'Directory');
  const tasks = named(plan, 'tasks');

  it('imports tasks, drafts, completed and archived tasks as tasks [D9.moving.backlog]', () => {
    expect(plan.draft.project).to.include({ name: 'The garden' });
    expect(plan.report.counts).to.deep.equal({
      files: 1,
      goals: 2,
      folders: 3,
      documents: 2,
      tasks: 7,
      tags: 5,
      edges: 3,
    });
    expect(tasks['Dig']).to.deep.include({
      ...{ status: 'in_progress', assignee: 'ada', priority: 'high', tags: ['soil', 'Spring'] },
      ...{ created_at: '2026-07-16T21:49:00.000Z', goal: named(plan, 'goals')['First harvest'].id },
    });
    expect(tasks['Buy: seeds']).to.include({
      status: 'done',
      assignee: 'ada',
      created_at: '2025-08-03T00:00:00.000Z',
    });
    expect(tasks['Sell']).to.deep.include({ status: 'done', lane: 'auto', tags: ['cancelled', 'archived'] });
    expect(tasks['Burn']).to.deep.include({ status: 'done', tags: ['cancelled', 'chore', 'archived'] });
    expect(tasks['Think']).to.include({ status: 'scope' });
  });

  it('imports milestones as goals, and documents and decisions as documents in their folders [D9.moving.backlog]', () => {
    const goals = named(plan, 'goals');
    expect(goals['First harvest']).to.include({ status: 'active' });
    expect(goals['First harvest'].objective).to.match(/^## Description\n\nApples\./);
    expect(goals['Old']).to.include({ status: 'paused' });
    const [documents, folders] = [named(plan, 'documents'), named(plan, 'folders')];
    expect(documents['Guide']).to.include({ folder_id: folders['howto'].id, created_at: '2025-07-21T00:00:00.000Z' });
    expect(documents['Guide'].body).to.match(
      /^# Guide\n\nText\.\n\n## Moved from Backlog\.md\n\n- id: doc-1\n- type: guide$/,
    );
    expect(folders['howto'].parent_folder_id).to.equal(folders['Docs'].id);
    expect(documents['Mulch']).to.include({ status: 'proposed', folder_id: folders['Decisions'].id });
  });

  it('resolves ids under a former prefix, with zeros, and used twice [D9.moving.backlog]', () => {
    expect(edgesOf(plan)).to.have.members([
      'Rake -depends_on-> Buy: seeds',
      'Rake -part_of-> Dig',
      'Think -depends_on-> Dig',
    ]);
  });

  it('imports pictures and shows them [D9.moving.backlog]', () => {
    const picture = named(plan, 'files')['undefined'];
    expect(picture).to.include({ filename: 'bed.png', mime: 'image/png', content_base64: 'UE5H' });
    expect(tasks['Dig'].description).to.contain(`![bed](/api/v1/files/${picture.id})`);
  });

  it('keeps values without a field in the description, and reports omissions [D9.moving.kept]', () => {
    expect(tasks['Dig'].description).to.contain('<!-- SECTION:DESCRIPTION:BEGIN -->\nDeep');
    for (const line of ['id: BACK-1', 'other assignees: @bo', 'ordinal: 1000'])
      expect(tasks['Dig'].description).to.contain(`- ${line}`);
    expect(tasks['Rake'].description).to.contain('- dependencies: BACK-77');
    expect(tasks['Burn'].description).to.contain("- status: Won't Do");
    expect(remarksOf(plan)).to.deep.equal([
      '2 × Work that was cancelled: it is done, with the tag `cancelled`, so that nothing waits for it.',
      '1 × An id of several tasks: dependencies use the first one.',
      '1 × A task that references a missing one: the reference is in the description.',
    ]);
  });

  it('counts omissions by reason, and names all of it [D9.moving.left-out]', () => {
    expect(leftOutOf(plan)).to.deep.equal([
      '1 of 14 file: it is neither Markdown nor of a known type (assets/model.blend)',
      "1 of 14 file: it is the tool's own readme (readme.md), as expected",
    ]);
    const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`tasks/${at}.blend`, 'x']));
    const [left] = readBacklogMd(filesOf(many), 'x').report.left_out;
    expect(left).to.deep.include({ count: 12, total: 12 });
    expect(left!.places).to.have.members(Object.keys(many));
  });

  it('imports files in sub-folders at any depth [D9.moving.backlog]', () => {
    const deep = readBacklogMd(
      filesOf({
        'tasks/epics/login/task-2 - N.md': page('id: task-2\ntitle: Log in\nstatus: Done', 'b'),
        'completed/2024/task-1 - O.md': page('id: task-1\ntitle: Log out\nstatus: Done'),
        'archive/tasks/old/task-3 - P.md': page('id: task-3\ntitle: Sign\nstatus: To Do'),
        'docs/a/b/doc-1 - Guide.md': page('id: doc-1\ntitle: Guide'),
        'specs/api/Calls.md': '# Calls\n',
        'tasks/epics/login/readme.md': 'About logging in.\n',
      }),
      'Garden',
    );
    const found = named(deep, 'tasks');
    expect(Object.keys(found)).to.have.members(['Log in', 'Log out', 'Sign', 'readme']);
    expect(found['Log in'].description).to.contain('- folder: epics/login');
    expect(found['Sign']).to.deep.include({ status: 'done', tags: ['cancelled', 'archived'] });
    const [documents, folders] = [named(deep, 'documents'), named(deep, 'folders')];
    expect(documents['Guide'].folder_id).to.equal(folders['b'].id);
    expect(documents['Calls'].folder_id).to.equal(folders['api'].id);
    expect(deep.report.left_out).to.deep.equal([]);
  });

  it('imports files without front matter under the title in their name [D9.moving.backlog]', () => {
    const plain = readBacklogMd(
      filesOf({
        'tasks/task-7 - Fix the gate.md': 'It squeaks.\n',
        'tasks/Paint it.md': '# Another heading\n',
        'completed/task-8 - Oil it.md': 'Oiled.\n',
        'tasks/task-9 - Broken.md': '---\nid: [\n---\nText.\n',
        'tasks/task-10 - After.md': page('id: task-10\ntitle: After\nstatus: To Do\ndependencies: [task-7]'),
        'docs/Manual.md': 'Read it.\n',
      }),
      'Garden',
    );
    const found = named(plain, 'tasks');
    expect(Object.keys(found)).to.have.members(['Fix the gate', 'Paint it', 'Oil it', 'Broken', 'After']);
    expect(found['Fix the gate']).to.include({ status: 'todo' });
    expect(found['Fix the gate'].description).to.match(/^It squeaks\.\n\n## Moved from Backlog\.md\n\n- id: task-7$/);
    expect(found['Oil it'].status).to.equal('done');
    // Unreadable front matter is in the text.
    expect(found['Broken'].description).to.contain('Text.').and.contain('- front matter: id: [');
    expect(edgesOf(plain)).to.deep.equal(['After -depends_on-> Fix the gate']);
    expect(named(plain, 'documents')['Manual'].body).to.match(/^Read it\./);
    expect(plain.report.left_out).to.deep.equal([]);
  });

  it('finds milestones by id, title and file name, and makes a goal of one without a file [D9.moving.backlog]', () => {
    const milestones = ['m-3', 'GUI Development', 'gui development', 'M3 - GUI', 'gui', '3', 'Winter', 'winter'];
    const grouped = readBacklogMd(
      filesOf({
        'milestones/later/m-3 - gui.md': page('id: m-3\ntitle: "GUI Development"'),
        ...Object.fromEntries(
          milestones.map((name, at) => [
            `tasks/task-${at} - T.md`,
            page(`id: task-${at}\ntitle: T${at}\nstatus: To Do\nmilestone: "${name}"`),
          ]),
        ),
      }),
      'Garden',
    );
    const goals = named(grouped, 'goals');
    expect(Object.keys(goals)).to.deep.equal(['GUI Development', 'Winter']);
    const chosen = milestones.map((_, at) => named(grouped, 'tasks')[`T${at}`].goal);
    expect(chosen).to.deep.equal([...Array(6).fill(goals['GUI Development'].id), ...Array(2).fill(goals['Winter'].id)]);
    expect(remarksOf(grouped)).to.deep.equal(['1 × A milestone without a file: it became a goal of its name.']);
  });
});
