import { expect } from 'chai';
import { errorCodes } from '../../src/base/errors.ts';
import { catalogue as wholeCatalogue } from '../../src/operations/catalogue.ts';
import { routesOf } from '../../src/operations/declaration/route-binding.ts';
import { groups } from '../../src/operations/groups.ts';
import { openApi } from '../../src/rest/openapi.ts';
import { describedPaths, describedRoutes } from '../../src/rest/service-paths.ts';
import { component } from '../../src/schema/component.ts';
import { validator } from '../../src/schema/validators.ts';
import { requireFiles } from '../support/hosted-mode.ts';
import { catalogue, schemas } from '../support/items.ts';
import { TestService } from '../support/service.ts';
import { findingsIn } from './openapi-findings.ts';

// oxlint-disable-next-line typescript/no-explicit-any
const description: any = openApi({ catalogue, version: '1.2.3', component: (definition) => schemas[definition]! });
// oxlint-disable-next-line typescript/no-explicit-any
const whole: any = openApi({ catalogue: wholeCatalogue, version: '1.2.3', component });

describe('the OpenAPI description', () => {
  it('has each route of the catalogue and of the service itself once, and nothing else', () => {
    const described = Object.entries<object>(description.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const routes = [
      ...routesOf(catalogue).map(({ method, template }) => `${method.toLowerCase()} ${template}`),
      ...describedRoutes.map(({ method, template }) => `${method.toLowerCase()} ${template}`),
    ];
    expect(described.sort()).to.deep.equal(routes.sort());
  });

  it('puts members where they are sent, under their wire names', () => {
    const create = description.paths['/api/v1/projects/{project_id}/items'].post;
    expect(create.parameters.map(({ name }: { name: string }) => name)).to.deep.equal([
      'project_id',
      'Idempotency-Key',
    ]);
    const { schema } = create.requestBody.content['application/json'];
    expect(Object.keys(schema.properties)).to.deep.equal(['label', 'note']);
    expect(schema.required).to.deep.equal(['label']);
    const list = description.paths['/api/v1/projects/{project_id}/items'].get;
    expect(list.parameters.map((one: { name: string; in: string }) => `${one.in} ${one.name}`)).to.deep.equal([
      'path project_id',
      'query label',
      'query limit',
      'query verbose',
    ]);
  });

  it('names the preconditions of operations that compare them', () => {
    const { get, patch, delete: remove } = description.paths['/api/v1/items/{item_id}'];
    const headersOf = (one: { parameters: { name: string; in: string }[] }): string[] =>
      one.parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
    expect(headersOf(get)).to.deep.equal(['If-None-Match']);
    expect(headersOf(patch)).to.deep.equal(['If-Match', 'Idempotency-Key', 'Editing-Session']);
    expect(headersOf(remove)).to.deep.equal(['Idempotency-Key']);
    expect(whole.paths['/api/v1/tasks/{task_id}'].get.responses).to.include.keys('200', '304');
    expect(whole.paths['/api/v1/tasks/{task_id}'].patch.responses).to.include.keys('200', '412');
  });

  it('lists every error code, and the error statuses of each route', () => {
    expect(description.components.schemas.Error.properties.error.enum).to.deep.equal(errorCodes);
    const { post, get } = whole.paths['/api/v1/projects/{project_id}/tasks'];
    expect(Object.keys(post.responses)).to.deep.equal([
      '201',
      '303',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '429',
      '503',
      'default',
    ]);
    expect(get.responses).not.to.include.any.keys('413', '415', '429', '503');
  });

  it('has the form of OpenAPI 3.1, and parts that fit together [A.openapi-form]', () => {
    expect(findingsIn(whole)).to.deep.equal([]);
  });

  it('would be refused with a part that does not fit [A.openapi-form]', () => {
    const path = '/api/v1/tasks/{task_id}';
    const some = wholeCatalogue.filter(({ name }) => name === 'get_task');
    const sound = openApi({ catalogue: some, version: '1.2.3', component });
    expect(findingsIn(sound)).to.deep.equal([]);
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const findingsOf = (change: (copy: any) => unknown): string => {
      const copy: unknown = structuredClone(sound);
      change(copy);
      return findingsIn(copy).join('\n');
    };
    const findings: [string, ReturnType<typeof findingsOf>][] = [
      ['must NOT have additional properties', findingsOf(({ info }) => (info.licence = {}))],
      ["must have required property 'license'", findingsOf(({ info }) => delete info.license)],
      [
        'must be equal to one of the allowed values',
        findingsOf(({ paths }) => (paths[path].get.parameters[1].in = 'p')),
      ],
      [
        "must have required property 'required'",
        findingsOf(({ paths }) => delete paths[path].get.parameters[1].required),
      ],
      ['/type must be', findingsOf(({ components }) => (components.schemas.Task.type = 'record'))],
      ['has no path task_id', findingsOf(({ paths }) => (paths['/api/v1/tasks'] = paths[path]))],
      ['does not describe path task_id', findingsOf(({ paths }) => paths[path].get.parameters.splice(1, 1))],
      ['the operation get_task is there twice', findingsOf(({ paths }) => (paths['/x/{task_id}'] = paths[path]))],
      ['/tasks/{} is there twice', findingsOf(({ paths }) => (paths['/api/v1/tasks/{id}'] = {}))],
      ['has no tag Plants', findingsOf(({ paths }) => paths[path].get.tags.push('Plants'))],
      ['has no security scheme basic', findingsOf(({ components }) => delete components.securitySchemes.basic)],
      [
        'has no response 4xx',
        findingsOf(({ paths }) => (paths[path].get.responses = { 200: { description: 'Done.' } })),
      ],
      ['has a body', findingsOf(({ paths }) => (paths[path].get.requestBody = { content: {} }))],
      ['#/components/schemas/Task leads nowhere', findingsOf(({ components }) => delete components.schemas.Task)],
      ['#/components/schemas/Plant is not used', findingsOf(({ components }) => (components.schemas.Plant = {}))],
    ];
    for (const [finding, found] of findings) expect(found).to.include(finding);
  });

  it('shows examples that their operations accept', () => {
    const shown = routesOf(wholeCatalogue).filter(({ options }) => options.example !== undefined);
    expect(shown).to.have.length.above(15);
    for (const route of shown) {
      const inPath = route.parameters.map((member) => [member, 'tsk_x']);
      const given = Object.entries(route.options.example!).map(([wire, value]) => [route.memberOf(wire), value]);
      const everything = { ...Object.fromEntries(inPath), ...Object.fromEntries(given) };
      expect(validator(route.operation.input)(everything), route.name).to.deep.equal([]);
    }
  });

  it('lists the groups in their order, followed by one that a resource declares for itself', () => {
    const names = (tags: { name: string }[]): string[] => tags.map(({ name }) => name);
    expect(names(description.tags)).to.deep.equal(['Service', 'Items']);
    expect(names(whole.tags)).to.deep.equal(Object.values(groups).map(({ name }) => name));
    expect(description.paths['/api/v1/items/{item_id}'].get.tags).to.deep.equal(['Items']);
  });

  it('describes each route of the service itself as it is served', async () => {
    requireFiles();
    const service = await TestService.start();
    try {
      for (const [method, path, { answer }] of describedPaths) {
        const requested = path.replace(':operation', 'list_projects');
        const { status, headers } = await service.rest.send(method, requested, method === 'POST' ? {} : undefined);
        // Without a credential.
        expect(status, `${method} ${path}`).to.equal(path === '/service/hand-over' ? 403 : 200);
        const types = Array.isArray(answer) ? (answer as string[]) : ['application/json; charset=utf-8'];
        expect(types, path).to.include(headers.get('content-type')!);
      }
    } finally {
      await service.stop();
    }
  });
});
