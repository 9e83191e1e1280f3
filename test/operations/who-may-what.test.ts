import { expect } from 'chai';
import type { PlannerError } from '../../src/base/errors.ts';
import { authorise, authoriseNewProject, authoriseSharing } from '../../src/operations/access/authorise.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import { findProject, locatorOf } from '../../src/operations/pipeline/find-project.ts';
import type { AnyOperation, Caller } from '../../src/operations/declaration/operation.ts';
import { entityTag, namesTag, requireMatch } from '../../src/operations/pipeline/preconditions.ts';

const owner: Caller = { kind: 'owner', id: 'loopback', author: 'human:G' };
const agent: Caller = { kind: 'agent', id: 'key_1', author: 'agent:a', boundTo: 'prj_a' };
const guest: Caller = { kind: 'guest', id: 'lnk_1', author: 'guest:lnk_1', boundTo: 'prj_a' };

function refusal(call: () => unknown): PlannerError {
  try {
    call();
  } catch (error) {
    return error as PlannerError;
  }
  return expect.fail('It was let through.');
}

describe('The permitted callers of an operation [D10.agent-delete, D2.forbidden-key]', () => {
  const operations = catalogue as readonly AnyOperation[];
  const isForbidden = (operation: AnyOperation, caller: Caller): boolean => {
    try {
      authorise(operation, caller);
      return false;
    } catch (error) {
      expect((error as PlannerError).code, operation.name).to.equal('forbidden');
      return true;
    }
  };

  it('include the owner, for each of them', () => {
    for (const operation of operations) expect(isForbidden(operation, owner), operation.name).to.equal(false);
    authoriseNewProject(owner);
  });

  it('include guests only for operations of a link', () => {
    for (const operation of operations)
      expect(isForbidden(operation, guest), operation.name).to.equal(operation.link === undefined);
    expect(operations.filter(({ link }) => link !== undefined)).not.to.be.empty;
  });

  it('include agents for operations of a project that are not reserved for people', () => {
    const closed = operations.filter((operation) => isForbidden(operation, agent));
    const expected = operations.filter(
      ({ scope, effect, peopleOnly }) => scope === 'service' || effect === 'create' || peopleOnly === true,
    );
    expect(closed.map(({ name }) => name)).to.deep.equal(expected.map(({ name }) => name));
    expect(operations.some(({ scope }) => scope === 'service')).to.equal(true);
    expect(operations.some(({ effect }) => effect === 'create')).to.equal(true);
    for (const kind of ['delete', 'write'])
      expect(
        closed.some(({ effect, scope }) => effect === kind && scope === 'project'),
        kind,
      ).to.equal(true);
    for (const caller of [agent, guest]) expect(refusal(() => authoriseNewProject(caller)).code).to.equal('forbidden');
  });

  it('include no agent for those that share outward, if the owner reserves that [A.hostile.agent-links]', () => {
    const outward = operations.filter(({ sharesOutward }) => sharesOutward === true);
    expect(outward).not.to.be.empty;
    for (const operation of operations) {
      const codeOf = (caller: Caller, transport: 'rest' | 'cli' | 'mcp', agentShareLinks = false): unknown => {
        try {
          return authoriseSharing(operation, { caller, transport }, agentShareLinks);
        } catch (error) {
          return (error as PlannerError).code;
        }
      };
      const reserved = outward.includes(operation) ? 'forbidden' : undefined;
      for (const transport of ['rest', 'cli', 'mcp'] as const) {
        expect(codeOf(owner, transport), operation.name).to.equal(transport === 'mcp' ? reserved : undefined);
        expect(codeOf(agent, transport), operation.name).to.equal(reserved);
        for (const caller of [owner, agent])
          expect(codeOf(caller, transport, true), operation.name).to.equal(undefined);
      }
    }
  });
});

describe('The project of a call [D10.agent-key]', () => {
  const by = { member: 'task_id', resource: 'task' } as never;
  const holders: Readonly<Record<string, readonly string[]>> = {
    in_a: ['prj_a'],
    in_b: ['prj_b'],
    in_both: ['prj_b', 'prj_a'],
    in_others: ['prj_b', 'prj_c'],
  };
  const locate = (id: string): readonly string[] => holders[id] ?? [];
  const find = (input: object, caller: Caller, locator: unknown = by): string =>
    findProject((locator ?? undefined) as never, input as never, caller, locate);

  it('is the one that it names, if the caller may see it', () => {
    expect(find({ project_id: 'prj_b', task_id: 'in_a' }, owner)).to.equal('prj_b');
    expect(find({ project_id: 'prj_a' }, agent)).to.equal('prj_a');
    const unseen = refusal(() => find({ project_id: 'prj_b' }, agent));
    expect(unseen.code).to.equal('not_found');
    expect(unseen.details).to.include({ resource: 'project', id: 'prj_b' });
  });

  it('is the one that contains the id, if the caller may see it', () => {
    expect(find({ task_id: 'in_b' }, owner)).to.equal('prj_b');
    expect(find({ task_id: 'in_a' }, agent)).to.equal('prj_a');
    expect(find({ task_id: 'in_both' }, agent)).to.equal('prj_a');
    expect(find({ task_id: 'in_both' }, { ...owner, defaultProject: 'prj_a' })).to.equal('prj_a');
    for (const [id, caller] of [
      ['in_b', agent],
      ['in_others', agent],
      ['in_none', agent],
      ['in_none', owner],
    ] as const)
      expect(
        refusal(() => find({ task_id: id }, caller)),
        id,
      ).to.include({ code: 'not_found' });
    const error = refusal(() => find({ task_id: 'in_both' }, owner));
    expect(error).to.include({ code: 'conflict' });
    expect(error.details).to.deep.include({ id: 'in_both', resource: 'task', project_ids: ['prj_b', 'prj_a'] });
    expect(refusal(() => find({ task_id: 'in_others' }, { ...owner, defaultProject: 'prj_a' })).code).to.equal(
      'conflict',
    );
  });

  it('is the one that the caller is bound to, or the default, if no id is given', () => {
    expect(find({}, agent)).to.equal('prj_a');
    expect(find({}, { ...owner, defaultProject: 'prj_d' })).to.equal('prj_d');
    expect(find({}, { ...agent, defaultProject: 'prj_d' })).to.equal('prj_a');
    expect(find({ task_id: 7 }, agent)).to.equal('prj_a');
    expect(find({ task_id: 'in_b' }, agent, null)).to.equal('prj_a');
    expect(refusal(() => find({}, owner))).to.include({ code: 'invalid_argument', field: 'project_id' });
  });

  it('is the one that contains all ids, if none is named or bound [D2.project-by-ids]', () => {
    for (const [input, project] of [
      [{ goal_id: 'in_a' }, 'prj_a'],
      [{ document_ids: ['in_none', 'in_b'], folder_id: null }, 'prj_b'],
      [{ link_to: ['in_both', 'in_a'] }, 'prj_a'],
      [{ from_id: 'in_both', to_id: 'in_others' }, 'prj_b'],
      [{ task_id: 'in_both', goal_id: 'in_b' }, 'prj_b'],
      [{ task_id: 'in_a', goal_id: 'in_none', folder_id: 7, link_to: [7] }, 'prj_a'],
    ] as const)
      expect(find(input, owner), JSON.stringify(input)).to.equal(project);
    expect(find({ document_ids: ['in_b'] }, agent)).to.equal('prj_a');
    expect(find({ document_ids: ['in_b'] }, { ...owner, defaultProject: 'prj_d' })).to.equal('prj_d');
    expect(find({ project_id: 'prj_c', document_ids: ['in_a', 'in_b'] }, owner)).to.equal('prj_c');
    expect(find({ task_id: 'in_a', goal_id: 'in_b' }, agent)).to.equal('prj_a');
  });

  it('is not found if ids belong to two projects, to several, or to none [D2.project-by-ids, D2.project-missing]', () => {
    for (const [input, field, projects] of [
      [{ document_ids: ['in_a', 'in_none', 'in_b'] }, 'document_ids[2]', ['prj_a', 'prj_b']],
      [{ document_ids: ['in_a'], folder_id: 'in_b' }, 'folder_id', ['prj_a', 'prj_b']],
      [{ task_id: 'in_a', goal_id: 'in_b' }, 'goal_id', ['prj_a', 'prj_b']],
      [{ task_id: 'in_a', link_to: 'in_others' }, 'link_to', ['prj_a', 'prj_b', 'prj_c']],
    ] as const) {
      const error = refusal(() => find(input, owner));
      expect(error, JSON.stringify(input)).to.include({ code: 'invalid_argument', field });
      expect(error.details['project_ids']).to.deep.equal(projects);
    }
    const several = refusal(() => find({ link_to: 'in_others' }, owner));
    expect(several.details).to.deep.equal({ id: 'in_others', project_ids: ['prj_b', 'prj_c'] });
    expect(refusal(() => find({ document_ids: ['in_both'] }, owner)).details).to.include({ resource: 'document' });
    const none = refusal(() => find({ document_ids: ['in_none', 'in_no'] }, owner));
    expect([none.code, none.details]).to.deep.equal(['not_found', { resource: 'document', id: 'in_none' }]);
    expect(refusal(() => find({ task_id: 'in_none', goal_id: 'in_a' }, owner)).code).to.equal('not_found');
    for (const input of [{ link_to: 'in_none' }, { target_id: 'in_none', goal_id: 7 }, { goal_id: null }])
      expect(refusal(() => find(input, owner))).to.include({ code: 'invalid_argument', field: 'project_id' });
  });

  it('is found by a member that may not be an id only if the caller may see it', () => {
    const loose = { member: 'anchor', resource: 'task', loose: true };
    expect(find({ anchor: 'in_b' }, { ...owner, defaultProject: 'prj_d' }, loose)).to.equal('prj_b');
    expect(find({ anchor: 'src/a.ts' }, { ...owner, defaultProject: 'prj_d' }, loose)).to.equal('prj_d');
    expect(find({ anchor: 'in_b' }, agent, loose)).to.equal('prj_a');
    expect(find({ anchor: 7 }, agent, loose)).to.equal('prj_a');
  });

  it('is found by the first given member that applies', () => {
    const first = { member: 'a', resource: 'x', when: (input: { kind?: string }) => input.kind === 'a' };
    const second = { member: 'b', resource: 'y' };
    const locatorFor = (input: object): unknown => locatorOf({ locate: [first, second] as never }, input as never);
    expect(locatorFor({ a: '1', b: '2', kind: 'a' })).to.equal(first);
    expect(locatorFor({ a: '1', b: '2', kind: 'b' })).to.equal(second);
    expect(locatorFor({ b: '2', kind: 'a' })).to.equal(second);
    expect(locatorFor({ kind: 'a' })).to.equal(undefined);
    expect(locatorOf({ locate: second as never }, {})).to.equal(second);
    expect(locatorOf({ locate: undefined as never }, {})).to.equal(undefined);
  });
});

describe('Preconditions of a call [D1.304, D1.if-match, D2.precondition_failed]', () => {
  const tag = { own: 'a', rest: 'b' };

  it('write a tag of two parts', () => {
    expect(entityTag(tag)).to.equal('"a.b"');
  });

  it('match any of the tags, also weak ones, for reads', () => {
    for (const header of ['"a.b"', 'W/"a.b"', '"x", "a.b"', ' * ', '*', '"x",W/"a.b" '])
      expect(namesTag(header, '"a.b"'), header).to.equal(true);
    for (const header of ['', '"a"', '"a.c"', 'a.b', '"x"', 'xW/"a.b"', '"W/a.b"', '"a.b"x', '**'])
      expect(namesTag(header, '"a.b"'), header).to.equal(false);
  });

  it('match the own part of a tag for writes [D13.if-match]', () => {
    for (const header of ['"a.b"', '"a.c"', '"a"', '*', '"x", "a.c"', ' "a.b" ', 'W/"a.b"', '"a.b-gzip"'])
      requireMatch(header, tag);
    for (const header of ['"b.b"', '"b"', 'W/"b.b"', 'a.b', 'xa.b', '', '"ab"', '"a', '".a"', 'xa.b"', '**']) {
      const error = refusal(() => requireMatch(header, tag));
      expect(error.code, header).to.equal('precondition_failed');
      expect(error.details).to.deep.equal({ current: '"a.b"' });
    }
  });
});
