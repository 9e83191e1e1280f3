import { architecture } from './requirements/architecture.ts';
import { clients } from './requirements/clients.ts';
import { decisions } from './requirements/decisions.ts';
import { decisionsOfParts } from './requirements/decisions-parts.ts';
import { feed } from './requirements/feed.ts';
import { mcpTools } from './requirements/mcp.ts';
import { nodes } from './requirements/nodes.ts';
import { order } from './requirements/order.ts';
import { restRoutes } from './requirements/rest.ts';
import { review } from './requirements/review.ts';
import { runner } from './requirements/runner.ts';
import { running } from './requirements/running.ts';
import { scopes } from './requirements/section.ts';
import type { Scope, Section } from './requirements/section.ts';
import { spec } from './requirements/spec.ts';
import { trust } from './requirements/trust.ts';
import { web } from './requirements/web.ts';

/** One thing that Planner promises. */
export interface Requirement {
  readonly id: string;
  /** The requirement, in one sentence. */
  readonly text: string;
  /** `now`: a test cites it. `later`: not built yet. `measured`: a figure of `npm run bench`. */
  readonly scope: Scope;
  /** The title of its section, for finding related ones. */
  readonly section: string;
}

/** Everything that Planner promises, section by section. */
export const sections: readonly Section[] = [
  ...spec,
  restRoutes,
  mcpTools,
  ...decisions,
  ...decisionsOfParts,
  clients,
  ...architecture,
  feed,
  nodes,
  order,
  review,
  runner,
  ...running,
  ...trust,
  ...web,
];

function requirementsOf(section: Section): Requirement[] {
  return scopes.flatMap((scope) =>
    Object.entries(section[scope] ?? {}).map(([id, text]) => ({ id, text, scope, section: section.title })),
  );
}

/** The requirements as one list. Ids are unique (test/gate/coverage.test.ts). */
export const requirements: readonly Requirement[] = sections.flatMap(requirementsOf);
