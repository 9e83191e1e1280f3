import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolOrder } from '../../src/mcp/tool-list.ts';
import { catalogue } from '../../src/operations/catalogue.ts';
import { describedPaths } from '../../src/rest/service-paths.ts';
import { mcpTools } from '../requirements/mcp.ts';
import { restRoutes } from '../requirements/rest.ts';
import { repository } from '../support/server-process.ts';
import { TestService } from '../support/service.ts';

/** The specification's table of tools, group by group. */
const groups: readonly (readonly [group: string, tools: string])[] = [
  ['Projects', 'list_projects get_project create_project update_project search list_views scaffold_project_from_plan'],
  [
    'Goals',
    'create_goal get_goal list_goals update_goal invoke_goal set_current_goal pause_goal resume_goal complete_goal',
  ],
  ['Tasks', 'get_next_task claim_task create_task update_task get_task list_tasks get_task_graph'],
  [
    'Documents',
    'create_document update_document get_document list_documents create_folder update_folder delete_folder move_documents',
  ],
  ['Revisions', 'list_revisions get_revision'],
  ['Notes', 'create_note update_note get_note list_notes'],
  ['Tags', 'list_tags'],
  ['Edges', 'create_edge list_edges delete_edge'],
  ['Files and artifacts', 'attach_file create_artifact get_artifact update_artifact list_artifacts'],
  ['Prototypes', 'create_prototype get_prototype list_prototypes update_prototype move_screen copy_screen'],
  ['Sharing', 'create_share_link'],
  ['Comments', 'list_comments add_comment resolve_comment list_artifact_comments add_artifact_comment'],
  ['Agent runs', 'start_agent_run record_agent_progress complete_agent_run'],
  ['Collaboration', 'sync_pull list_submissions triage_submission'],
];

const specified = groups.flatMap(([, tools]) => tools.split(' '));

/** A path without parameter names: the specification uses other names. */
const bare = (place: string): string => place.replace(/:\w+/g, ':');

/** The requirements of a section, built or not. */
function named(section: { readonly now?: object; readonly later?: object }, prefix: string): string[] {
  return [...Object.keys(section.now ?? {}), ...Object.keys(section.later ?? {})].map((id) => id.slice(prefix.length));
}

describe('the specified interface', () => {
  it('is 64 tools, the last three of them the collaboration tier, listed in its order of groups [S.rule.7, S.limits.tools, A.documented-tools]', async () => {
    expect(specified).to.have.length(64);
    expect(toolOrder).to.deep.equal(specified);
    expect(named(mcpTools, 'S.mcp.')).to.have.members(specified);
    const service = await TestService.start();
    try {
      const { tools } = await (await service.mcp()).sdk.listTools();
      expect(tools.map(({ name }) => name)).to.deep.equal(specified);
    } finally {
      await service.stop();
    }
  });

  it('is every row of the table of routes [A.documented-routes]', () => {
    const served = new Set([
      ...catalogue.flatMap(({ rest }) => (rest === undefined ? [] : [bare(`${rest.method} ${rest.path}`)])),
      ...describedPaths.map(([method, path]) => bare(`${method} ${path}`)),
    ]);
    const rows = named(restRoutes, 'S.rest.');
    expect(rows.length).to.be.at.least(50);
    expect(rows.filter((row) => !served.has(bare(row)))).to.deep.equal([]);
  });

  it('is listed on a page that contains each tool and each route once [A.documented-routes, A.documented-tools]', () => {
    const page = readFileSync(join(repository, 'schemas/generated/INTERFACE.md'), 'utf8');
    const tools = [...page.matchAll(/^\| `(\w+)` +\|/gm)].map(([, name]) => name);
    expect(tools).to.deep.equal(toolOrder.filter((name) => catalogue.some((one) => one.name === name && one.mcp)));
    const routes = [...page.matchAll(/^\| `([A-Z]+ \/\S*)` +\|/gm)].map(([, route]) => route);
    const declared = catalogue.flatMap(({ rest }) => (rest === undefined ? [] : [`${rest.method} ${rest.path}`]));
    const ofService = describedPaths.map(([method, path]) => `${method} ${path}`);
    expect(routes).to.have.members([...declared, ...ofService]);
  });
});
